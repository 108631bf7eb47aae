"""Whether two images show one photograph: a map between them, then a comparison of details."""
