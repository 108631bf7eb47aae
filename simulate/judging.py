"""What a simulated checker decides about a revision, knowing the truth."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from catalog.box import Box, overlap
from catalog.states import Verdict, View

from .photographs.known import KnownObject

SAME_OBJECT_OVERLAP = 0.5
TIGHT_ENOUGH_OVERLAP = 0.85

Json = dict[str, Any]


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reasons; `fixed` are the objects as they should be, else empty."""

    verdict: Verdict
    comment: str = ""
    fixed: tuple[Json, ...] = ()


def judge(truth: tuple[KnownObject, ...], drawn: list[Json]) -> Judgement:
    """Returned where an object is missing or too many, fixed where one is wrong, else accepted."""
    pairs = match(truth, drawn)
    missing = [truth[index].name for index in range(len(truth)) if index not in pairs]
    if missing:
        return Judgement(Verdict.RETURNED, f"Please add what is missing: {', '.join(missing)}.")
    if len(pairs) < len(drawn):
        return Judgement(Verdict.RETURNED, "There are more boxes than objects.")
    fixed = tuple(fix(truth[index], drawn[pairs[index]]) for index in sorted(pairs))
    in_order = tuple(sorted(fixed, key=lambda item: _position(drawn, item)))
    if in_order == tuple(drawn):
        return Judgement(Verdict.ACCEPT)
    return Judgement(Verdict.MENDED, "Fixed views, flags and boxes.", in_order)


def judge_finding(finding: Json, truth: tuple[KnownObject, ...]) -> str | None:
    """Whether a finding is "right" or "wrong"; None where the truth does not tell."""
    if finding["check"] == "short_time":
        return "right"
    place = find_place(finding["object_key"] or "")
    if place is None or place >= len(truth):
        return None
    known = truth[place]
    is_right = {
        "view_missing": known.view is not View.UNSPECIFIED,
        "border_not_truncated": known.truncated,
        "truncated_inside": not known.truncated,
    }.get(finding["check"])
    return None if is_right is None else "right" if is_right else "wrong"


def find_place(object_key: str) -> int | None:
    """Which of the true objects a simulated person named so, or None for another's name."""
    found = re.fullmatch(r"sim-\d+-(\d+)", object_key)
    return int(found[1]) - 1 if found else None


def match(truth: tuple[KnownObject, ...], drawn: list[Json]) -> dict[int, int]:
    """Which drawn object each true one is, by index, the best overlaps of one class first."""
    overlaps = sorted(
        (
            (overlap(known.box, Box(*item["box"])), number, index)
            for number, known in enumerate(truth)
            for index, item in enumerate(drawn)
            if item["class"] == known.name
        ),
        reverse=True,
    )
    pairs: dict[int, int] = {}
    for share, number, index in overlaps:
        if share >= SAME_OBJECT_OVERLAP and number not in pairs and index not in pairs.values():
            pairs[number] = index
    return pairs


def fix(known: KnownObject, drawn: Json) -> Json:
    """The drawn object with its flags as they are, and its box where that was not tight."""
    is_tight = overlap(known.box, Box(*drawn["box"])) >= TIGHT_ENOUGH_OVERLAP
    return drawn | {
        "box": drawn["box"] if is_tight else list(known.box.xyxy),
        "view": known.view.value,
        "truncated": known.truncated,
        "occluded": known.occluded,
    }


def _position(drawn: list[Json], item: Json) -> int:
    return [found["key"] for found in drawn].index(item["key"])
