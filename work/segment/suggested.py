"""Outlines from masks that came with suggestions: kept only where a person says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from catalog.box import overlap
from catalog.refusals import LeaseLostError
from catalog.tables import Image, Object, SegmentChoice, Suggestion, SuggestionSet
from vockit.foreign.datasets.run_lengths import RunLengthError, read_run_lengths
from vockit.format.rings import Ring
from work.leases import NO_LONGER_YOURS
from work.visit import Visit

from .leases import has_open, is_second_due
from .proposals import trace_outline

_LEAST_OVERLAP = 0.7
"""Of the object's box with the suggested one; a mask does not fit a box that was moved further."""


def find_outlines(visit: Visit, image_id: int) -> dict[str, tuple[list[Ring], int]]:
    """By object the rings of the mask of the suggestion that it was made of, and its set.

    For who holds the image; nothing is kept of them. Of an image that is drawn twice, the second
    person gets none, since both would draw the same model's outline. Raises LeaseLostError.
    """
    if not has_open(visit, image_id):
        raise LeaseLostError(NO_LONGER_YOURS)
    choice = visit.session.get(SegmentChoice, image_id)
    if choice is None or is_second_due(choice):
        return {}
    image = visit.session.get_one(Image, image_id)
    rows = (
        select(Object, Suggestion)
        .join(Suggestion, Suggestion.id == Object.suggestion_id)
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(Object.annotation_id == image.annotation_id, Suggestion.mask.is_not(None))
        .where(SuggestionSet.is_shown)
        .order_by(Object.number)
    )
    return dict(_trace_all(visit.session.execute(rows).tuples().all(), image))


def _trace_all(
    rows: Sequence[tuple[Object, Suggestion]], image: Image
) -> Iterator[tuple[str, tuple[list[Ring], int]]]:
    for item, suggestion in rows:
        if overlap(item.box, suggestion.box) < _LEAST_OVERLAP:
            continue
        mask = _read_mask(suggestion.mask or "", image)
        rings = [] if mask is None else trace_mask(mask)
        if rings:
            yield item.object_key, (rings, suggestion.set_id)


def _read_mask(counts: str, image: Image) -> NDArray[np.bool_] | None:
    """The pixels of a mask as it was loaded; None where it is of another size by now."""
    shape = (image.height, image.width)
    try:
        _, lengths = read_run_lengths({"size": list(shape), "counts": counts})
    except RunLengthError:
        return None
    values = np.arange(len(lengths)) % 2 == 1
    return np.repeat(values, lengths).reshape(shape, order="F")


def trace_mask(mask: NDArray[np.bool_]) -> list[Ring]:
    """The rings of what the mask holds, with few corners; without OpenCV none, as of proposals."""
    rows = np.flatnonzero(mask.any(axis=1))
    columns = np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return []
    top = int(rows[0])
    left = int(columns[0])
    crop = mask[top : rows[-1] + 1, left : columns[-1] + 1]
    try:
        return trace_outline(crop.astype(np.uint8), (left, top))
    except ImportError:
        return []
