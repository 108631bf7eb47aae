"""Classification and action: a list of items with labels, ranked by confidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .curves import Curve, Floats, Ints, Judged, Rules, draw_curve, rank


def ranking(labels: NDArray[np.int_], confidences: Floats, rules: Rules = Rules.VOC2012) -> Curve:
    """The curve of one class (VOCevalcls.m, VOCevalaction.m).

    `labels` are 1, 0 (difficult: counts neither way) or -1. An item without a result has the
    confidence -inf; it is ranked all the same, so recall always reaches 1.

    >>> import numpy as np
    >>> ranking(np.array([1, -1, 1]), np.array([0.9, 0.8, 0.7])).ap
    0.8333333333333333
    """
    images = np.arange(len(labels))
    return draw_curve(judge_items(labels, confidences, images), rules)


def judge_items(labels: NDArray[np.int_], confidences: Floats, images: Ints) -> Judged:
    """Each listed item in rank order: right, wrong or neither; `images` are those of the items."""
    order = rank(confidences)
    ranked = labels[order]
    return Judged(images[order], ranked > 0, ranked < 0, images[labels > 0])


def roc(labels: NDArray[np.int_], confidences: Floats) -> tuple[Floats, Floats]:
    """False and true positive rates, from (0, 0) to (1, 1); equal confidences are one step."""
    kept = labels != 0
    ranked, scores = labels[kept], confidences[kept]
    order = rank(scores)
    ranked, scores = ranked[order], scores[order]
    ends = np.append(scores[1:] != scores[:-1], True)
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.cumsum(ranked > 0)[ends] / np.count_nonzero(ranked > 0)
        wrong = np.cumsum(ranked < 0)[ends] / np.count_nonzero(ranked < 0)
    return np.concatenate(([0.0], wrong)), np.concatenate(([0.0], right))


def area_under_roc(false_rates: Floats, true_rates: Floats) -> float:
    """The area under the ROC curve, 0 to 1."""
    return float(np.trapezoid(true_rates, false_rates))


def equal_error_rate(false_rates: Floats, true_rates: Floats) -> float:
    """The accuracy where false positives and false negatives are equally frequent, 0 to 1.

    VOC2005 printed the EER this way, as the true positive rate at that point.
    """
    gap = true_rates + false_rates - 1
    if np.isnan(gap).any():
        return float("nan")
    after = int(np.argmax(gap >= 0))
    before = max(after - 1, 0)
    span = gap[after] - gap[before]
    share = 0.0 if span == 0 else -gap[before] / span
    return float(true_rates[before] + share * (true_rates[after] - true_rates[before]))
