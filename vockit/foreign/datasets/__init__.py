"""Labelled images in the forms of other tools, read image by image."""
