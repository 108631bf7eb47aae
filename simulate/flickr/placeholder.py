"""The picture that Flickr shows instead of one that is no longer there."""

from __future__ import annotations

from functools import cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

FOLDER = "/pw/images/en-us/"
SIDES_PX = {f"{FOLDER}photo_unavailable.png": 375, f"{FOLDER}photo_unavailable_l.png": 1024}
"""The paths of the two placeholders and their longest sides; Flickr redirects to them."""

TEXT = "This photo is no longer available"


def choose_path(longest_side_px: int) -> str:
    """The placeholder for a picture of this size."""
    small, large = SIDES_PX
    return large if longest_side_px > 500 else small


@cache
def draw_placeholder(path: str) -> bytes:
    """The placeholder as a PNG file: a whole, valid picture, which is the trap."""
    side = SIDES_PX[path]
    image = Image.new("RGB", (side, side * 2 // 3), (243, 245, 246))
    font = ImageFont.load_default(side / 20)
    centre = (image.width / 2, image.height / 2)
    ImageDraw.Draw(image).text(centre, TEXT, fill=(120, 125, 130), font=font, anchor="mm")
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
