"""A local page over any VOC tree, with its annotations drawn (the development kit's viewanno)."""
