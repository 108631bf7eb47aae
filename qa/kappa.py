"""Agreement beyond chance of two people who named the same objects."""

from __future__ import annotations

import numpy as np

from .bootstrap import Array


def cohen_kappa(tables: Array) -> Array:
    """Cohen's kappa of each of many tables (last two axes: the first's word, the second's).

    NaN for an empty table and where both used one and the same word only, so that chance alone
    explains everything. J. Cohen, Educational and Psychological Measurement 20 (1960).
    """
    total = tables.sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.trace(tables, axis1=-2, axis2=-1) / total
        expected = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1) / total**2
        kappa = (observed - expected) / (1 - expected)
    return np.asarray(np.where((total > 0) & (expected < 1 - 1e-12), kappa, np.nan))


def krippendorff_alpha(tables: Array) -> Array:
    """Krippendorff's alpha for words without order, of two people each, of each of many tables.

    Unlike kappa it does not ask who said what, so tables of many pairs of people may be added. NaN
    where kappa is. K. Krippendorff, Computing Krippendorff's alpha-reliability (2011), section B.
    """
    coincidences = tables + np.swapaxes(tables, -2, -1)
    words = coincidences.sum(axis=-1)
    count = words.sum(axis=-1)
    disagreed = count - np.trace(coincidences, axis1=-2, axis2=-1)
    by_chance = count**2 - (words**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = 1 - (count - 1) * disagreed / by_chance
    return np.asarray(np.where(by_chance > 0, alpha, np.nan))
