"""Pairs that agree as they lie, once the one was given the other's tones.

Alignment moves what has little to hold it, as leaves before a wall that became white, and of
several guesses it follows the one that seemed best. What is not moved at all agrees by chance far
less; the curve of tones knows no place, so that it cannot make up for that.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dedup.columns import stack_rows, take_rows
from dedup.pairs import Relation
from dedup.signature.views import WHOLE_CODE

from .evidence import Evidence, Guesses, gather_evidence, measure_unmoved
from .pictures import Pictures, Rows
from .tones import match_tones
from .verdicts import LEAST_SIMILARITY_UNMOVED, is_copy_unmoved, judge

MOST_UNLIKE_SHAPES = 0.02
"""Logarithm of the ratio: that much is a pixel more or less of a small copy."""

MOST_UNEXPLAINED = 0.1
"""Two planets leave 0.17, two stamps with other letters 0.10."""


def find_evidence(pictures: Pictures, guesses: Guesses) -> dict[int, Evidence]:
    """What `gather_evidence` finds; of a pair that it does not merge, how the two agree unmoved.

    The latter only where that makes them one photograph.
    """
    found = gather_evidence(pictures, guesses)
    rest = _choose_rest(pictures, guesses, found)
    again = _look_again(pictures, rest) if len(rest.pair) else {}
    return found | {pair: it for pair, it in again.items() if is_copy_unmoved(it)}


def _choose_rest(pictures: Pictures, guesses: Guesses, found: dict[int, Evidence]) -> Guesses:
    """One guess, the wholes upright, of each pair of one shape that is neither copy nor collage.

    What tells two pages or screens apart is small: where one is drawn, nothing is tried again.
    """
    pairs, firsts = np.unique(guesses.pair, return_index=True)
    is_open = np.array([_is_open(found.get(pair)) for pair in pairs.tolist()], np.bool_)
    rest = take_rows(guesses, firsts[is_open])
    one, other = np.minimum(rest.probe, rest.view), np.maximum(rest.probe, rest.view)
    shapes = np.log(pictures.aspects[one] / pictures.aspects[other])
    whole = np.full(len(one), WHOLE_CODE, np.uint8)
    wholes = Guesses(rest.pair, one, other, whole, whole)
    is_drawn = pictures.is_drawn[one] | pictures.is_drawn[other]
    return take_rows(wholes, ~is_drawn & (np.abs(shapes) <= MOST_UNLIKE_SHAPES))


def _is_open(evidence: Evidence | None) -> bool:
    return evidence is None or judge(evidence) in (None, Relation.SAME_EVENT)


def _look_again(pictures: Pictures, wholes: Guesses) -> dict[int, Evidence]:
    toned = match_tones(pictures.luma[wholes.probe], pictures.luma[wholes.view])
    kept: NDArray[np.bool_] = toned.unexplained <= MOST_UNEXPLAINED
    wholes = take_rows(wholes, kept)
    shown = stack_rows(
        [
            _show(pictures, wholes.probe, toned.first[kept]),
            _show(pictures, wholes.view, toned.second[kept]),
        ]
    )
    rows = np.arange(len(wholes.pair))
    codes = wholes.probe_code
    unmoved = Guesses(wholes.pair, rows, rows + len(rows), codes, codes)
    found = measure_unmoved(shown, unmoved, LEAST_SIMILARITY_UNMOVED)
    return {pair: replace(it, are_toned=True) for pair, it in found.items()}


def _show(pictures: Pictures, rows: Rows, luma: NDArray[np.uint8]) -> Pictures:
    """These pictures with other levels."""
    found = take_rows(pictures, rows)
    return Pictures(luma, found.aspects, found.boxes, found.is_drawn)
