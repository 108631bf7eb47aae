"""Files for the tests: a picture with a colour in each corner, in several formats."""

import io
from typing import Any

from PIL import Image

_T = Image.Transpose
_TURNED_AS = {
    2: _T.FLIP_LEFT_RIGHT,
    3: _T.ROTATE_180,
    4: _T.FLIP_TOP_BOTTOM,
    5: _T.TRANSPOSE,
    6: _T.ROTATE_90,
    7: _T.TRANSVERSE,
    8: _T.ROTATE_270,
}


def draw_picture(width: int, height: int, tint: int = 0) -> Image.Image:
    """Red, green, blue and white clockwise from the top left; `tint` makes it another picture."""
    picture = Image.new("RGB", (width, height), (255, tint % 100, 0))
    half = (width // 2, height // 2)
    picture.paste((0, 255, tint % 100), (half[0], 0, width, half[1]))
    picture.paste((tint // 100 % 100, 0, 255), (half[0], half[1], width, height))
    picture.paste((255, 255, 255), (0, half[1], half[0], height))
    return picture


def jpeg_bytes(
    width: int, height: int, *, mode: str = "RGB", turned_by: int = 1, tint: int = 0, **options: Any
) -> bytes:
    """A JPEG of the upright picture; `turned_by` stores it turned, with EXIF that says so."""
    picture = draw_picture(width, height, tint).convert(mode)
    if turned_by != 1:
        picture = picture.transpose(_TURNED_AS[turned_by])
        exif = Image.Exif()
        exif[0x0112] = turned_by
        options["exif"] = exif
    return _saved(picture, "JPEG", **options)


def png_bytes(width: int, height: int) -> bytes:
    return _saved(draw_picture(width, height), "PNG")


def gif_bytes(width: int, height: int, frames: int) -> bytes:
    pictures = [draw_picture(width, height, tint=number * 40) for number in range(frames)]
    return _saved(pictures[0], "GIF", save_all=True, append_images=pictures[1:])


def _saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()
