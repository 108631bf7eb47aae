"""What is kept of an image for finding its near-duplicates: a small picture, hashes of views."""
