"""What was collected, in figures: as JSON and as a page with plots."""
