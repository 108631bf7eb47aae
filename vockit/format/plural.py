"""Numbers of things, as sentences say them."""

from __future__ import annotations


def format_count(number: int, noun: str, many: str = "") -> str:
    """As "1 image" and "2,000 images"; `many` is the plural where it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def is_or_are(number: int) -> str:
    """The verb that goes with this number."""
    return "is" if number == 1 else "are"
