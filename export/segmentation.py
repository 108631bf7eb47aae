"""Drawn outlines as masks, and masks as outlines: labels, the void between them, and back.

Void is derived, never drawn: the pixels within half of `[export] void_width_px` of a border between
two labels, and the whole of difficult objects and void regions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from catalog.annotated import AnnotatedObject
from catalog.rings import Outline, fill, trace
from voc.masks import VOID, Labels, format_mask

from .verify.facts import MASK_FOLDERS

_HALF_BORDER_PX = 3.0
"""Void farther than this from all labels is no border; those of VOC are 5 px wide."""
_FEWEST_VOID_PX = 4
"""Smaller void regions are corners where borders meet."""


def make_masks(
    outlines: Iterable[Outline],
    objects: Sequence[AnnotatedObject],
    classes: Sequence[str],
    size_wh: tuple[int, int],
    void_width_px: int,
) -> dict[str, bytes]:
    """The two mask files by their folders; label k is the k-th object, or its class."""
    numbers = {it.key: number for number, it in enumerate(objects, start=1)}
    labels = np.zeros(size_wh[::-1], np.uint16)
    known = [it for it in outlines if it.object_key is None or it.object_key in numbers]
    ordered = sorted(known, key=lambda it: it.depth)
    for region, outline in enumerate(ordered, start=VOID + 1):  # each void region has its label
        inside = fill(outline.rings, *size_wh)
        labels[inside] = region if outline.object_key is None else numbers[outline.object_key]
    is_border = derive_void(labels, void_width_px)
    shown = np.full((2, VOID + 1 + len(ordered)), VOID, np.uint8)
    shown[:, 0] = 0
    for number, item in enumerate(objects, start=1):
        if not item.difficult:
            shown[:, number] = classes.index(item.class_name) + 1, number
    masks = np.where(is_border, VOID, shown[:, labels]).astype(np.uint8)
    return dict(zip(MASK_FOLDERS, map(format_mask, masks), strict=True))


def derive_void(labels: NDArray[np.integer[Any]], width_px: int) -> NDArray[np.bool_]:
    """The pixels whose centre lies within half of `width_px` of a border between two labels.

    Of a pixel dx, dy away as a square: max(2|dx| - 1, 0)² + max(2|dy| - 1, 0)² <= width_px².
    """
    (height, width), reach = labels.shape, (width_px + 1) // 2
    void = np.zeros((height, width), np.bool_)
    for dy, dx in product(range(reach + 1), range(-reach, reach + 1)):
        is_near = max(2 * dy - 1, 0) ** 2 + max(2 * abs(dx) - 1, 0) ** 2 <= width_px**2
        if (dy, dx) > (0, 0) and is_near:  # the other half of all pairs is the same
            first = np.s_[: max(height - dy, 0), max(-dx, 0) : max(width - max(dx, 0), 0)]
            second = np.s_[dy:, max(dx, 0) : max(width + min(dx, 0), 0)]
            differs = labels[first] != labels[second]
            void[first] |= differs
            void[second] |= differs
    return void


def find_outlines(labels: Labels, keys: Sequence[str]) -> list[Outline]:
    """The outlines of an object mask, as people edit them; thick void is a void region."""
    is_void = labels == VOID
    away_px, nearest = cv2.distanceTransformWithLabels(
        is_void.astype(np.uint8), cv2.DIST_L2, maskSize=5, labelType=cv2.DIST_LABEL_PIXEL
    )
    _, parts = cv2.connectedComponents((away_px > _HALF_BORDER_PX).astype(np.uint8))
    is_large = np.bincount(parts.ravel()) >= _FEWEST_VOID_PX
    is_large[0] = False
    of_nearest = np.append(np.uint8(VOID), labels[~is_void])  # counted from 1, row by row
    own = np.where(is_large[parts], VOID, of_nearest[nearest])
    numbered = [*zip(keys, range(1, VOID), strict=False), (None, VOID)]
    found = set(np.unique(own).tolist())
    return [Outline(key, n % VOID, trace(own == n)) for key, n in numbered if n in found]
