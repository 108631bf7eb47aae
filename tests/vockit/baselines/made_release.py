"""A release of drawn images: cats, cars and people on noise, with masks, parts and actions."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from vockit.format import records
from vockit.format.image_sets import format_images, format_labels, format_object_labels
from vockit.format.masks import format_mask
from vockit.format.tree import VOC_CLASSES
from vockit.format.write import STYLE_2008, format_annotation

CLASSES = ("cat", "car", "person")
ACTIONS = ("phoning", "walking")
SETS = ("train", "val")


@dataclass(frozen=True)
class Drawn:
    """What was drawn on one image."""

    objects: Sequence[records.VocObject]
    classes: NDArray[np.uint8]
    numbers: NDArray[np.uint8]


def make_release(folder: Path, images: int, size_wh: tuple[int, int], seed: int = 0) -> Path:
    """A VOC2012 whose images are train and val by turns."""
    root = folder / "VOCdevkit" / "VOC2012"
    rng = np.random.default_rng(seed)
    drawn_of: dict[str, Drawn] = {}
    for number in range(1, images + 1):
        image_id = f"2012_{number:06d}"
        picture, drawn_of[image_id] = _draw(rng, size_wh)
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=90)
        _write(root / f"JPEGImages/{image_id}.jpg", buffer.getvalue())
        _write_labels(root, image_id, size_wh, drawn_of[image_id])
    for place, name in enumerate(SETS):
        ids = list(drawn_of)[place::2]
        _write_lists(root / "ImageSets", name, {image_id: drawn_of[image_id] for image_id in ids})
    return root


def _draw(rng: np.random.Generator, size_wh: tuple[int, int]) -> tuple[Image.Image, Drawn]:
    """Noise with one to three objects on it."""
    width, height = size_wh
    noise = rng.integers(40, 216, (12, 16, 3)).astype(np.uint8)
    picture = Image.fromarray(noise).resize(size_wh, Image.Resampling.BICUBIC)
    classes = Image.new("L", size_wh)
    numbers = Image.new("L", size_wh)
    objects: list[records.VocObject] = []
    for name in rng.choice(CLASSES, rng.integers(1, 4), p=[0.3, 0.3, 0.4]):
        high = int(height * rng.uniform(0.35, 0.7))
        wide = int(high * {"cat": 1.0, "car": 1.5, "person": 0.6}[str(name)])
        left = int(rng.integers(1, max(2, width - wide)))
        top = int(rng.integers(1, max(2, height - high)))
        box = (left, top, min(left + wide, width) - 1, min(top + high, height) - 1)
        shape = Image.new("L", size_wh)
        item = _draw_object(rng, str(name), picture, shape, box)
        objects.append(item)
        classes.paste(VOC_CLASSES.index(str(name)) + 1, mask=shape)
        numbers.paste(len(objects), mask=shape)
    picture = picture.filter(ImageFilter.GaussianBlur(0.6))
    return picture, Drawn(objects, np.asarray(classes), np.asarray(numbers))


Box = tuple[int, int, int, int]


def _draw_object(
    rng: np.random.Generator, name: str, picture: Image.Image, shape: Image.Image, box: Box
) -> records.VocObject:
    """Draw it, and its silhouette in `shape`; box from 0, both ends inside."""
    left, top, right, bottom = box
    pens = ImageDraw.Draw(picture), ImageDraw.Draw(shape)
    parts: list[records.VocPart] = []
    pose = "Frontal"
    if name == "cat":
        colour = (int(rng.integers(200, 256)), int(rng.integers(110, 160)), 30)
        pens[0].ellipse(box, fill=colour)
        pens[1].ellipse(box, fill=255)
        for stripe in np.linspace(left, right, 9)[2:-2]:
            pens[0].line(
                (stripe, top + (bottom - top) // 4, stripe, bottom - (bottom - top) // 4),
                fill="black",
                width=3,
            )
    elif name == "car":
        colour = (20, int(rng.integers(40, 100)), int(rng.integers(180, 256)))
        pens[0].rectangle(box, fill=colour)
        pens[1].rectangle(box, fill=255)
        radius = (bottom - top) // 5
        for centre in (left + (right - left) // 4, right - (right - left) // 4):
            pens[0].ellipse(
                (centre - radius, bottom - 2 * radius, centre + radius, bottom), fill="black"
            )
    else:
        walks = bool(rng.integers(2))
        parts = _draw_person(pens, box, walks)
        pose = "Left" if walks else "Frontal"
    sides = records.VocBox(left + 1, top + 1, right + 1, bottom + 1)
    return records.VocObject(name, sides, pose, False, False, False, tuple(parts))


def _draw_person(
    pens: tuple[ImageDraw.ImageDraw, ImageDraw.ImageDraw], box: Box, walks: bool
) -> list[records.VocPart]:
    """Skin, a red shirt and black legs; who phones has both hands up in green gloves."""
    left, top, right, bottom = box
    wide = right - left
    high = bottom - top
    unit = high // 8
    middle = (left + right) // 2
    head = (middle - unit, top, middle + unit, top + 2 * unit)
    hands_top = top + (4 * unit if walks else unit // 2)
    hands = [(x, hands_top, x + unit, hands_top + unit) for x in (left, right - unit)]
    feet = [
        (x, bottom - unit, x + unit, bottom) for x in (left + wide // 6, right - wide // 6 - unit)
    ]
    body = (middle - wide // 4, top + 2 * unit, middle + wide // 4, bottom - 3 * unit)
    for pen, is_mask in zip(pens, (False, True), strict=True):
        for part, colour in (
            (body, "red"),
            *((hand, "bisque" if walks else "green") for hand in hands),
            *((foot, "black") for foot in feet),
        ):
            pen.rectangle(part, fill=255 if is_mask else colour)
        for foot in feet:
            pen.rectangle((foot[0], body[3], foot[2], foot[1]), fill=255 if is_mask else "black")
        pen.ellipse(head, fill=255 if is_mask else "bisque")
    boxes = [
        ("head", head),
        *(("hand", hand) for hand in hands),
        *(("foot", foot) for foot in feet),
    ]
    return [
        records.VocPart(name, records.VocBox(x1 + 1, y1 + 1, x2 + 1, y2 + 1))
        for name, (x1, y1, x2, y2) in boxes
    ]


def _write_labels(root: Path, image_id: str, size_wh: tuple[int, int], drawn: Drawn) -> None:
    record = records.VocImage(
        filename=f"{image_id}.jpg",
        folder="VOC2012",
        objects=tuple(drawn.objects),
        source=records.VocSource("The Drawn Database", "Drawn", "drawn"),
        size=records.VocSize(*size_wh, 3),
        segmented=True,
    )
    _write(root / f"Annotations/{image_id}.xml", format_annotation(record, STYLE_2008).encode())
    _write(root / f"SegmentationClass/{image_id}.png", format_mask(drawn.classes))
    _write(root / f"SegmentationObject/{image_id}.png", format_mask(drawn.numbers))


def _write_lists(sets: Path, name: str, drawn_of: dict[str, Drawn]) -> None:
    ids = list(drawn_of)
    people = [
        (image_id, number, item)
        for image_id, drawn in drawn_of.items()
        for number, item in enumerate(drawn.objects, 1)
        if item.name == "person"
    ]
    files = {f"{folder}/{name}.txt": format_images(ids) for folder in ("Main", "Segmentation")}
    for class_name in CLASSES:
        labels = [
            (image_id, 1 if any(item.name == class_name for item in drawn.objects) else -1)
            for image_id, drawn in drawn_of.items()
        ]
        files[f"Main/{class_name}_{name}.txt"] = format_labels(labels)
    files[f"Layout/{name}.txt"] = format_labels([person[:2] for person in people])
    files[f"Action/{name}.txt"] = format_images(dict.fromkeys(person[0] for person in people))
    for action in ACTIONS:
        lines = [
            (image_id, number, 1 if (action == "walking") is _walks(item) else -1)
            for image_id, number, item in people
        ]
        files[f"Action/{action}_{name}.txt"] = format_object_labels(lines)
    for path, text in files.items():
        _write(sets / path, text.encode())


def _walks(item: records.VocObject) -> bool:
    return item.pose == "Left"


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
