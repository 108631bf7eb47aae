"""The pages as HTML, signing in, images and static files."""
