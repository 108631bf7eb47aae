"""Photographs from elsewhere: a folder of files, a table of addresses."""
