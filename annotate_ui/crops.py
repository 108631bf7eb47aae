"""Crops of objects with a little of what is around them, small, as a judge sees them."""

from __future__ import annotations

import re
from io import BytesIO

from PIL import Image, ImageDraw

Xyxy = tuple[int, int, int, int]

LONGEST_SIDE_PX = 320
LEAST_SIDE_PX = 120
MARGIN = 0.15
LEAST_MARGIN_PX = 6
_QUALITY = 85
_CORNERS = re.compile(r"(\d{1,5})-(\d{1,5})-(\d{1,5})-(\d{1,5})")


def parse_corners(words: str) -> Xyxy | None:
    """The box that `xmin-ymin-xmax-ymax` names, or None where that is no box."""
    match = _CORNERS.fullmatch(words)
    if match is None:
        return None
    xmin, ymin, xmax, ymax = (int(word) for word in match.groups())
    return (xmin, ymin, xmax, ymax) if 1 <= xmin <= xmax and 1 <= ymin <= ymax else None


def name_crop(sha256: str, xyxy: Xyxy, *, is_framed: bool = False) -> str:
    """Where the page finds a crop."""
    corners = "-".join(str(one) for one in xyxy)
    return f"/crops/{sha256}/{corners}.jpg{'?framed=1' if is_framed else ''}"


def cut_crop(data: bytes, xyxy: Xyxy, *, is_framed: bool) -> bytes | None:
    """A JPEG of the box with a margin, at most LONGEST_SIDE_PX long, or None outside the image.

    A tiny object is enlarged, so that it can be judged at all. Raises OSError where the bytes are
    no image.
    """
    with Image.open(BytesIO(data)) as opened:
        wide, high = opened.size
        xmin, ymin, xmax, ymax = xyxy
        if xmin > wide or ymin > high:
            return None
        share = 0.6 if is_framed else MARGIN
        margin = max(LEAST_MARGIN_PX, round(share * max(xmax - xmin + 1, ymax - ymin + 1)))
        left, top = max(xmin - 1 - margin, 0), max(ymin - 1 - margin, 0)
        right, bottom = min(xmax + margin, wide), min(ymax + margin, high)
        picture = opened.convert("RGB").crop((left, top, right, bottom))
    scale = _choose_scale(max(picture.size))
    size = tuple(max(round(side * scale), 1) for side in picture.size)
    picture = picture.resize((size[0], size[1]), Image.Resampling.LANCZOS)
    if is_framed:
        _draw_frame(picture, (xmin - 1 - left, ymin - 1 - top, xmax - left, ymax - top), scale)
    buffer = BytesIO()
    picture.save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()


def _choose_scale(longest_px: int) -> float:
    if longest_px > LONGEST_SIDE_PX:
        return LONGEST_SIDE_PX / longest_px
    return max(LEAST_SIDE_PX / longest_px, 1.0)


def _draw_frame(picture: Image.Image, edges: Xyxy, scale: float) -> None:
    left, top, right, bottom = (round(edge * scale) for edge in edges)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((left - 1, top - 1, right, bottom), outline=(16, 18, 22), width=4)
    draw.rectangle((left, top, right - 1, bottom - 1), outline=(255, 255, 0), width=2)
