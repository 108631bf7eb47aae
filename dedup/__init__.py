"""Perceptual hashes of the images and the near-duplicates found by them."""
