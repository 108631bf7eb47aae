"""Precision, recall and average precision, as the development kits compute them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""MATLAB's 0:0.1:1 to the last bit; k * 0.1 would lose points at recall 6/10 and 7/10."""


class Rules(StrEnum):
    """The kit whose rules hold; those of 2008 and 2009 have the AP of 2007, all else is of 2012."""

    VOC2007 = "2007"
    VOC2008 = "2008"
    VOC2012 = "2012"


@dataclass(frozen=True)
class Judged:
    """Rows of one class in rank order; image numbers, one for each row and for each positive."""

    images: Ints
    is_right: Flags
    is_wrong: Flags
    positives: Ints

    @property
    def is_counted(self) -> Flags:
        """Which rows are right or wrong; the others count neither way."""
        return self.is_right | self.is_wrong


@dataclass(frozen=True)
class Curve:
    """Recall and precision after each ranked row, average precision, and count of positives."""

    recall: Floats
    precision: Floats
    ap: float
    npos: int


def rank(confidences: Floats) -> Ints:
    """The rows by descending confidence; equal ones keep their order, NaN comes last."""
    return np.argsort(-confidences, kind="stable")


def draw_curve(judged: Judged, rules: Rules) -> Curve:
    """The curve of judged rows; a row may be neither right nor wrong."""
    npos = len(judged.positives)
    right = np.cumsum(judged.is_right, dtype=np.float64)
    wrong = np.cumsum(judged.is_wrong, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        recall = right / npos
        precision = right / (right + wrong)
    average = area_ap if rules is Rules.VOC2012 else eleven_point_ap
    return Curve(recall, precision, average(recall, precision), npos)


def area_ap(recall: Floats, precision: Floats) -> float:
    """The area under the curve, made monotone (VOCap.m, 2010); NaN without positives, 0 empty."""
    recalls = np.concatenate(([0.0], recall, [1.0]))
    precisions = np.concatenate(([0.0], precision, [0.0]))
    highest = np.fmax.accumulate(precisions[::-1])[::-1]  # fmax skips NaN, as MATLAB's max does
    steps = np.flatnonzero(recalls[1:] != recalls[:-1]) + 1
    return float(np.sum((recalls[steps] - recalls[steps - 1]) * highest[steps]))


def eleven_point_ap(recall: Floats, precision: Floats) -> float:
    """The mean of the best precisions at eleven recalls (the kits of 2007 to 2009)."""
    total = 0.0
    for point in ELEVEN_POINTS:
        reaching = precision[recall >= point]
        if len(reaching):
            total += float(np.fmax.reduce(reaching)) / 11  # fmax skips NaN unless all are
    return total


def average(values: Iterable[float]) -> float:
    """The mean of the values that are numbers; NaN without any."""
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan
