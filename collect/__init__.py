"""Photographs from Flickr and from elsewhere, into the catalogue and the image store."""
