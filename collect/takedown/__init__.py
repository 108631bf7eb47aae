"""Withdrawing photographs whose owner or source took them back."""
