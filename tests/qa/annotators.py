"""Synthetic truth, and annotators with given error rates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from catalog.annotated import AnnotatedObject
from catalog.box import Box, clamp
from catalog.states import View
from qa.findings import SeenTwice

CLASSES = ("car", "bus", "cat", "dog", "person")
ALIKE = {"car": "bus", "bus": "car", "cat": "dog", "dog": "cat", "person": "person"}
WIDTH_PX = 500
HEIGHT_PX = 375
COLUMNS = 4
ROWS = 3
VIEWS = tuple(View)
T = TypeVar("T")


@dataclass(frozen=True)
class Slips:
    """How often an annotator slips, as shares of the objects; all independent."""

    missed: float = 0.0
    duplicated: float = 0.0
    confused: float = 0.0
    flipped_view: float = 0.0
    flipped_flag: float = 0.0
    loose: float = 0.0


def make_truth(images: int, rng: np.random.Generator) -> list[tuple[AnnotatedObject, ...]]:
    """Images with one to six objects, each in a separate cell, so that none overlap."""
    truth = []
    for _ in range(images):
        cells = rng.permutation(COLUMNS * ROWS)[: rng.integers(1, 7)].tolist()
        chances = rng.random((len(cells), 6)).tolist()
        placed = enumerate(zip(cells, chances, strict=True), start=1)
        truth.append(tuple(_make_object(number, *each) for number, each in placed))
    return truth


def annotate(
    truth: Sequence[AnnotatedObject], slips: Slips, rng: np.random.Generator
) -> tuple[AnnotatedObject, ...]:
    """What a person with these slips draws of the true objects; the keys stay the same."""
    drawn: list[AnnotatedObject] = []
    for item, chances in zip(truth, rng.random((len(truth), 8)).tolist(), strict=True):
        is_missed, is_doubled, *others = chances
        if is_missed < slips.missed:
            continue
        number = len(drawn) + 1
        drawn.append(_slip(item, number, slips, others))
        if is_doubled < slips.duplicated:
            drawn.append(replace(drawn[-1], key=f"{item.key}-again", number=number + 1))
    return tuple(drawn)


def pair_up(
    truth: Sequence[tuple[AnnotatedObject, ...]],
    first: Slips,
    second: Slips,
    rng: np.random.Generator,
    people: tuple[int, int] = (1, 2),
) -> list[SeenTwice]:
    """Every image by two people, neither seeing the other's work."""
    return [
        SeenTwice(number, *people, annotate(objects, first, rng), annotate(objects, second, rng))
        for number, objects in enumerate(truth, start=1)
    ]


def _make_object(number: int, cell: int, chances: Sequence[float]) -> AnnotatedObject:
    across, down, which, side, cut, hidden = chances
    row, column = divmod(cell, COLUMNS)
    left = column * 120 + 10
    top = row * 120 + 8
    return AnnotatedObject(
        number=number,
        key=f"o{number}",
        class_name=_choose(CLASSES, which),
        box=Box(left, top, left + 60 + int(across * 36), top + 60 + int(down * 36)),
        view=_choose(VIEWS, side),
        truncated=cut < 0.3,
        occluded=hidden < 0.3,
    )


def _slip(
    item: AnnotatedObject, number: int, slips: Slips, chances: Sequence[float]
) -> AnnotatedObject:
    confused, flipped_view, other_view, flipped_flag, loose, tremble = chances
    changed: dict[str, Any] = {}
    if confused < slips.confused:
        changed["class_name"] = ALIKE[item.class_name]
    if flipped_view < slips.flipped_view:
        changed["view"] = _choose([view for view in VIEWS if view != item.view], other_view)
    if flipped_flag < slips.flipped_flag:
        changed["truncated"] = not item.truncated
    grow_px = 12 if loose < slips.loose else int(tremble * 2)
    xmin, ymin, xmax, ymax = item.box.xyxy
    corners = (xmin - grow_px, ymin - grow_px, xmax + grow_px, ymax + grow_px)
    return replace(item, number=number, box=clamp(corners, WIDTH_PX, HEIGHT_PX), **changed)


def _choose(choices: Sequence[T], chance: float) -> T:
    return choices[int(chance * len(choices))]
