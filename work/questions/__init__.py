"""Questions about a class at a box of an image: who is asked what, and what becomes of it."""
