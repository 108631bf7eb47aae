"""The pages of a challenge."""
