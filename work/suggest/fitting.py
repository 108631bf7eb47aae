"""Boxes of detectors as VOC's, in whole pixels inside the photograph; pure, many at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .values import Floats

LEAST_INSIDE = 0.5
"""A box with less of its area inside the photograph was meant for another picture."""
BORDER_PX = 1.0
"""Detectors reach over the border by less than this without a mistake."""


@dataclass(frozen=True)
class Fitted:
    """`boxes` (n x 4) are VOC's; `faults` names what is wrong with each, empty for none.

    `is_cut` says of which more than a pixel was outside.
    """

    boxes: NDArray[np.int64]
    faults: list[str]
    is_cut: NDArray[np.bool_]


def fit(
    edges: Floats, confidences: Floats, sizes_wh: Floats, *, min_confidence: float, min_px: int
) -> Fitted:
    """The boxes of these edges in photographs of these sizes (n x 2)."""
    with np.errstate(all="ignore"):  # any number may come, and is judged
        low = edges[:, :2]
        high = edges[:, 2:]
        inside_low = np.clip(low, 0, sizes_wh)
        inside_high = np.clip(high, 0, sizes_wh)
        share = np.prod(inside_high - inside_low, axis=1) / np.prod(high - low, axis=1)
        beyond = np.maximum(inside_low - low, high - inside_high).max(axis=1, initial=0)
        begins = np.floor(inside_low + 0.5)
        ends = np.maximum(np.floor(inside_high + 0.5), begins + 1)
        is_number = np.isfinite(edges).all(axis=1) & np.isfinite(confidences)
        rules = [
            ("a value that is no number", ~is_number),
            ("a box that is inverted or empty", (low >= high).any(axis=1)),
            ("a confidence outside 0 to 1", (confidences < 0) | (confidences > 1)),
            (f"a confidence below {min_confidence:g}", confidences < min_confidence),
            ("a box mostly outside its photograph", ~(share >= LEAST_INSIDE)),
            (f"a box smaller than {min_px} px", (ends - begins < min_px).any(axis=1)),
        ]
    chosen = np.select([is_wrong for _name, is_wrong in rules], range(1, len(rules) + 1), 0)
    names = ["", *(name for name, _is_wrong in rules)]
    is_right = chosen == 0
    boxes = np.where(is_right[:, None], np.hstack([begins + 1, ends]), 1).astype(np.int64)
    return Fitted(boxes, [names[place] for place in chosen], is_right & (beyond > BORDER_PX))
