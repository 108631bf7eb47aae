"""Simple detectors, so that the demo has results to evaluate: they copy what they have seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from vockit.format import tree
from vockit.format.image_sets import IMAGES_FORM, parse_set
from vockit.format.read import read_annotation
from vockit.format.records import VocImage

NEAREST = 3
_SIDE_PX = 8
Seen = tuple[np.ndarray, VocImage]


def write_results(root: Path, results: Path, image_set: str, *, by_look: bool) -> None:
    """Detections (comp3) on a set: the boxes of trainval, `by_look` of what looks most alike."""
    known = [_see(root, name) for name in _list(root, "trainval")]
    rows: dict[str, list[str]] = {item.name: [] for _, image in known for item in image.objects}
    for image_id in _list(root, image_set):
        look, image = _see(root, image_id)
        near = sorted(known, key=lambda pair: float(np.abs(pair[0] - look).mean()))
        for other, seen in near[:NEAREST] if by_look else known:
            confidence = 1 - np.abs(other - look).mean() if by_look else 0.5
            assert image.size is not None
            assert seen.size is not None
            wide = image.size.width / seen.size.width
            high = image.size.height / seen.size.height
            for item in seen.objects:
                box = (
                    item.box.xmin * wide,
                    item.box.ymin * high,
                    item.box.xmax * wide,
                    item.box.ymax * high,
                )
                sides = " ".join(f"{side:.1f}" for side in box)
                rows[item.name].append(f"{image_id} {confidence:.6f} {sides}\n")
    (results / "Main").mkdir(parents=True, exist_ok=True)
    for name, lines in rows.items():
        (results / "Main" / f"comp3_det_{image_set}_{name}.txt").write_text("".join(lines))


def _list(root: Path, image_set: str) -> Sequence[str]:
    lines, _ = parse_set((root / tree.set_path(tree.MAIN, image_set)).read_bytes(), IMAGES_FORM)
    return [line.image_id for line in lines]


def _see(root: Path, image_id: str) -> Seen:
    """A small picture of the image, from 0 to 1, and its annotation."""
    with Image.open(root / tree.jpeg_path(image_id)) as opened:
        small = opened.convert("RGB").resize((_SIDE_PX, _SIDE_PX))
    image = read_annotation((root / tree.annotation_path(image_id)).read_bytes()).image
    assert image is not None
    return np.asarray(small, np.float64) / 255, image
