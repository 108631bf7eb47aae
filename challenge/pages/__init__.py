"""The pages of a challenge, on the package `web`."""
