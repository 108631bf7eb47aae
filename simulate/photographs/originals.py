"""The pictures that ship inside installed packages; nothing of them is copied into this project."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from catalog.errors import SettingsError

PACKAGES = {
    "skimage": ("scikit-image", "data"),
    "sklearn": ("scikit-learn", "datasets/images"),
    "pywt": ("PyWavelets", "data"),
    "matplotlib": ("matplotlib", "mpl-data/sample_data"),
}
"""What each is installed as, and where it has its pictures."""
FACES_PER_ROW = 10
FACE_SIDE_PX = 50


def open_original(name: str) -> Image.Image:
    """The picture named package:file, in RGB or grey.

    Raises SettingsError where the package is not installed or does not carry the file.
    """
    package, _, file_name = name.partition(":")
    distribution, folder = PACKAGES[package]
    path = find_package_folder(package) / folder / file_name
    if not path.is_file():
        raise SettingsError(f"{distribution} does not carry {file_name}; the demo needs it.")
    return READERS.get(path.suffix, _read_picture)(path)


def find_package_folder(package: str, find: Callable[[str], Any] = find_spec) -> Path:
    """Where an installed package lies; it is not imported. Raises SettingsError without it."""
    spec = find(package)
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError(
            f"The demo's photographs come from {PACKAGES[package][0]}, which is not installed; "
            "install vocparty[demo]."
        )
    return Path(spec.submodule_search_locations[0])


def _read_picture(path: Path) -> Image.Image:
    with Image.open(path) as opened:
        if opened.mode in ("RGB", "L"):
            opened.load()
            return opened.copy()
        layer = opened.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")


def _read_packed(path: Path) -> Image.Image:
    with np.load(path) as arrays:
        pixels: NDArray[np.uint8] = arrays["data"].astype(np.uint8)
    return Image.fromarray(pixels)


def _read_faces(path: Path) -> Image.Image:
    """The first hundred small grey pictures, all faces, side by side."""
    faces = (np.load(path)[: FACES_PER_ROW**2] * 255).round().astype(np.uint8)
    sheet = Image.new("L", (FACES_PER_ROW * FACE_SIDE_PX,) * 2)
    for number, pixels in enumerate(faces):
        row, column = divmod(number, FACES_PER_ROW)
        face = Image.fromarray(pixels).resize((FACE_SIDE_PX,) * 2, Image.Resampling.BICUBIC)
        sheet.paste(face, (column * FACE_SIDE_PX, row * FACE_SIDE_PX))
    return sheet


READERS: dict[str, Callable[[Path], Image.Image]] = {".npz": _read_packed, ".npy": _read_faces}
