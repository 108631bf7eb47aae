"""The releases of a party as records: which there are, what is in them, how two differ."""
