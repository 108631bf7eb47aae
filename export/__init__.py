"""PASCAL VOC writing and reading, splits, releases."""
