"""Tests of vockit; they need no party."""
