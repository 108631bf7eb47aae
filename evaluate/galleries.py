"""Galleries of a report: which rows and images are shown, and the cropped pictures of them."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, UnidentifiedImageError

from voc import tree

from .curves import Floats, Ints
from .detection_errors import BACKGROUND_OVERLAP
from .scoring import Boxes, ClassScore
from .truth import Truth

MOST = 5
_SIDE_PX = 150
_MARGIN = 0.25
_GIVEN, _TRUE = "#ffd400", "#ffffff"


@dataclass(frozen=True)
class Shot:
    """A picture to show: its image, what is said of it, and the boxes if it is cropped."""

    image: int
    caption: str
    box: Floats | None = None
    true: Floats | None = None


def choose_rows(score: ClassScore, most: int = MOST) -> dict[str, list[Shot]]:
    """Top rows of a class of detection, one of each image (IJCV 2010, section 6.2.4).

    They are the right ones, the wrong ones in images without the class, and near misses: wrong
    ones that overlap an object by 0.1 to 0.5.
    """
    boxes = score.evidence
    if not isinstance(boxes, Boxes):
        return {}
    pairing, judged = boxes.pairing, score.judged
    is_shown = np.isin(pairing.images, boxes.truth.images)
    is_near = (pairing.overlaps >= BACKGROUND_OVERLAP) & (pairing.overlaps < 0.5)
    chosen = {
        "true positives": judged.is_right,
        "false positives in images without the class": judged.is_wrong & ~is_shown,
        "near misses": judged.is_wrong & is_near,
    }
    return {
        kind: [_make_shot(boxes, row) for row in _take_one_each(pairing.images, flags, most)]
        for kind, flags in chosen.items()
    }


def _take_one_each(images: Ints, flags: np.ndarray, most: int) -> list[int]:
    rows = np.flatnonzero(flags)
    _, first = np.unique(images[rows], return_index=True)
    return [int(row) for row in rows[np.sort(first)[:most]]]


def _make_shot(boxes: Boxes, row: int) -> Shot:
    pairing = boxes.pairing
    place, overlap = pairing.order[row], pairing.overlaps[row]
    has_object = overlap > 0
    caption = f"confidence {boxes.detections.confidences[place]:.3g}"
    caption += f", overlap {overlap:.2f}" if has_object else ""
    true = boxes.truth.boxes[pairing.best[row]] if has_object else None
    return Shot(int(pairing.images[row]), caption, boxes.detections.boxes[place], true)


class Pictures:
    """Cuts shots out of a tree's photographs, writes them as JPEGs and gives them to pages."""

    def __init__(self, truth: Truth, folder: Path) -> None:
        self._root = truth.root
        self._ids = list(truth.images)
        self._folder = folder
        self._count = 0

    def take(self, name: str, shots: Iterable[Shot]) -> list[Mapping[str, str]]:
        """The pictures that could be read: a data URL, a caption and the id of the image."""
        found: list[Mapping[str, str]] = []
        for shot in shots:
            image_id = self._ids[shot.image]
            data = _cut(self._root / tree.jpeg_path(image_id), shot)
            if data is None:
                continue
            self._count += 1
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / f"{name}-{self._count:04d}-{image_id}.jpg").write_bytes(data)
            url = "data:image/jpeg;base64," + base64.b64encode(data).decode()
            found.append({"url": url, "caption": shot.caption, "id": image_id})
        return found


def _cut(path: Path, shot: Shot) -> bytes | None:
    """A JPEG of the boxes with a margin, or of the whole photograph; None where none is there."""
    try:
        with Image.open(path, formats=["JPEG"]) as opened:
            image = opened.convert("RGB")
    except (OSError, UnidentifiedImageError):
        return None
    frame = (0.0, 0.0, float(image.width), float(image.height))
    if shot.box is not None and np.isfinite(shot.box).all():
        frame = _frame(shot, image)
    factor = _SIDE_PX / max(frame[2] - frame[0], frame[3] - frame[1])
    size = tuple(max(1, round(factor * (frame[it + 2] - frame[it]))) for it in (0, 1))
    cut = image.resize((size[0], size[1]), box=frame)
    draw = ImageDraw.Draw(cut)
    for box, colour in ((shot.true, _TRUE), (shot.box, _GIVEN)):
        if box is not None and np.isfinite(box).all():
            left, top, right, bottom = np.clip(box, -1e5, 1e5) - [1, 1, 0, 0]
            corners = [(left - frame[0]) * factor, (top - frame[1]) * factor]
            ends = [(right - frame[0]) * factor, (bottom - frame[1]) * factor]
            if corners[0] <= ends[0] and corners[1] <= ends[1]:
                draw.rectangle([*corners, *ends], outline=colour, width=2)
    buffer = io.BytesIO()
    cut.save(buffer, "JPEG", quality=80)
    return buffer.getvalue()


def _frame(shot: Shot, image: Image.Image) -> tuple[float, float, float, float]:
    """The part of the photograph that holds both boxes with a margin, at least 8 px wide."""
    boxes = [it for it in (shot.box, shot.true) if it is not None]
    left, top = (min(box[it] for box in boxes) for it in (0, 1))
    right, bottom = (max(box[it] for box in boxes) for it in (2, 3))
    margin = _MARGIN * max(right - left, bottom - top, 8)
    left, right = np.clip([left - margin, right + margin], 0, image.width)
    top, bottom = np.clip([top - margin, bottom + margin], 0, image.height)
    if right - left < 8 or bottom - top < 8:
        return 0.0, 0.0, float(image.width), float(image.height)
    return float(left), float(top), float(right), float(bottom)
