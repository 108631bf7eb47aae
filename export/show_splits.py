"""The report of a release's sets as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.plural import format_count
from catalog.states import Split

from .plan import ReleasePlan
from .split_report import report_splits

MOST_CLASSES = 40
MOST_GROUPS = 3


def iterate_lines(plan: ReleasePlan) -> Iterator[str]:
    """What each set holds of each class, by how much that is off, and the largest groups."""
    report = report_splits(plan)
    yield f"{'':20} images of train, val, test   objects of train, val, test"
    for row in report.shares[: MOST_CLASSES + 1]:
        name = row.name or "all"
        yield f"{name:20} {_numbers(row.images)}      {_numbers(row.objects)}"
    if len(report.shares) > MOST_CLASSES + 1:
        yield f"and {len(report.shares) - MOST_CLASSES - 1} classes more, all in splits.json"
    yield (
        f"Shares of a class are off by {report.mean_deviation:.2f} points on average, "
        f"{report.max_deviation:.2f} at most."
    )
    yield from _groups(plan)


def _numbers(held: dict[Split, int]) -> str:
    return " ".join(f"{held[split]:7d}" for split in (Split.TRAIN, Split.VAL, Split.TEST))


def _groups(plan: ReleasePlan) -> Iterator[str]:
    groups = plan.notes.groups
    if not groups:
        return
    bound = sum(len(group.images) for group in groups)
    number = format_count(len(groups), "group")
    yield f"{bound} images are in {number} that no set may part; the largest:"
    for group in groups[:MOST_GROUPS]:
        names = ", ".join(group.images[:3]) + (", ..." if len(group.images) > 3 else "")
        yield f"  {len(group.images)} images by {' and '.join(group.relations)}: {names}"
