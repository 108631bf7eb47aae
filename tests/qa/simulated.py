"""Synthetic truth, and annotators who slip as often as they are told to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from catalog.box import Box, clamp
from catalog.states import View
from qa.subjects import CheckedObject, SeenTwice

CLASSES = ("car", "bus", "cat", "dog", "person")
ALIKE = {"car": "bus", "bus": "car", "cat": "dog", "dog": "cat", "person": "person"}
WIDTH_PX, HEIGHT_PX = 500, 375
COLUMNS, ROWS = 4, 3


@dataclass(frozen=True)
class Slips:
    """How often an annotator slips, as shares of the objects; all independent."""

    missed: float = 0.0
    duplicated: float = 0.0
    confused: float = 0.0
    flipped_view: float = 0.0
    flipped_flag: float = 0.0
    loose: float = 0.0


def make_truth(images: int, rng: np.random.Generator) -> list[tuple[CheckedObject, ...]]:
    """Images with one to six objects, each in a cell of its own, so that none overlap."""
    truth = []
    for _ in range(images):
        cells = rng.permutation(COLUMNS * ROWS)[: rng.integers(1, 7)]
        truth.append(
            tuple(_make_object(number, int(cell), rng) for number, cell in enumerate(cells, 1))
        )
    return truth


def annotate(
    truth: Sequence[CheckedObject], slips: Slips, rng: np.random.Generator
) -> tuple[CheckedObject, ...]:
    """What a person with these slips draws of the true objects, keys as they are in the truth."""
    drawn: list[CheckedObject] = []
    for item in truth:
        if rng.random() < slips.missed:
            continue
        drawn.append(_slip(item, slips, rng))
        if rng.random() < slips.duplicated:
            drawn.append(replace(drawn[-1], key=f"{item.key}-again"))
    return tuple(replace(item, number=number) for number, item in enumerate(drawn, start=1))


def pair_up(
    truth: Sequence[tuple[CheckedObject, ...]],
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


def _make_object(number: int, cell: int, rng: np.random.Generator) -> CheckedObject:
    row, column = divmod(cell, COLUMNS)
    left, top = column * 120 + 10, row * 120 + 8
    width, height = rng.integers(60, 96), rng.integers(60, 96)
    return CheckedObject(
        number=number,
        key=f"o{number}",
        class_name=CLASSES[rng.integers(0, len(CLASSES))],
        box=Box(left, top, int(left + width), int(top + height)),
        view=tuple(View)[rng.integers(0, 5)],
        truncated=bool(rng.random() < 0.3),
        occluded=bool(rng.random() < 0.3),
    )


def _slip(item: CheckedObject, slips: Slips, rng: np.random.Generator) -> CheckedObject:
    if rng.random() < slips.confused:
        item = replace(item, class_name=ALIKE[item.class_name])
    if rng.random() < slips.flipped_view:
        others = [view for view in View if view is not item.view]
        item = replace(item, view=others[rng.integers(0, len(others))])
    if rng.random() < slips.flipped_flag:
        item = replace(item, truncated=not item.truncated)
    grow_px = 12 if rng.random() < slips.loose else int(rng.integers(0, 2))
    xmin, ymin, xmax, ymax = item.box.xyxy
    corners = (xmin - grow_px, ymin - grow_px, xmax + grow_px, ymax + grow_px)
    return replace(item, box=clamp(corners, WIDTH_PX, HEIGHT_PX))
