"""splits.json: how the sets are balanced, and what binds images to one set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vockit.format.class_counts import Count, Table, count_by_set, format_columns
from vockit.format.image_sets import BALANCED, Split
from vockit.format.plural import format_count, is_or_are

from .manifest import format_document
from .plan import PlannedImage, ReleasePlan, is_taster

SPLITS = "splits.json"
UNITS = "images", "objects"
MOST_CLASSES = 40
MOST_GROUPS = 3
"""Shown on a terminal."""
FEWEST_IMAGES = 10
"""Of a class with fewer no set can have the wanted share."""


@dataclass(frozen=True)
class SplitReport:
    """The counts of all images and each class by set; deviations are in points of a share.

    They are of classes with FEWEST_IMAGES or more in the sets that have a share; `few` are the
    others. They are None where there is no such class, and where images were imported
    without their annotation.
    """

    splits: tuple[Split, ...]
    rows: tuple[tuple[str | None, tuple[Count, ...]], ...]
    mean_deviation: float | None = None
    max_deviation: float | None = None
    held_back: Mapping[Split, int] = field(default_factory=dict)
    few: tuple[str, ...] = ()
    unknown: frozenset[Split] = frozenset()
    """Sets of which no image shows its annotation."""


def report_splits(plan: ReleasePlan) -> SplitReport:
    """What the sets hold of all images and each shown class, and how far off that is.

    Without images for one task alone, which no list of Main names.
    """
    counted = [image for image in plan.images if not is_taster(image)]
    classes, totals = _count_objects(plan, counted)
    images = Counter(image.split for image in counted)
    whole = tuple(
        Count(images[split], count.objects)
        for split, count in zip(plan.splits, totals, strict=True)
    )
    rows = ((None, whole), *(row for row in classes if any(count.images for count in row[1])))
    held_back = Counter(image.split for image in counted if image.is_blind)
    if held_back:
        unknown = frozenset(split for split, count in held_back.items() if count == images[split])
        held_back_of = dict(sorted(held_back.items()))
        return SplitReport(plan.splits, rows, held_back=held_back_of, unknown=unknown)
    return _judge_balance(SplitReport(plan.splits, rows), plan.recipe.shares)


def _judge_balance(report: SplitReport, shares: Mapping[Split, float]) -> SplitReport:
    """The report with the deviations of classes that have enough images, and with the others."""
    balanced = {name: counts[: len(BALANCED)] for name, counts in report.rows[1:] if name}
    few = tuple(
        name
        for name, counts in balanced.items()
        if sum(count.images for count in counts) < FEWEST_IMAGES
    )
    points = _measure_deviations(
        (counts for name, counts in balanced.items() if name not in few), shares
    )
    if not points:
        return replace(report, few=few)
    mean = round(sum(points) / len(points), 3)
    return replace(report, mean_deviation=mean, max_deviation=round(max(points), 3), few=few)


def _count_objects(
    plan: ReleasePlan, images: Iterable[PlannedImage]
) -> tuple[tuple[tuple[str, tuple[Count, ...]], ...], tuple[Count, ...]]:
    """The counts of each class by set in images whose annotation is known, and those of all."""
    held = (
        (image.split, [(item.class_name,) for item in image.row.objects])
        for image in images
        if not image.is_blind
    )
    return count_by_set(held, plan.recipe.classes, plan.splits)


def _measure_deviations(
    classes: Iterable[Sequence[Count]], shares: Mapping[Split, float]
) -> list[float]:
    """By how many points each set is off its share, in images and objects of each class."""
    return [
        100 * abs(getattr(count, unit) / total - shares[split])
        for counts in classes
        for unit in UNITS
        if (total := sum(getattr(count, unit) for count in counts))
        for split, count in zip(BALANCED, counts, strict=True)
    ]


def format_splits(plan: ReleasePlan) -> str:
    """The report's text: one JSON document with a line for each class and each group."""
    report = report_splits(plan)
    head: dict[str, Any] = {
        "wanted": plan.recipe.shares,
        "mean_deviation_points": report.mean_deviation,
        "max_deviation_points": report.max_deviation,
    }
    if report.few:
        head["classes_of_fewer_than_ten_images"] = report.few
    if report.held_back:
        head["held_back"] = report.held_back
    classes = [
        {"class": name} | {unit: _count_unit(report, name, counts, unit) for unit in UNITS}
        for name, counts in report.rows
    ]
    split_of = {image.public_id: image.split for image in plan.images}
    groups = [
        {"set": split_of[group.images[0]], "bound_by": group.relations, "images": group.images}
        for group in plan.notes.groups
    ]
    parted = [
        {
            "sets": {public_id: split_of[public_id] for public_id in group.images},
            "bound_by": group.relations,
        }
        for group in plan.notes.parted
    ]
    lists: dict[str, Iterable[Any]] = {"classes": classes, "groups": groups}
    if parted:
        lists["parted"] = parted
    return format_document(head, lists)


def _count_unit(
    report: SplitReport, name: str | None, counts: Sequence[Count], unit: str
) -> dict[Split, int | None]:
    """The images or objects by set; None where annotations are held back, which is not 0."""
    of_set: dict[Split, int | None] = {
        split: getattr(count, unit) for split, count in zip(report.splits, counts, strict=True)
    }
    is_known = name is None and unit == "images"
    return of_set | ({} if is_known else dict.fromkeys(report.unknown))


def _describe_asked(plan: ReleasePlan) -> Iterator[str]:
    """How many images were not asked about every class, if any, and how many are in test sets."""
    tasters = [image for image in plan.asked_in_part if is_taster(image)]
    if tasters:
        yield (
            f"{len(tasters)} of {format_count(len(plan.annotated), 'image')} "
            f"{is_or_are(len(tasters))} in the lists of Layout or Action alone; the table does not "
            f"count {'it' if len(tasters) == 1 else 'them'}."
        )
    asked = [image for image in plan.asked_in_part if not is_taster(image)]
    if asked:
        sizes = Counter(image.split for image in asked)
        tests = [split for split in plan.splits if split.is_test and not plan.is_blind]
        in_tests = "".join(f", {sizes[split]} of them in {split}" for split in tests)
        yield (
            f"{len(asked)} of {format_count(len(plan.annotated), 'image')} "
            f"{'was' if len(asked) == 1 else 'were'} not asked about every class{in_tests}."
        )


def iterate_lines(plan: ReleasePlan) -> Iterator[str]:
    """What each set holds of each class, by how much that is off, and the largest groups."""
    report = report_splits(plan)
    yield from _format_counts(report)
    yield from _describe_balance(report)
    yield from _describe_asked(plan)
    if plan.masked:
        yield f"{len(plan.masked)} of {len(plan.annotated)} images have segmentation masks."
    if plan.notes.groups:
        yield from _describe_groups(plan)
        yield from _describe_owners(plan)


def _format_counts(report: SplitReport) -> Iterator[str]:
    """The table of images and objects by class and set, cut off where it is long."""
    shown = [
        (name or "all", [_count_unit(report, name, counts, unit) for unit in UNITS])
        for name, counts in report.rows[: MOST_CLASSES + 1]
    ]
    heads = ("name", *(f"{split}_{word}" for split in report.splits for word in ("img", "obj")))
    rows = [
        [name, *(unit[split] for split in report.splits for unit in units)] for name, units in shown
    ]
    yield from format_columns(Table("", "", "", heads, rows))
    if len(report.rows) > MOST_CLASSES + 1:
        yield f"and {len(report.rows) - MOST_CLASSES - 1} classes more, all in splits.json"


def _describe_balance(report: SplitReport) -> Iterator[str]:
    """How far the sets are off their shares, and of which classes or images that is not known."""
    if report.mean_deviation is not None and report.max_deviation is not None:
        yield (
            f"Class balance across splits: off by {report.mean_deviation:.2f} percentage points "
            f"on average, {report.max_deviation:.2f} at worst."
        )
    if report.few:
        few = format_count(len(report.few), "class", "classes")
        yield f"Class balance is not told of {few} with fewer than ten images."
    for split, count in report.held_back.items():
        yield (
            f"The annotation of {format_count(count, 'image')} of {split} is held back: no class "
            f"counts them, and how far the classes of the sets are off is not known."
        )


def _describe_groups(plan: ReleasePlan) -> Iterator[str]:
    """How many images are bound to others, and the largest groups of them."""
    groups = plan.notes.groups
    bound = sum(len(group.images) for group in groups)
    number = format_count(len(groups), "group")
    yield f"{bound} images are in {number} that must stay in one split; the largest:"
    for group in groups[:MOST_GROUPS]:
        names = ", ".join(group.images[:3]) + (", ..." if len(group.images) > 3 else "")
        yield f"  {len(group.images)} images by {' and '.join(group.relations)}: {names}"


def _describe_owners(plan: ReleasePlan) -> Iterator[str]:
    """The owners of whom a set would have to be larger than wanted."""
    shared = [image for image in plan.images if image.split in BALANCED]
    owners = Counter(
        photo.owner_name or photo.owner_id
        for image in shared
        for photo in image.row.photos[:1]
        if photo.owner_id
    )
    for owner, count in owners.most_common(MOST_GROUPS):
        share = count / len(shared)
        if share > min(filter(None, plan.recipe.shares.values())):
            yield (
                f"{owner} took {count} of {len(shared)} images ({share:.0%}). They must stay "
                "in one set, which makes sets hard to balance; collect more photographs of others."
            )
