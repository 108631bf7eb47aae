"""What pages of reports share: their frame, charts, intervals and the progress of long work."""
