"""Changes beyond the first thirty-five: combinations, occlusion, perspective, and sweeps.

No threshold was chosen for one of them by name. A sweep changes one number in small steps, so that
a cliff shows as two rows that differ much.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageOps

from .transformations import (
    Change,
    Picture,
    Transformation,
    add_border,
    add_noise,
    crop_corner,
    crop_middle,
    crop_one_side,
    cut,
    letterbox,
    resize,
    rotate,
    rotate_and_crop,
    write_caption,
)

LEAST = 0.9
"""No change but inversion may be found less often; the mean of all is to be 97 %."""


def one_after_another(*changes: Change) -> Change:
    """All the changes, the first one first."""

    def change(picture: Picture, random: Random) -> Picture:
        for one in changes:
            picture = one(picture, random)
        return picture

    return change


def mirror(picture: Picture, _random: Random) -> Picture:
    """Left and right changed."""
    return ImageOps.mirror(picture)


def put_sticker(share: float) -> Change:
    """Covers this share of the area by a disc with a face, anywhere."""

    def change(picture: Picture, random: Random) -> Picture:
        covered = picture.copy()
        radius = (share * picture.width * picture.height / 3.1416) ** 0.5
        radius = min(radius, min(picture.size) / 2 - 1)
        x = random.uniform(radius, picture.width - radius)
        y = random.uniform(radius, picture.height - radius)
        draw = ImageDraw.Draw(covered)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), "#fc3", "#222", 2)
        for side in (-0.35, 0.35):
            eye = x + side * radius, y - 0.25 * radius
            size = 0.1 * radius
            draw.ellipse((eye[0] - size, eye[1] - size, eye[0] + size, eye[1] + size), "#222")
        mouth = x - 0.5 * radius, y - 0.2 * radius, x + 0.5 * radius, y + 0.6 * radius
        draw.arc(mouth, 20, 160, "#222", max(int(radius / 10), 1))
        return covered

    return change


def take_screenshot(picture: Picture, _random: Random) -> Picture:
    """The picture in a phone's screen, with a bar of icons above and one of buttons below."""
    width = picture.width
    bar = width // 12
    sheet = Image.new("RGB", (width, picture.height + 4 * bar), "#111")
    sheet.paste(picture, (0, 2 * bar))
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(max(10, bar // 2))
    draw.text((bar, bar / 2), "12:41", "white", font)
    draw.rectangle((width - 2 * bar, bar // 2, width - bar, bar), outline="white")
    for number in range(4):
        x = (number + 0.5) * width / 4
        y = picture.height + 3 * bar
        draw.ellipse((x - bar / 3, y - bar / 3, x + bar / 3, y + bar / 3), outline="#ccc", width=2)
    return sheet


def fill_blurred(ratio: float) -> Change:
    """The picture before its own blurred enlargement, in another shape."""

    def change(picture: Picture, _random: Random) -> Picture:
        width, height = picture.size
        if width / height < ratio:
            size = round(height * ratio), height
        else:
            size = width, round(width / ratio)
        back = ImageOps.fit(picture, size).filter(ImageFilter.GaussianBlur(max(size) / 25))
        back.paste(picture, ((size[0] - width) // 2, (size[1] - height) // 2))
        return back

    return change


def tilt(share: float, *, is_cropped: bool = False) -> Change:
    """Seen from one side: the one edge is shorter by this share, black or cut at its corners."""

    def change(picture: Picture, random: Random) -> Picture:
        width, height = picture.size
        edge = share * height / 2
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        moved = corners.copy()
        side = random.choice((0, 1))
        moved[(0, 1)[side], 1] += edge
        moved[(3, 2)[side], 1] -= edge
        matrix = cv2.getPerspectiveTransform(corners, moved)
        levels = cv2.warpPerspective(np.asarray(picture), matrix, (width, height))
        tilted = Image.fromarray(levels)
        return cut(tilted, 0, share / 2, 0, share / 2) if is_cropped else tilted

    return change


def write_watermark(picture: Picture, _random: Random) -> Picture:
    """Half-transparent words across the middle."""
    layer = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    font = ImageFont.load_default(max(10, picture.height // 8))
    place = picture.width / 2, picture.height / 2
    ImageDraw.Draw(layer).text(place, "© SAMPLE", (255, 255, 255, 110), font, "mm")
    return Image.alpha_composite(picture.convert("RGBA"), layer).convert("RGB")


def write_box(picture: Picture, _random: Random) -> Picture:
    """Words in a black box across the foot, as of a subtitle."""
    boxed = picture.copy()
    draw = ImageDraw.Draw(boxed)
    top = round(picture.height * 0.84)
    draw.rectangle((0, top, picture.width, picture.height), "black")
    font = ImageFont.load_default(max(10, picture.height // 14))
    place = picture.width / 2, (top + picture.height) / 2
    draw.text(place, "what was said at that moment", "white", font, "mm")
    return boxed


def stamp_date(picture: Picture, _random: Random) -> Picture:
    """The orange date of a camera in the corner."""
    stamped = picture.copy()
    font = ImageFont.load_default(max(10, picture.height // 16))
    place = picture.width * 0.95, picture.height * 0.95
    ImageDraw.Draw(stamped).text(place, "12 8 '07", "#fa3", font, "rs")
    return stamped


def tint(colour: tuple[int, int, int], share: float) -> Change:
    """Mixed with this share of one colour, as a filter does."""
    return lambda picture, _random: Image.blend(
        picture, Image.new("RGB", picture.size, colour), share
    )


def darken_edges(picture: Picture, _random: Random) -> Picture:
    """The corners at less than half the light."""
    width, height = picture.size
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    light = 1 - 0.35 * np.minimum(x**2 + y**2, 2)
    return Image.fromarray((np.asarray(picture) * light[..., None]).astype(np.uint8))


def _filter(kind: ImageFilter.Filter) -> Change:
    return lambda picture, _random: picture.filter(kind)


def _posterise(picture: Picture, _random: Random) -> Picture:
    return ImageOps.posterize(picture, 3)


def _invert(picture: Picture, _random: Random) -> Picture:
    return ImageOps.invert(picture)


def _sweep(
    name: str, make: Callable[[float], Change], shares: tuple[float, ...]
) -> list[Transformation]:
    return [Transformation(f"{name} {share:g}", LEAST, make(share)) for share in shares]


MORE = (
    Transformation("mirror + crop 10 %", LEAST, one_after_another(mirror, crop_middle(0.1))),
    Transformation("mirror + corner 10 %", LEAST, one_after_another(mirror, crop_corner(0.1))),
    Transformation("mirror + 5 degrees", LEAST, one_after_another(mirror, rotate_and_crop(5))),
    Transformation(
        "stretch + crop 10 %", LEAST, one_after_another(resize(1, 1.1), crop_middle(0.1))
    ),
    Transformation(
        "stretch 1.25 + crop 15 %", LEAST, one_after_another(resize(1, 1.25), crop_corner(0.15))
    ),
    Transformation(
        "crop 10 % + caption", LEAST, one_after_another(crop_middle(0.1), write_caption)
    ),
    Transformation("crop + border", LEAST, one_after_another(crop_corner(0.1), add_border(0.05))),
    Transformation("turned + noise", LEAST, one_after_another(rotate_and_crop(3), add_noise(10))),
    Transformation("crop + small", LEAST, one_after_another(crop_middle(0.15), resize(0.3))),
    Transformation("caption + border", LEAST, one_after_another(write_caption, add_border(0.06))),
    Transformation("screenshot", LEAST, take_screenshot),
    Transformation("screenshot, small", LEAST, one_after_another(resize(0.4), take_screenshot)),
    Transformation("blurred fill to 16:9", LEAST, fill_blurred(16 / 9)),
    Transformation("blurred fill to 1:1", LEAST, fill_blurred(1)),
    Transformation("watermark", LEAST, write_watermark),
    Transformation("words in a box", LEAST, write_box),
    Transformation("date", LEAST, stamp_date),
    Transformation("warm filter", LEAST, tint((255, 160, 60), 0.3)),
    Transformation("faded", LEAST, tint((230, 230, 230), 0.4)),
    Transformation("dark corners", LEAST, darken_edges),
    Transformation("sharpened", LEAST, _filter(ImageFilter.UnsharpMask(3, 200))),
    Transformation("median 5", LEAST, _filter(ImageFilter.MedianFilter(5))),
    Transformation("posterised", LEAST, _posterise),
    Transformation("inverted", 0.0, _invert),
    *_sweep("sticker", put_sticker, (0.03, 0.06, 0.1, 0.15)),
    *_sweep("perspective", tilt, (0.05, 0.1, 0.15)),
    *_sweep("perspective, cropped", lambda it: tilt(it, is_cropped=True), (0.1, 0.2)),
    *_sweep("turned, black", rotate, (8, 12, 15)),
    *_sweep("turned, cropped", rotate_and_crop, (8, 12)),
    *_sweep("crop corner", crop_corner, (0.16, 0.25, 0.29)),
    *_sweep("crop side", crop_one_side, (0.25, 0.3, 0.4, 0.5)),
    *_sweep("crop middle", crop_middle, (0.25, 0.29)),
    *_sweep("border", add_border, (0.15, 0.2)),
    *_sweep("bars", letterbox, (0.2, 0.3)),
)
"""Forty-nine, of which inversion may be missed."""
