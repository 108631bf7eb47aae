"""Perceptual hashes of the images and the near-duplicates found by them.

signature/ and verify/ are the coming finder (many views, registration); jobs.py does not call
them yet.
"""
