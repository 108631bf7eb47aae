"""How a simulated person draws: the known objects, with the slips that people make.

The share of each slip is known, so that what checking finds can be held against it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from catalog.box import Box, clamp
from catalog.states import View

from .photographs.known import KnownObject

TYPICAL_DRAWN_SECS = 7.0  # a box by staff annotators, Open Images V4 and extreme clicking
HURRIED_SECS = 0.4  # less than anybody needs for an image
SECOND_TIME_PX = 3  # how far an edge is off when an object is drawn a second time


@dataclass(frozen=True)
class Habits:
    """How often a person slips, as shares of the objects, and how far a hand trembles.

    Who is stubborn sends returned work back as it was.
    """

    miss: float = 0.0
    loose: float = 0.0
    wrong_view: float = 0.0
    no_view: float = 0.0
    forgotten_flag: float = 0.0
    duplicate: float = 0.0
    tremble_px: int = 0
    is_hurried: bool = False
    is_stubborn: bool = False


CAREFUL = Habits(tremble_px=1)
HASTY = Habits(
    miss=0.12,
    loose=0.15,
    wrong_view=0.05,
    no_view=0.1,
    forgotten_flag=0.1,
    duplicate=0.05,
    tremble_px=2,
)
NEW = Habits(no_view=1, forgotten_flag=1, duplicate=1, tremble_px=2)
HURRIED = Habits(tremble_px=1, is_hurried=True)
STUBBORN = Habits(duplicate=1, tremble_px=1, is_stubborn=True)


def draw_objects(
    truth: tuple[KnownObject, ...], habits: Habits, size_wh: tuple[int, int], rng: random.Random
) -> dict[int, KnownObject]:
    """What a person with these habits draws of the true objects, by their places: one at least."""
    seen = [place for place in range(len(truth)) if rng.random() >= habits.miss] or [0]
    return {place: _slip(truth[place], habits, size_wh, rng) for place in seen}


def draw_again(
    drawn: dict[int, KnownObject], habits: Habits, size_wh: tuple[int, int], rng: random.Random
) -> dict[int, KnownObject]:
    """Those drawn objects that a person with these habits draws a second time, by their places."""
    again = [place for place in drawn if rng.random() < habits.duplicate]
    return {
        place: replace(drawn[place], box=_tremble(drawn[place].box, SECOND_TIME_PX, size_wh, rng))
        for place in again
    }


def _slip(
    item: KnownObject, habits: Habits, size_wh: tuple[int, int], rng: random.Random
) -> KnownObject:
    box = _tremble(item.box, habits.tremble_px, size_wh, rng)
    if rng.random() < habits.loose:
        box = _loosen(box, size_wh)
    if rng.random() < habits.wrong_view:
        item = replace(item, view=rng.choice([view for view in View if view != item.view]))
    if rng.random() < habits.no_view:
        item = replace(item, view=View.UNSPECIFIED)
    if rng.random() < habits.forgotten_flag:
        item = replace(item, truncated=False, occluded=False)
    return replace(item, box=box)


def _tremble(box: Box, most_px: int, size_wh: tuple[int, int], rng: random.Random) -> Box:
    """The box with its inner edges moved a little; an edge on the border stays there."""
    width_px, height_px = size_wh
    borders = (1, 1, width_px, height_px)
    edges = [
        edge if edge == border else edge + rng.randint(-most_px, most_px)
        for edge, border in zip(box.xyxy, borders, strict=True)
    ]
    if edges[0] >= edges[2] or edges[1] >= edges[3]:
        return box
    return clamp((edges[0], edges[1], edges[2], edges[3]), width_px, height_px)


def _loosen(box: Box, size_wh: tuple[int, int]) -> Box:
    across, down = box.width_px // 6 + 3, box.height_px // 6 + 3
    wide = (box.xmin - across, box.ymin - down, box.xmax + across, box.ymax + down)
    return clamp(wide, *size_wh)


def draw_secs(rng: random.Random) -> float:
    """How long a simulated person takes for one box, in seconds."""
    return round(rng.lognormvariate(0, 0.4) * TYPICAL_DRAWN_SECS, 1)
