"""How a release's sets are balanced, and which groups no split could part."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from catalog.states import Split

from .notes import BoundGroup
from .plan import ReleasePlan

NAME = "splits.json"


@dataclass(frozen=True)
class ClassShares:
    """What each set holds of a class, in images and in objects; all images where `name` is None."""

    name: str | None
    images: dict[Split, int]
    objects: dict[Split, int]


@dataclass(frozen=True)
class SplitReport:
    """The shares of all images and of each class; deviations are in points of a share."""

    shares: tuple[ClassShares, ...]
    mean_deviation: float
    max_deviation: float


def report_splits(plan: ReleasePlan) -> SplitReport:
    """What the sets of the release hold, and by how much that is off what they should hold."""
    shares = tuple(_count(plan))
    points = [
        100 * abs(held[split] / total - wanted)
        for row in shares[1:]
        for held in (row.images, row.objects)
        if (total := sum(held.values()))
        for split, wanted in plan.recipe.shares.items()
    ]
    mean = sum(points) / len(points) if points else 0.0
    return SplitReport(shares, round(mean, 3), round(max(points, default=0.0), 3))


def format_splits(plan: ReleasePlan) -> str:
    """The report's text: one JSON document with a line for each class and each group."""
    report = report_splits(plan)
    head = {
        "wanted": {split.value: share for split, share in plan.recipe.shares.items()},
        "mean_deviation_points": report.mean_deviation,
        "max_deviation_points": report.max_deviation,
    }
    classes = ",\n".join(
        json.dumps({"class": row.name, "images": row.images, "objects": row.objects})
        for row in report.shares
    )
    split_of = {image.public_id: image.split.value for image in plan.images}
    groups = ",\n".join(json.dumps(_group(group, split_of)) for group in plan.notes.groups)
    opened = json.dumps(head).removesuffix("}")
    return f'{opened}, "classes": [\n{classes}\n], "groups": [\n{groups}\n]}}\n'


def _group(group: BoundGroup, split_of: Mapping[str, str]) -> dict[str, object]:
    set_name = split_of[group.images[0]]
    return {"set": set_name, "bound_by": list(group.relations), "images": list(group.images)}


def _count(plan: ReleasePlan) -> Iterator[ClassShares]:
    shown: dict[Split, list[str | None]] = {split: [] for split in Split}
    drawn: dict[Split, list[str | None]] = {split: [] for split in Split}
    for image in plan.images:
        names = [item.class_name for item in image.row.objects]
        shown[image.split] += {None, *names}
        drawn[image.split] += names
    images = {split: Counter(names) for split, names in shown.items()}
    objects = {split: Counter(names) for split, names in drawn.items()}
    for split, of_set in drawn.items():
        objects[split][None] = len(of_set)
    for class_name in (None, *plan.recipe.classes):
        if class_name is None or any(images[split][class_name] for split in Split):
            yield ClassShares(
                class_name,
                {split: images[split][class_name] for split in Split},
                {split: objects[split][class_name] for split in Split},
            )
