"""PNG files whose pixels are labels: those of a tree, and those of a submission."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vockit.format.masks import MOST_PIXELS
from vockit.format.shortage import refuse_shortage

from .errors import EvaluateError
from .metrics import Labels

_LABEL_MODES = {"P", "L", "1", "I", "I;16"}
_SCALES = {"L;2": 85, "L;4": 17}
"""By how much Pillow stretches grey values of fewer than 8 bits."""


def read_labels(path: Path, size_hw: tuple[int, ...] | None = None) -> Labels:
    """The label of each pixel of a PNG of indices or grey values of 1, 2, 4, 8 or 16 bits.

    Raises EvaluateError for colours and transparent pixels, for a label over 255, and for another
    size than `size_hw` where it is given.
    """
    from PIL.PngImagePlugin import PngImageFile  # detections need no Pillow

    try:
        with PngImageFile(path) as image:
            mode = image.mode
            stored = image.tile[0][3]
            if mode not in _LABEL_MODES:
                raise EvaluateError(f"{path}: expected a PNG of labels, got colours ({mode})")
            width, height = image.size
            if size_hw is not None and (height, width) != size_hw:
                raise EvaluateError(
                    f"{path}: expected the size of the truth, {size_hw[1]} x {size_hw[0]}, "
                    f"got {width} x {height}"
                )
            if width * height > MOST_PIXELS:
                raise EvaluateError(f"{path}: expected at most {MOST_PIXELS:,} pixels")
            labels = np.asarray(image)
    except FileNotFoundError as error:
        raise EvaluateError(f"{path}: expected this file, which is not there") from error
    except (OSError, SyntaxError, ValueError, IndexError) as error:
        refuse_shortage(error)
        raise EvaluateError(f"{path}: expected a whole PNG: {error}") from error
    if mode.startswith("I") and labels.max(initial=0) > 255:
        raise EvaluateError(f"{path}: expected labels from 0 to 255, got {labels.max()}")
    return np.asarray(labels // _SCALES[stored] if stored in _SCALES else labels, np.uint8)
