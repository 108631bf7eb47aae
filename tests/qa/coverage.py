"""How often the intervals of agreement and of error rates hold the truth, over many seeds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product

import numpy as np
from numpy.typing import NDArray

from qa.agreement import GroupAgreement, measure_people
from qa.corrections import CheckedWork, Slip, measure_errors
from qa.intervals import Interval
from qa.matching import match_pairs

from .annotators import CLASSES, Slips, annotate, make_truth, pair_up

LEVEL = 0.95
ROUNDS = 300
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
FIRST = Slips(missed=0.1, flipped_view=0.08, flipped_flag=0.06, loose=0.15)
SECOND = Slips(missed=0.2, flipped_view=0.15, flipped_flag=0.03, loose=0.3)
CONFUSED = Slips(missed=0.1, confused=0.05), Slips(missed=0.2, confused=0.02)
"""Boxes of one object that differ in class are told as one where they are not loose too."""
CHECKED = Slips(0.1, 0.05, 0.06, 0.08, 0.04, loose=0.15)


@dataclass(frozen=True)
class Coverage:
    """A truth, the mean of its estimates, and the share of their intervals that hold it."""

    truth: float
    mean: float
    held: float
    seeds: int

    @property
    def is_nominal(self) -> bool:
        """Whether the share is the intervals' own, but for chance that comes once in 100 times."""
        return abs(self.held - LEVEL) <= 2.58 * math.sqrt(LEVEL * (1 - LEVEL) / self.seeds)


def cover_agreement(*, images: int, seeds: int) -> dict[str, Coverage]:
    """Of two people who annotated so many images both, by figure."""
    found: dict[str, list[Interval]] = defaultdict(list)
    for seed in range(seeds):
        rng = np.random.default_rng([1, seed])
        truth = make_truth(images, rng)
        for people, is_of_class in (((FIRST, SECOND), False), (CONFUSED, True)):
            pairs = pair_up(truth, *people, rng)
            [pair] = measure_people(match_pairs(pairs, CLASSES, least_overlap=0.3), rounds=ROUNDS)
            for name, interval in _name_figures(pair).items():
                if ("class" in name) is is_of_class:
                    found[name].append(interval)
    return _cover(agreement_truths(), found)


def cover_errors(*, images: int, seeds: int) -> dict[str, Coverage]:
    """Of one person of whom a checker who sees everything looked at so many images, by slip."""
    found: dict[str, list[Interval]] = defaultdict(list)
    for seed in range(seeds):
        rng = np.random.default_rng([2, seed])
        truth = make_truth(images, rng)
        work = [
            CheckedWork(1, 1, 9, NOON, annotate(objects, CHECKED, rng), objects)
            for objects in truth
        ]
        for slip, interval in measure_errors(work, rounds=ROUNDS).rates.items():
            found[slip.value].append(interval)
    return _cover({slip.value: share for slip, share in error_truths(CHECKED).items()}, found)


def agreement_truths() -> dict[str, float]:
    """What the figures of FIRST and SECOND would be over all images that there could be."""
    view = _agree_by_chance(FIRST.flipped_view, SECOND.flipped_view, 5)
    # a person is never taken for anything else here, one class of five
    confused = _agree_by_chance(CONFUSED[0].confused, CONFUSED[1].confused, 2)
    flag = _agree_by_chance(FIRST.flipped_flag, SECOND.flipped_flag, 2)
    says = [0.3 * (1 - one.flipped_flag) + 0.7 * one.flipped_flag for one in (FIRST, SECOND)]
    alike = says[0] * says[1] + (1 - says[0]) * (1 - says[1])
    either_says = sum(says) / 2
    seen = 1 - FIRST.missed, 1 - SECOND.missed
    return {
        "both have": seen[0] * seen[1] / (1 - FIRST.missed * SECOND.missed),
        **_overlap_truths(FIRST.loose, SECOND.loose),
        "same view": view,
        "view, kappa": _kappa_of(view, 0.2),
        "view, alpha": _kappa_of(view, 0.2),
        "same truncated": flag,
        "truncated, kappa": _kappa_of(flag, alike),
        "truncated, alpha": _kappa_of(flag, either_says**2 + (1 - either_says) ** 2),
        "same class": 0.2 + 0.8 * confused,
        "class, kappa": confused,
        "class, alpha": confused,
    }


def error_truths(slips: Slips) -> dict[Slip, float]:
    """The rates of a person with these slips; of five classes one looks like no other."""
    seen = 1 - slips.missed
    return {
        Slip.MISSED: slips.missed,
        Slip.EXTRA: slips.duplicated / (1 + slips.duplicated),
        Slip.CLASS: seen * slips.confused * 0.8,
        Slip.VIEW: seen * slips.flipped_view,
        Slip.TRUNCATED: seen * slips.flipped_flag,
        Slip.BOX: seen * slips.loose,
    }


def _cover(truths: Mapping[str, float], found: Mapping[str, list[Interval]]) -> dict[str, Coverage]:
    return {
        name: Coverage(
            truth,
            float(np.mean([one.value for one in found[name]])),
            sum(one.holds(truth) for one in found[name]) / len(found[name]),
            len(found[name]),
        )
        for name, truth in truths.items()
    }


def _name_figures(pair: GroupAgreement) -> dict[str, Interval]:
    figures = {
        "both have": pair.both,
        "mean overlap": pair.mean_overlap,
        "overlap by 0.7 or more": pair.over_70,
    }
    for field in pair.fields:
        assert field.kappa is not None
        figures |= {
            f"same {field.field}": field.share,
            f"{field.field}, kappa": field.kappa,
            f"{field.field}, alpha": field.alpha,
        }
    return figures


def _agree_by_chance(first: float, second: float, words: int) -> float:
    """How often two say the same who each err so often, to any other word equally."""
    return (1 - first) * (1 - second) + first * second / (words - 1)


def _kappa_of(agreed: float, by_chance: float) -> float:
    return (agreed - by_chance) / (1 - by_chance)


def _overlap_truths(first_loose: float, second_loose: float) -> dict[str, float]:
    """The mean overlap and the share above 0.7, over every size, place and way to draw.

    Loose boxes grow 12 pixels on every side; at the left and the upper edge of the image there is
    room for 9 and 7, in a quarter and a third of the places.
    """
    mean, over_70 = 0.0, 0.0
    for first, second in product((0, 1, 12), repeat=2):
        drawn = _chance_to_grow(first, first_loose) * _chance_to_grow(second, second_loose)
        for (left, left_share), (top, top_share) in product(
            ((9, 1 / 4), (12, 3 / 4)), ((7, 1 / 3), (12, 2 / 3))
        ):
            small, large = (_areas(grow, left, top) for grow in sorted((first, second)))
            chance = drawn * left_share * top_share
            mean += chance * float((small / large).mean())
            over_70 += chance * float((small / large >= 0.7).mean())
    return {"mean overlap": mean, "overlap by 0.7 or more": over_70}


def _areas(grow_px: int, left_px: int, top_px: int) -> NDArray[np.int64]:
    """The areas of boxes of every size, grown as far as there is room to the left and the top."""
    sides = np.arange(61, 97)
    return np.multiply.outer(
        sides + grow_px + min(grow_px, left_px), sides + grow_px + min(grow_px, top_px)
    )


def _chance_to_grow(grow_px: int, loose: float) -> float:
    return loose if grow_px == 12 else (1 - loose) / 2
