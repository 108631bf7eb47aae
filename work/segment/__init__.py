"""Whose pixels are drawn, and the rules of what is drawn."""
