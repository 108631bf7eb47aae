"""How simulated people draw and check: they know the truth and slip at known rates.

Their outlines are proposed ones, or round within the box by a shaking hand.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from catalog.box import Box, clamp, overlap
from catalog.states import Verdict, View
from qa.matching import assign, overlap_matrix
from vockit.format.rings import fill, unpack_rings
from work.segment.drawings import MOST_DIFFERENCE

from .party_client import Json
from .photographs.known import KnownObject

TYPICAL_DRAWN_SECS = 7.0  # a box by staff annotators, Open Images V4 and extreme clicking
TYPICAL_JUDGED_SECS = 2.4  # a box that is offered, in five answers, CVPR 2016
HURRIED_SECS = 0.4  # less than anybody needs for an image
SECOND_TIME_PX = 3  # how far an edge is off when an object is drawn a second time


@dataclass(frozen=True)
class Habits:
    """How often a person slips, as shares of the objects; the stubborn return work unchanged.

    Who `accepts_all` makes an object of each suggestion and looks for nothing else.
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
    accepts_all: bool = False


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
GULLIBLE = Habits(tremble_px=1, accepts_all=True)
STUBBORN = Habits(duplicate=1, tremble_px=1, is_stubborn=True)


def draw_objects(
    truth: tuple[KnownObject, ...], habits: Habits, size_wh: tuple[int, int], rng: random.Random
) -> dict[int, KnownObject]:
    """What a person with these habits draws of the true objects, by their places: one at least."""
    seen = [place for place in range(len(truth)) if rng.random() >= habits.miss] or [0]
    drawn = {}
    for place in seen:
        item = truth[place]
        box = _tremble(item.box, habits.tremble_px, size_wh, rng)
        if rng.random() < habits.loose:
            across = box.width_px // 6 + 3
            down = box.height_px // 6 + 3
            wide = (box.xmin - across, box.ymin - down, box.xmax + across, box.ymax + down)
            box = clamp(wide, *size_wh)
        if rng.random() < habits.wrong_view:
            item = replace(item, view=rng.choice([view for view in View if view != item.view]))
        if rng.random() < habits.no_view:
            item = replace(item, view=View.UNSPECIFIED)
        if rng.random() < habits.forgotten_flag:
            item = replace(item, truncated=False, occluded=False)
        drawn[place] = replace(item, box=box)
    return drawn


def draw_again(
    drawn: dict[int, KnownObject], habits: Habits, size_wh: tuple[int, int], rng: random.Random
) -> dict[int, KnownObject]:
    """Those drawn objects that a person with these habits draws a second time, by their places."""
    again = [(at, item) for at, item in drawn.items() if rng.random() < habits.duplicate]
    return {
        at: replace(item, box=_tremble(item.box, SECOND_TIME_PX, size_wh, rng))
        for at, item in again
    }


def _tremble(box: Box, most_px: int, size_wh: tuple[int, int], rng: random.Random) -> Box:
    """The box with its inner edges moved a little; an edge on the border stays there."""
    xmin, ymin, xmax, ymax = (
        edge if edge == border else edge + rng.randint(-most_px, most_px)
        for edge, border in zip(box.xyxy, (1, 1, *size_wh), strict=True)
    )
    is_box = xmin < xmax and ymin < ymax
    return clamp((xmin, ymin, xmax, ymax), *size_wh) if is_box else box


def accept_all(suggestions: list[Json]) -> list[Json]:
    """An object of each suggestion, as it is."""
    return [
        {
            "key": f"suggested-{item['id']}",
            "suggestion_id": item["id"],
            "class": item["class"],
            "box": item["box"],
            "view": View.UNSPECIFIED,
            "truncated": False,
            "occluded": False,
            "drawn_secs": TYPICAL_JUDGED_SECS,
        }
        for item in suggestions
    ]


def draw_secs(rng: random.Random) -> float:
    """How long a simulated person takes for one box, in seconds."""
    return round(rng.lognormvariate(0, 0.4) * TYPICAL_DRAWN_SECS, 1)


SAME_OBJECT_OVERLAP = 0.5
TIGHT_ENOUGH_OVERLAP = 0.85


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reasons; `fixed` are the objects as they should be, else empty."""

    verdict: Verdict
    comment: str = ""
    fixed: tuple[Json, ...] = ()


def judge(truth: tuple[KnownObject, ...], drawn: list[Json]) -> Judgement:
    """Returned where an object is missing or too many, fixed where one is wrong, else accepted."""
    # which drawn object each true one is: both have one class and overlap by half
    overlaps = overlap_matrix([item.box for item in truth], [Box(*item["box"]) for item in drawn])
    is_same = [[item["class"] == known.name for item in drawn] for known in truth]
    fits = np.array(is_same, bool).reshape(overlaps.shape) & (overlaps >= SAME_OBJECT_OVERLAP)
    pairs = dict(assign(overlaps, fits))
    missing = [truth[index].name for index in range(len(truth)) if index not in pairs]
    if missing:
        return Judgement(Verdict.RETURNED, f"Please add what is missing: {', '.join(missing)}.")
    if len(pairs) < len(drawn):
        return Judgement(Verdict.RETURNED, "There are more boxes than objects.")
    truth_of = {place: truth[index] for index, place in pairs.items()}
    fixed = tuple(fix(truth_of[place], item) for place, item in enumerate(drawn))
    if fixed == tuple(drawn):
        return Judgement(Verdict.ACCEPT)
    return Judgement(Verdict.FIXED, "Fixed views, flags and boxes.", fixed)


def judge_finding(finding: Json, truth: tuple[KnownObject, ...]) -> str | None:
    """Whether a finding is "right" or "wrong"; None where the truth does not tell."""
    if finding["check"] == "short_time":
        return "right"
    named = re.fullmatch(r"sim-\d+-(\d+)", finding["object_key"] or "")  # by a simulated person
    if named is None or int(named[1]) > len(truth):
        return None
    known = truth[int(named[1]) - 1]
    is_right = {
        "view_missing": known.view != View.UNSPECIFIED,
        "border_not_truncated": known.truncated,
        "truncated_inside": not known.truncated,
    }.get(finding["check"])
    return None if is_right is None else "right" if is_right else "wrong"


def fix(known: KnownObject, drawn: Json) -> Json:
    """The drawn object with its flags as they are, and its box where that was not tight."""
    is_tight = overlap(known.box, Box(*drawn["box"])) >= TIGHT_ENOUGH_OVERLAP
    return drawn | {
        "box": drawn["box"] if is_tight else list(known.box.xyxy),
        "view": known.view,
        "truncated": known.truncated,
        "occluded": known.occluded,
    }


Propose = Callable[[str], list[list[int]]]
"""Asks for the flat rings of the object of this key."""

CORNERS = 24
_BULGE = 0.7  # 1 is an ellipse, 0 the box
_SHAKE_PX = 1.5
_SECS = (15.0, 45.0)
_LEAST_SHARE = 0.3
_MOST_SHARE = 0.97
"""Of its box that a proposal has to fill to be believed."""


def draw_outline(box: list[int], size_wh: tuple[int, int], rng: random.Random) -> list[int]:
    """A flat ring around what is in a VOC box, in an image of this size."""
    xmin, ymin, xmax, ymax = box
    ring = []
    for number in range(CORNERS):
        angle = 2 * math.pi * number / CORNERS
        for turn, low, high, most in (
            (math.cos(angle), xmin - 1, xmax, size_wh[0]),
            (math.sin(angle), ymin - 1, ymax, size_wh[1]),
        ):
            reach = math.copysign(abs(turn) ** _BULGE, turn) * (high - low) / 2
            place = round((low + high) / 2 + reach + rng.uniform(-_SHAKE_PX, _SHAKE_PX))
            ring.append(min(max(place, 0), most))
    return ring


def fits(rings: list[list[int]], box: list[int]) -> bool:
    """Whether a proposal is taken: it reaches all sides of the box, and fills a good part of it."""
    corners = [corner for ring in unpack_rings(rings) for corner in ring]
    (left, right), (top, bottom) = (
        (min(values), max(values)) for values in zip(*corners, strict=True)
    )
    xmin, ymin, xmax, ymax = box
    off_x = max(abs(left - xmin + 1), abs(right - xmax)) / (xmax - xmin + 1)
    off_y = max(abs(top - ymin + 1), abs(bottom - ymax)) / (ymax - ymin + 1)
    area = (xmax - xmin + 1) * (ymax - ymin + 1)
    share = int(fill(unpack_rings(rings), right, bottom).sum()) / area
    return max(off_x, off_y) <= MOST_DIFFERENCE and _LEAST_SHARE < share < _MOST_SHARE


def draw_segments(task: Json, propose: Propose, rng: random.Random) -> list[Json]:
    """The segments of a task's objects, proposed where that fits; lower ones are in front."""
    size_wh = task["width"], task["height"]
    objects = sorted(task["annotation"]["objects"], key=lambda item: (item["box"][3], item["key"]))
    segments = []
    for depth, item in enumerate(objects):
        rings = propose(item["key"])
        is_taken = fits(rings, item["box"])
        rings = rings if is_taken else [draw_outline(item["box"], size_wh, rng)]
        spent = {"drawn_secs": round(rng.uniform(*_SECS), 1), "inputs": 2 if is_taken else CORNERS}
        segments.append({"object_key": item["key"], "depth": depth, "rings": rings, **spent})
    return segments
