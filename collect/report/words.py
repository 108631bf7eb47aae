"""Figures of a collection in sentences."""

from __future__ import annotations

from catalog.plural import format_count
from catalog.recency import format_points

from .figures import Comparison, Report, Shortage


def describe_shortage(it: Shortage) -> str:
    """Which years cannot be uniform, and by how much."""
    return (
        f"{it.query} has {format_count(it.photographs, 'photograph')} of {it.years}; uniform dates "
        f"would give {it.uniform}. No more were found."
    )


def describe_comparison(it: Comparison) -> str:
    """How two collections differ, or that the samples cannot tell."""
    if it.difference is None:
        return f"{it.first} and {it.second} cannot be compared: one has too few draws."
    interval = f"95 % interval {100 * it.low:+.0f} to {100 * it.high:+.0f} points"
    points = format_points(abs(it.difference))
    if it.low <= 0 <= it.high:
        return (
            f"{it.first} and {it.second} differ by {points} in {it.period} ({interval}): not "
            "enough to tell which is more recent."
        )
    more, less = (it.first, it.second) if it.difference > 0 else (it.second, it.first)
    return f"{more} has {points} more of its photographs in {it.period} than {less} ({interval})."


def name_top_owners(report: Report) -> str:
    """The owners of most kept photographs with their verb: "the first ten of 13 owners have"."""
    if report.owners > len(report.top_owners):
        return f"the first ten of {format_count(report.owners, 'owner')} have"
    return f"{format_count(report.owners, 'owner')} {'has' if report.owners == 1 else 'have'}"
