"""Figures of a collection in sentences."""

from __future__ import annotations

from catalog.plural import format_count

from .figures import Comparison, Recent, Report, Shortage

NO_BIAS_POINTS = 0.05
"""Where a bias of so many points would have shown and none did, there is none to speak of."""


def describe_recent(it: Recent) -> str:
    """The share with its interval and what it says: a bias, none, or not enough to tell."""
    images = format_count(it.photographs, it.of.removesuffix("s"))
    if not it.photographs:
        return f"{it.of.capitalize()}: none with a date in the range yet."
    period = it.period.capitalize()
    if it.share is None:
        return f"{period} in {images} of {format_count(it.draws, 'draw')}: not enough to tell."
    interval = f"{it.low:.0%} to {it.high:.0%}"
    told = f"{period} hold {it.share:.0%} of {images} ({interval}); uniform would be "
    return f"{told}{it.uniform:.0%}. {_judge(it)}"


def _judge(it: Recent) -> str:
    draws = f"{format_count(it.draws, 'draw')}"
    smallest = f"a bias of {_points(it.detectable)} or more would have shown in {draws}"
    if it.low > it.uniform:
        return "They are more recent than uniform dates."
    if it.high < it.uniform:
        return "They are older than uniform dates."
    if it.detectable > NO_BIAS_POINTS:
        return f"Not enough to tell whether they are biased: only {smallest}."
    return f"No bias was found; {smallest}."


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
    points = _points(abs(it.difference))
    if it.low <= 0 <= it.high:
        return (
            f"{it.first} and {it.second} differ by {points} in {it.period} ({interval}): not "
            "enough to tell which is more recent."
        )
    more, less = (it.first, it.second) if it.difference > 0 else (it.second, it.first)
    return f"{more} has {points} more of its photographs in {it.period} than {less} ({interval})."


def _points(share: float) -> str:
    return format_count(round(100 * share), "point")


def name_top_owners(report: Report) -> str:
    """The owners of most kept photographs with their verb: "the first ten of 13 owners have"."""
    if report.owners > len(report.top_owners):
        return f"the first ten of {format_count(report.owners, 'owner')} have"
    return f"{format_count(report.owners, 'owner')} {'has' if report.owners == 1 else 'have'}"
