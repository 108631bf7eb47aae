"""The pictures that ship inside installed packages, and near-duplicates made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from PIL.ExifTags import Base

from simulate.flickr.images import put_on_white
from vockit.errors import SettingsError

from .known import Frame, KnownObject, show

PACKAGES = {
    "skimage": ("scikit-image", "data"),
    "sklearn": ("scikit-learn", "datasets/images"),
    "pywt": ("PyWavelets", "data"),
    "matplotlib": ("matplotlib", "mpl-data/sample_data"),
}
"""What each is installed as, and where it has its pictures."""
FACES_PER_ROW = 10
FACE_SIDE_PX = 50


@cache
def open_original(name: str) -> Image.Image:
    """The picture named package:file, in RGB or grey; raises SettingsError where it is missing."""
    package, _, file_name = name.partition(":")
    distribution, folder = PACKAGES[package]
    path = find_package_folder(package) / folder / file_name
    if not path.is_file():
        raise SettingsError(f"{distribution} does not carry {file_name}; the demo needs it.")
    if path.suffix == ".npy":
        return _read_faces(path)
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return Image.fromarray(arrays["data"].astype(np.uint8))
    with Image.open(path) as opened:
        return put_on_white(opened.copy())


def find_package_folder(package: str, find: Callable[[str], Any] = find_spec) -> Path:
    """Where an installed package lies; it is not imported. Raises SettingsError without it."""
    spec = find(package)
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError(
            f"The demo's photographs come from {PACKAGES[package][0]}, which is not installed; "
            "install vocparty[demo]."
        )
    return Path(spec.submodule_search_locations[0])


def _read_faces(path: Path) -> Image.Image:
    """The first hundred small grey pictures, all faces, side by side."""
    faces = (np.load(path)[: FACES_PER_ROW**2] * 255).round().astype(np.uint8)
    sheet = Image.new("L", (FACES_PER_ROW * FACE_SIDE_PX,) * 2)
    for number, pixels in enumerate(faces):
        row, column = divmod(number, FACES_PER_ROW)
        face = Image.fromarray(pixels).resize((FACE_SIDE_PX,) * 2, Image.Resampling.BICUBIC)
        sheet.paste(face, (column * FACE_SIDE_PX, row * FACE_SIDE_PX))
    return sheet


@dataclass(frozen=True)
class Photograph:
    """Upright pixels with the objects in them, and how they are written to a file."""

    image: Image.Image
    objects: tuple[KnownObject, ...]
    format: str = "jpg"
    quality: int = 92
    is_stored_sideways: bool = False


def reframe(photograph: Photograph, frame: Frame) -> Photograph:
    """The photograph cropped and resized; what is hardly left of an object is no longer known."""
    image = photograph.image.resize(frame.size_wh, Image.Resampling.LANCZOS, frame.edges)
    shown = (show(item, frame) for item in photograph.objects)
    objects = tuple(item for item in shown if item is not None)
    return replace(photograph, image=image, objects=objects)


def resize(photograph: Photograph) -> Photograph:
    """The same view with fewer pixels."""
    width, height = photograph.image.size
    size_wh = (round(width * 0.62), round(height * 0.62))
    return reframe(photograph, Frame((0, 0, width, height), size_wh))


def trim(photograph: Photograph) -> Photograph:
    """A few per cent cut off each side."""
    width, height = photograph.image.size
    left = round(width * 0.03)
    top = round(height * 0.02)
    right = width - round(width * 0.04)
    bottom = height - round(height * 0.05)
    return reframe(photograph, Frame((left, top, right, bottom), (right - left, bottom - top)))


def tint(photograph: Photograph) -> Photograph:
    """Warmer colours; a grey picture becomes brownish."""
    bands = photograph.image.convert("RGB").split()
    scaled = [
        band.point([min(255, round(value * factor)) for value in range(256)])
        for band, factor in zip(bands, (1.12, 1.02, 0.84), strict=True)
    ]
    return replace(photograph, image=Image.merge("RGB", scaled))


def caption(photograph: Photograph) -> Photograph:
    """A line of outlined text along the bottom; too thin to hide any object."""
    image = photograph.image.convert("RGB")
    text_px = max(9.0, image.height * 0.045)
    ImageDraw.Draw(image).text(
        (image.width / 2, image.height - text_px),
        "seen again, with thanks",
        fill="white",
        font=ImageFont.load_default(text_px),
        anchor="mm",
        stroke_width=1,
        stroke_fill="black",
    )
    return replace(photograph, image=image)


KINDS: dict[str, tuple[str, Callable[[Photograph], Photograph]]] = {
    "recompressed": ("{} (copy)", lambda photograph: replace(photograph, quality=28)),
    "resized": ("{}, small", resize),
    "cropped": ("{} II", trim),
    "tinted": ("{} in warm light", tint),
    "captioned": ("{}, with a line", caption),
    "sideways": (
        "{} from my phone",
        lambda photograph: replace(photograph, is_stored_sideways=True),
    ),
}
"""The title of a near-duplicate of each kind, and how it is made."""


def encode(photograph: Photograph) -> bytes:
    """The bytes of the photograph's file; the same photograph always gives the same bytes."""
    out = BytesIO()
    if photograph.format == "png":
        photograph.image.save(out, "PNG", optimize=False)
        return out.getvalue()
    image = photograph.image
    exif = Image.Exif()
    if photograph.is_stored_sideways:
        image = image.transpose(Image.Transpose.ROTATE_90)
        exif[Base.Orientation] = 6  # to be turned to the right
    image.save(out, "JPEG", quality=photograph.quality, exif=exif)
    return out.getvalue()
