"""Near-duplicates in any folder of pictures, without a party."""
