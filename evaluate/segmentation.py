"""Segmentation: pixels of truth and result counted by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .curves import Floats, Rules

_LABELS = 256

Counts = NDArray[np.int64]
Labels = NDArray[np.uint8]


@dataclass(frozen=True)
class Segmentation:
    """Accuracies in percent for background and each class, their mean, and the pixel counts.

    `confusion` has a row for each class of the truth and a column for each of the result.
    """

    accuracies: Floats
    mean: float
    confusion: Counts


def count_confusion(truth: Labels, result: Labels, classes: int) -> Counts:
    """Pixels by true and resulting label (0 is background) of one image, without void.

    >>> import numpy as np
    >>> count_confusion(np.array([[0, 1, 255]], np.uint8), np.array([[0, 0, 1]], np.uint8), 1)
    array([[1, 0],
           [1, 0]])
    """
    pairs = truth.astype(np.uint16)
    pairs <<= 8
    pairs |= result
    flat = pairs.ravel()
    ends = np.append(np.flatnonzero(flat[1:] != flat[:-1]), flat.size - 1)  # of runs of one pair
    lengths = np.diff(ends, prepend=-1)
    table = np.bincount(flat[ends], lengths, _LABELS * _LABELS).reshape(_LABELS, _LABELS)
    return table[: classes + 1, : classes + 1].astype(np.int64)


def segmentation(confusion: Counts, rules: Rules = Rules.VOC2012) -> Segmentation:
    """The accuracy of each class (VOCevalseg.m): intersection over union since 2008.

    By the rules of 2007 it is the share of the class's true pixels that were found, 0 if it has
    none. A class in neither truth nor result is NaN, and makes the kit's mean NaN.

    >>> import numpy as np
    >>> segmentation(np.array([[8, 2], [0, 10]])).accuracies.round(2).tolist()
    [80.0, 83.33]
    """
    found = np.diag(confusion).astype(np.float64)
    true, given = confusion.sum(axis=1), confusion.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if rules is Rules.VOC2007:
            accuracies = np.where(true > 0, 100 * found / true, 0.0)
        else:
            accuracies = 100 * found / (true + given - found)
    return Segmentation(accuracies, float(np.mean(accuracies)), confusion)
