"""Keeping a party: backup, restore, move to larger engines, and looking for faults."""
