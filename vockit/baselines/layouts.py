"""The mean layout: where a part lies in the box of a person, on average."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from vockit.evaluate.layout import Box, LayoutResult, Part
from vockit.format.records import VocBox, VocObject

_LEAST_SHARE = 0.5
"""A part is predicted where more persons than this have it."""
MeanLayout = Sequence[Part]
"""The parts with their places as shares of the person's box."""


def learn_layout(persons: Iterable[VocObject]) -> MeanLayout:
    """The mean layout of persons; of parts of one name, the left one comes first."""
    places: defaultdict[tuple[str, int], list[Box]] = defaultdict(list)
    count = 0
    for person in persons:
        count += 1
        for key, box in _number_parts(person):
            places[key].append(_relate(box, person.box))
    means = [
        (name, _average(boxes))
        for (name, _), boxes in sorted(places.items())
        if len(boxes) > _LEAST_SHARE * count
    ]
    most_frequent = max(places, key=lambda key: len(places[key]), default=None)
    if not means and most_frequent is not None:
        return [(most_frequent[0], _average(places[most_frequent]))]
    return means


def scatter(rng: np.random.Generator, layout: MeanLayout) -> MeanLayout:
    """The same parts in their mean sizes, anywhere in the person's box: what chance gives."""
    scattered: list[Part] = []
    for name, (left, top, right, bottom) in layout:
        width = right - left
        height = bottom - top
        new_left = float(rng.uniform(0, max(1 - width, 0)))
        new_top = float(rng.uniform(0, max(1 - height, 0)))
        scattered.append((name, (new_left, new_top, new_left + width, new_top + height)))
    return scattered


def lay_out(person: VocObject, key: tuple[str, int], layout: MeanLayout) -> LayoutResult:
    """The mean layout in a person's box; large persons are the most certain."""
    left, top, width, height = _frame(person.box)
    parts = tuple(
        (name, (left + x1 * width, top + y1 * height, left + x2 * width, top + y2 * height))
        for name, (x1, y1, x2, y2) in layout
    )
    return LayoutResult(key, float(np.log1p(width * height)), parts)


def _number_parts(person: VocObject) -> Iterator[tuple[tuple[str, int], VocBox]]:
    counts: defaultdict[str, int] = defaultdict(int)
    for part in sorted(person.parts, key=lambda part: (part.name, part.box.xmin)):
        yield (part.name, counts[part.name]), part.box
        counts[part.name] += 1


def _frame(box: VocBox) -> tuple[float, float, float, float]:
    return box.xmin, box.ymin, box.xmax - box.xmin + 1, box.ymax - box.ymin + 1


def _relate(box: VocBox, frame: VocBox) -> Box:
    left, top, width, height = _frame(frame)
    return (
        (box.xmin - left) / width,
        (box.ymin - top) / height,
        (box.xmax - left) / width,
        (box.ymax - top) / height,
    )


def _average(boxes: Sequence[Box]) -> Box:
    left, top, right, bottom = np.mean(boxes, axis=0).tolist()
    return left, top, right, bottom
