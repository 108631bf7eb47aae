"""What dedup found and how far people agree with it, as a page with pictures and as JSON."""
