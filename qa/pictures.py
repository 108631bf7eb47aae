"""An image with its boxes drawn, the one that is spoken of in front."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageDraw

from .subjects import CheckedImage

LONGEST_SIDE_PX = 360
_ABOUT = (255, 255, 0)
_OTHERS = (194, 202, 255)
_SHADE = (16, 18, 22)
_JPEG_QUALITY = 82


def draw_boxes(data: bytes, image: CheckedImage, object_key: str | None) -> bytes:
    """A JPEG of the image, at most LONGEST_SIDE_PX long, with every box.

    The box of `object_key` is drawn thick and last. Raises OSError where the bytes are no image.
    """
    with Image.open(BytesIO(data)) as opened:
        picture = opened.convert("RGB")
    scale = min(LONGEST_SIDE_PX / max(picture.size), 1.0)
    size = (max(round(picture.width * scale), 1), max(round(picture.height * scale), 1))
    picture = picture.resize(size, Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(picture)
    for item in sorted(image.objects, key=lambda item: item.key == object_key):
        is_about = item.key == object_key
        _frame(draw, _to_picture(item.box.xyxy, scale, size), is_about)
    buffer = BytesIO()
    picture.save(buffer, "JPEG", quality=_JPEG_QUALITY)
    return buffer.getvalue()


def _to_picture(
    xyxy: tuple[int, int, int, int], scale: float, size_wh: tuple[int, int]
) -> tuple[int, int, int, int]:
    """The outermost pixels of a box in the smaller picture, kept inside it."""
    xmin, ymin, xmax, ymax = xyxy
    left, right = (min(max(int(x * scale), 0), size_wh[0] - 1) for x in (xmin - 1, xmax - 1))
    top, bottom = (min(max(int(y * scale), 0), size_wh[1] - 1) for y in (ymin - 1, ymax - 1))
    return left, top, right, bottom


def _frame(draw: ImageDraw.ImageDraw, xyxy: tuple[int, int, int, int], is_about: bool) -> None:
    """A light line with a dark one around it, so that it shows on every photograph."""
    width = 3 if is_about else 1
    left, top, right, bottom = xyxy
    if is_about:
        draw.rectangle((left - 1, top - 1, right + 1, bottom + 1), outline=_SHADE, width=width + 2)
    draw.rectangle(xyxy, outline=_ABOUT if is_about else _OTHERS, width=width)
