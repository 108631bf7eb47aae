"""Detections painted as masks, which enters every detection result for segmentation too."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image

from voc.masks import make_palette

from .curves import Floats
from .segmentation import Labels

MOST_NUMBERS = 255
Painted = tuple[Labels, Labels]
"""The class and the row number of each pixel."""


def paint(
    rows: Iterable[tuple[int, float, Floats]],
    size_hw: tuple[int, int],
    least_confidence: float = -np.inf,
) -> Painted:
    """One image's rows as two masks: class labels, and row numbers from 1 (255 for later ones).

    `rows` are label, confidence and box, class by class in the order of the files. A row covers
    those of lower confidence; rows below `least_confidence` are dropped. Corners are rounded half
    away from zero and clamped to the image (create_segmentations_from_detections.m, 2012).

    >>> import numpy as np
    >>> paint([(8, 0.9, np.array([2.0, 1, 3, 1]))], (1, 4))[0].tolist()
    [[0, 8, 8, 0]]
    """
    labels, numbers = np.zeros(size_hw, np.uint8), np.zeros(size_hw, np.uint8)
    listed = list(enumerate(rows, 1))
    listed.sort(key=lambda it: np.inf if np.isnan(it[1][1]) else it[1][1])
    for number, (label, confidence, box) in listed:
        if confidence < least_confidence:
            continue
        sides = np.sign(box) * np.floor(np.abs(box) + 0.5)
        high = np.array([size_hw[1], size_hw[0]] * 2)
        left, top, right, bottom = np.clip(np.nan_to_num(sides, nan=1.0), 1, high).astype(int)
        where = np.s_[top - 1 : bottom, left - 1 : right]
        labels[where] = label
        numbers[where] = min(number, MOST_NUMBERS)
    return labels, numbers


def write_painted(folder: Path, entry: str, painted: Mapping[str, Painted]) -> None:
    """Write the PNGs of an entry such as comp3_val below `folder`: <entry>_cls and <entry>_inst."""
    for place, kind in enumerate(("cls", "inst")):
        target = folder / f"{entry}_{kind}"
        target.mkdir(parents=True, exist_ok=True)
        for image_id, masks in painted.items():
            _write_png(target / f"{image_id}.png", masks[place])


def _write_png(path: Path, labels: Labels) -> None:
    image = Image.fromarray(labels).convert("P")
    image.putpalette(make_palette())
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(buffer.getvalue())
    part.replace(path)
