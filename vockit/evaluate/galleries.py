"""Galleries of a report: which rows and images are shown, and the cropped pictures of them."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from vockit.format import tree
from vockit.format.shortage import refuse_shortage

from .curves import Floats
from .detection_errors import BACKGROUND_OVERLAP
from .scores import Boxes, ClassScore
from .truth import Truth

MOST = 5
_SIDE_PX = 150
_MARGIN = 0.25
_GIVEN = "#ffd400"
_TRUE = "#ffffff"


@dataclass(frozen=True)
class Shot:
    """A picture to show: its image, what is said of it, and the boxes if it is cropped."""

    image: int
    caption: str
    box: Floats | None = None
    true: Floats | None = None


def choose_rows(score: ClassScore) -> dict[str, list[Shot]]:
    """Top rows of a class of detection by kind, one of each image (IJCV 2010, section 6.2.4)."""
    boxes = score.evidence
    if not isinstance(boxes, Boxes):
        return {}
    pairing = boxes.pairing
    judged = score.judged
    is_shown = np.isin(pairing.images, boxes.truth.images)
    is_near = (pairing.overlaps >= BACKGROUND_OVERLAP) & (pairing.overlaps < 0.5)
    chosen = {
        "true positives": judged.is_right,
        "false positives in images without the class": judged.is_wrong & ~is_shown,
        "near misses": judged.is_wrong & is_near,
    }
    shots = {}
    for kind, flags in chosen.items():
        rows = np.flatnonzero(flags)
        _, first = np.unique(pairing.images[rows], return_index=True)
        shots[kind] = [_make_shot(boxes, int(row)) for row in rows[np.sort(first)[:MOST]]]
    return shots


def _make_shot(boxes: Boxes, row: int) -> Shot:
    pairing = boxes.pairing
    place = pairing.order[row]
    overlap = pairing.overlaps[row]
    has_object = overlap > 0
    caption = f"confidence {boxes.detections.confidences[place]:.3g}"
    caption += f", overlap {overlap:.2f}" if has_object else ""
    true = boxes.truth.boxes[pairing.best[row]] if has_object else None
    return Shot(int(pairing.images[row]), caption, boxes.detections.boxes[place], true)


@dataclass
class Pictures:
    """Cuts shots out of a tree's photographs, writes them as JPEGs and gives them to pages."""

    truth: Truth
    folder: Path
    count: int = 0

    def take(self, name: str, shots: Iterable[Shot]) -> list[Mapping[str, str]]:
        """The pictures that could be read: a data URL, a caption and the id of the image."""
        shown: list[Mapping[str, str]] = []
        ids = list(self.truth.images)
        for shot in shots:
            image_id = ids[shot.image]
            data = _cut(self.truth.root / tree.jpeg_path(image_id), shot)
            if data is None:
                continue
            self.count += 1
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / f"{name}-{self.count:04d}-{image_id}.jpg").write_bytes(data)
            url = "data:image/jpeg;base64," + base64.b64encode(data).decode()
            shown.append({"url": url, "caption": shot.caption, "id": image_id})
        return shown


def _cut(path: Path, shot: Shot) -> bytes | None:
    """A JPEG of the boxes with a margin, or of the whole photograph; None where none is there."""
    try:
        with Image.open(path, formats=["JPEG"]) as opened:
            image = opened.convert("RGB")
    except OSError as error:
        refuse_shortage(error)
        return None
    limits = [image.width, image.height] * 2
    drawn = [(shot.true, _TRUE), (shot.box, _GIVEN)]
    boxes = [(np.clip(box, 1, limits), colour) for box, colour in drawn if box is not None]
    boxes = [(box, colour) for box, colour in boxes if box[0] <= box[2] and box[1] <= box[3]]
    if boxes:
        corners = np.array([box for box, _ in boxes])
        low = corners[:, :2].min(axis=0)
        high = corners[:, 2:].max(axis=0)
        margin = _MARGIN * max(*(high - low), _SIDE_PX / 10)
        factor = _SIDE_PX / max(high - low + 2 * margin)
        for box, colour in boxes:
            sides = (box - 1).tolist()
            ImageDraw.Draw(image).rectangle(sides, outline=colour, width=max(1, round(2 / factor)))
        frame = np.clip([*(low - margin), *(high + margin)], 0, limits)
        image = image.crop(tuple(frame.round().astype(int).tolist()))
    image.thumbnail((_SIDE_PX, _SIDE_PX))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=80)
    return buffer.getvalue()
