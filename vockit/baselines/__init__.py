"""A simple method for each task, to start from and to be compared with (extra `baselines`)."""
