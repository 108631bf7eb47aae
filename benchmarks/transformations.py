"""Changes that people make to copied photographs: thirty-five and others, each with a goal.

The goals are shares of photographs that are to be found again. Every transformation is the same on
every run; what it draws (which side, which colour, which corner) it draws from the given generator.
A sweep changes one number in small steps, so that a sudden loss shows as rows that differ much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps

from .photographs import save

JPEG_QUALITY = 88
"""Of every rendition that sets no other, since a changed photograph is saved again."""

Picture = Image.Image
Change = Callable[[Picture, Random], Picture]
COLOURS = ("black", "white", "#888", "#234")
LEAST = 0.9
"""No other change but inversion may be found less often; the mean of all is to be 97 %."""


@dataclass(frozen=True)
class Transformation:
    """One way to change a photograph, and the share that must be found again (0 to 1)."""

    name: str
    goal: float
    change: Change
    quality: int = JPEG_QUALITY

    def render(self, picture: Picture, random: Random) -> bytes:
        """The JPEG file of the changed photograph."""
        return save(self.change(picture, random), self.quality)


def cut(picture: Picture, left: float, top: float, right: float, bottom: float) -> Picture:
    """The picture without these shares of its sides."""
    width, height = picture.size
    ends = width - round(width * right), height - round(height * bottom)
    return picture.crop((round(width * left), round(height * top), *ends))


def crop_middle(share: float) -> Change:
    """Cuts half of the share off from each of the four sides."""
    return lambda picture, _random: cut(picture, *[share / 2] * 4)


def crop_one_side(share: float) -> Change:
    """Cuts the share off from one side."""
    return lambda picture, random: cut(picture, *random.sample((share, 0, 0, 0), 4))


def crop_corner(share: float) -> Change:
    """Cuts the share off from two neighbouring sides."""
    corners = [(x, y, share - x, share - y) for x in (0, share) for y in (0, share)]
    return lambda picture, random: cut(picture, *random.choice(corners))


def resize(share: float, stretch: float = 1.0) -> Change:
    """Scales both sides, the width also by `stretch`."""
    return lambda picture, _random: picture.resize(
        (round(picture.width * share * stretch), round(picture.height * share)),
        Image.Resampling.LANCZOS,
    )


def add_noise(deviation_levels: float) -> Change:
    """Adds noise of a normal distribution to each channel."""

    def change(picture: Picture, random: Random) -> Picture:
        numbers = np.random.default_rng(random.randrange(1 << 30))
        levels = np.asarray(picture)
        return from_levels(levels + numbers.normal(0, deviation_levels, levels.shape))

    return change


def bend_tones(gamma: float) -> Change:
    """Raises every level to a power."""
    table = [round(255 * (level / 255) ** gamma) for level in range(256)] * 3
    return lambda picture, _random: picture.point(table)


def turn_hue(degrees: float) -> Change:
    """Turns every colour by an angle."""

    def change(picture: Picture, _random: Random) -> Picture:
        hue, saturation, value = picture.convert("HSV").split()
        turned = hue.point([(level + round(degrees / 360 * 256)) % 256 for level in range(256)])
        return Image.merge("HSV", (turned, saturation, value)).convert("RGB")

    return change


def add_border(share: float) -> Change:
    """Adds a border of one colour, as wide as this share of the longer side."""
    return lambda picture, random: ImageOps.expand(
        picture, round(share * max(picture.size)), random.choice(COLOURS)
    )


def letterbox(share: float) -> Change:
    """Adds black bars above and below, each of this share of the height."""
    return lambda picture, _random: ImageOps.expand(picture, (0, round(share * picture.height)))


def rotate(degrees: float) -> Change:
    """Turns the picture one way or the other and fills the corners with black."""
    return lambda picture, random: picture.rotate(
        degrees * random.choice((-1, 1)), Image.Resampling.BICUBIC
    )


def rotate_and_crop(degrees: float) -> Change:
    """Turns the picture and cuts it so that no corner is empty, as editors do."""

    def change(picture: Picture, random: Random) -> Picture:
        width, height = picture.size
        angle = math.radians(degrees)
        slimness = max(width / height, height / width)
        share = 1 - 1 / (math.cos(angle) + slimness * math.sin(angle))
        return cut(rotate(degrees)(picture, random), *[share / 2] * 4)

    return change


def write(picture: Picture, words: str, x: float, y: float, size: float, **how: Any) -> Picture:
    """The picture with words in the middle of these shares of its width and height."""
    written = picture.copy()
    font = ImageFont.load_default(max(10, size * picture.height))
    place = x * picture.width, y * picture.height
    ImageDraw.Draw(written).text(place, words, font=font, anchor="mm", **how)
    return written


def write_over(size: float, lines: dict[str, float]) -> Change:
    """Writes lines in white with a black edge over the picture, each at a share of its height."""
    how: dict[str, Any] = {"fill": "white", "stroke_width": 2, "stroke_fill": "black"}

    def change(picture: Picture, _random: Random) -> Picture:
        for words, y in lines.items():
            picture = write(picture, words, 0.5, y, size, **how)
        return picture

    return change


def add_meme_bars(picture: Picture, random: Random) -> Picture:
    """Adds bars with words above and below, each of 18 % of the height."""
    paper, ink = random.choice((("white", "black"), ("black", "white")))
    sheet = ImageOps.expand(picture, (0, round(0.18 * picture.height)), paper)
    sheet = write(sheet, "WHEN YOU FINALLY", 0.5, 0.066, 1 / 15, fill=ink)
    return write(sheet, "FIND THE PHOTO", 0.5, 0.934, 1 / 15, fill=ink)


def _enhance(kind: Callable[[Picture], ImageEnhance._Enhance], factor: float) -> Change:
    return lambda picture, _random: kind(picture).enhance(factor)


def _transpose(method: Image.Transpose) -> Change:
    return lambda picture, _random: picture.transpose(method)


def one_after_another(*changes: Change) -> Change:
    """All the changes, the first one first."""

    def change(picture: Picture, random: Random) -> Picture:
        for step in changes:
            picture = step(picture, random)
        return picture

    return change


def put_sticker(share: float) -> Change:
    """Covers this share of the area by a disc with a face, anywhere."""

    def change(picture: Picture, random: Random) -> Picture:
        covered = picture.copy()
        radius = (share * picture.width * picture.height / math.pi) ** 0.5
        radius = min(radius, min(picture.size) / 2 - 1)
        x = random.uniform(radius, picture.width - radius)
        y = random.uniform(radius, picture.height - radius)
        draw = ImageDraw.Draw(covered)
        draw.circle((x, y), radius, "#fc3", "#222", 2)
        for side in (-0.35, 0.35):
            draw.circle((x + side * radius, y - 0.25 * radius), 0.1 * radius, "#222")
        mouth = x - 0.5 * radius, y - 0.2 * radius, x + 0.5 * radius, y + 0.6 * radius
        draw.arc(mouth, 20, 160, "#222", max(int(radius / 10), 1))
        return covered

    return change


def take_screenshot(picture: Picture, _random: Random) -> Picture:
    """The picture in a phone's screen, with a bar of icons above and one of buttons below."""
    width = picture.width
    bar = width // 12
    sheet = ImageOps.expand(picture, (0, 2 * bar), "#111")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(max(10, bar // 2))
    draw.text((bar, bar / 2), "12:41", "white", font)
    draw.rectangle((width - 2 * bar, bar // 2, width - bar, bar), outline="white")
    for number in range(4):
        middle = (number + 0.5) * width / 4, picture.height + 3 * bar
        draw.circle(middle, bar / 3, outline="#ccc", width=2)
    return sheet


def fill_blurred(ratio: float) -> Change:
    """The picture before its own blurred enlargement, in another shape."""

    def change(picture: Picture, _random: Random) -> Picture:
        width, height = picture.size
        size = max(width, round(height * ratio)), max(height, round(width / ratio))
        back = ImageOps.fit(picture, size).filter(ImageFilter.GaussianBlur(max(size) / 25))
        back.paste(picture, ((size[0] - width) // 2, (size[1] - height) // 2))
        return back

    return change


def tilt(share: float, *, is_cropped: bool = False) -> Change:
    """Seen from one side: the right edge is shorter by this share, its corners black or cut."""

    def change(picture: Picture, _random: Random) -> Picture:
        width, height = picture.size
        edge = share * picture.height / 2
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        moved = corners + np.array([[0, 0], [0, edge], [0, -edge], [0, 0]], np.float32)
        matrix = cv2.getPerspectiveTransform(corners, moved)
        tilted = from_levels(cv2.warpPerspective(np.asarray(picture), matrix, picture.size))
        return cut(tilted, 0, share / 2, 0, share / 2) if is_cropped else tilted

    return change


def write_watermark(picture: Picture, _random: Random) -> Picture:
    """Half-transparent words across the middle."""
    white = write(picture, "© SAMPLE", 0.5, 0.5, 1 / 8, fill="white")
    return Image.blend(picture, white, 110 / 255)


def write_box(picture: Picture, _random: Random) -> Picture:
    """Words in a black box across the foot, as of a subtitle."""
    boxed = picture.copy()
    top = round(picture.height * 0.84)
    ImageDraw.Draw(boxed).rectangle((0, top, *picture.size), "black")
    return write(boxed, "what was said at that moment", 0.5, 0.92, 1 / 14, fill="white")


def tint(colour: tuple[int, int, int], share: float) -> Change:
    """Mixed with this share of one colour, as a filter does."""
    return lambda picture, _random: Image.blend(
        picture, Image.new("RGB", picture.size, colour), share
    )


def darken_edges(picture: Picture, _random: Random) -> Picture:
    """The corners at less than half the light."""
    y, x = np.mgrid[-1 : 1 : picture.height * 1j, -1 : 1 : picture.width * 1j]
    return from_levels(np.asarray(picture) * (1 - 0.35 * (x**2 + y**2))[..., None])


def from_levels(levels: NDArray[Any]) -> Picture:
    """The picture of these levels, cut off at black and white."""
    return Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8))


def _filter(kind: ImageFilter.Filter) -> Change:
    return lambda picture, _random: picture.filter(kind)


MIRROR = _transpose(Image.Transpose.FLIP_LEFT_RIGHT)
write_caption = write_over(1 / 14, {"Summer 2009, by the sea": 0.93})

TRANSFORMATIONS = (
    Transformation("recompressed, quality 50", 1.0, lambda p, _: p, quality=50),
    Transformation("recompressed, quality 20", 1.0, lambda p, _: p, quality=20),
    Transformation("resized to 50 %", 1.0, resize(0.5)),
    Transformation("resized to 20 %", 1.0, resize(0.2)),
    Transformation("stretched by 1.25", 1.0, resize(1.0, stretch=1.25)),
    Transformation("blurred by 2 px", 1.0, _filter(ImageFilter.GaussianBlur(2))),
    Transformation("noise of 12 levels", 1.0, add_noise(12)),
    Transformation("grey", 1.0, lambda p, _: p.convert("L").convert("RGB")),
    Transformation("brightness times 1.4", 1.0, _enhance(ImageEnhance.Brightness, 1.4)),
    Transformation("brightness times 0.5", 1.0, _enhance(ImageEnhance.Brightness, 0.5)),
    Transformation("contrast times 1.5", 1.0, _enhance(ImageEnhance.Contrast, 1.5)),
    Transformation("automatic contrast", 1.0, lambda p, _: ImageOps.autocontrast(p, 2)),
    Transformation("caption", 0.99, write_caption),
    Transformation("hue by 30 degrees", 0.99, turn_hue(30)),
    Transformation("gamma 1.6", 0.99, bend_tones(1.6)),
    Transformation("gamma 0.6", 0.99, bend_tones(0.6)),
    Transformation("crop 5 %, middle", 0.99, crop_middle(0.05)),
    Transformation("crop 5 %, one side", 0.99, crop_one_side(0.05)),
    Transformation("turned by 2 degrees", 0.99, rotate(2)),
    Transformation("crop 10 %, middle", 0.95, crop_middle(0.10)),
    Transformation("crop 10 %, one side", 0.95, crop_one_side(0.10)),
    Transformation("crop 10 %, corner", 0.95, crop_corner(0.10)),
    Transformation("border 5 %", 0.95, add_border(0.05)),
    Transformation("letterbox 10 %", 0.95, letterbox(0.10)),
    Transformation("turned by 5 degrees", 0.95, rotate(5)),
    Transformation("turned by 5 degrees, cropped", 0.95, rotate_and_crop(5)),
    Transformation("mirrored", 0.95, MIRROR),
    Transformation("turned by 90 degrees", 0.95, _transpose(Image.Transpose.ROTATE_90)),
    Transformation("turned by 180 degrees", 0.95, _transpose(Image.Transpose.ROTATE_180)),
    Transformation("turned by 270 degrees", 0.95, _transpose(Image.Transpose.ROTATE_270)),
    Transformation("meme bars", 0.95, add_meme_bars),
    Transformation("crop 20 %, middle", 0.85, crop_middle(0.20)),
    Transformation("crop 20 %, one side", 0.85, crop_one_side(0.20)),
    Transformation("crop 20 %, corner", 0.85, crop_corner(0.20)),
    Transformation("border 10 %", 0.85, add_border(0.10)),
)

_OTHERS: dict[str, Change] = {
    "mirror + crop 10 %": one_after_another(MIRROR, crop_middle(0.1)),
    "mirror + corner 10 %": one_after_another(MIRROR, crop_corner(0.1)),
    "mirror + 5 degrees": one_after_another(MIRROR, rotate_and_crop(5)),
    "stretch + crop 10 %": one_after_another(resize(1, 1.1), crop_middle(0.1)),
    "stretch 1.25 + crop 15 %": one_after_another(resize(1, 1.25), crop_corner(0.15)),
    "crop 10 % + caption": one_after_another(crop_middle(0.1), write_caption),
    "crop + border": one_after_another(crop_corner(0.1), add_border(0.05)),
    "turned + noise": one_after_another(rotate_and_crop(3), add_noise(10)),
    "crop + small": one_after_another(crop_middle(0.15), resize(0.3)),
    "caption + border": one_after_another(write_caption, add_border(0.06)),
    "screenshot": take_screenshot,
    "screenshot, small": one_after_another(resize(0.4), take_screenshot),
    "blurred fill to 16:9": fill_blurred(16 / 9),
    "blurred fill to 1:1": fill_blurred(1),
    "meme": write_over(1 / 9, {"ONE DOES NOT": 0.09, "SIMPLY": 0.21, "WALK OUT OF HERE": 0.9}),
    "watermark": write_watermark,
    "words in a box": write_box,
    "date": lambda picture, _: write(picture, "12 8 '07", 0.86, 0.93, 1 / 16, fill="#fa3"),
    "warm filter": tint((255, 160, 60), 0.3),
    "faded": tint((230, 230, 230), 0.4),
    "dark corners": darken_edges,
    "sharpened": _filter(ImageFilter.UnsharpMask(3, 200)),
    "median 5": _filter(ImageFilter.MedianFilter(5)),
    "posterised": lambda picture, _: ImageOps.posterize(picture, 3),
}
_SWEEPS: dict[str, tuple[Callable[[float], Change], tuple[float, ...]]] = {
    "sticker": (put_sticker, (0.03, 0.06, 0.1, 0.15)),
    "perspective": (tilt, (0.05, 0.1, 0.15)),
    "perspective, cropped": (partial(tilt, is_cropped=True), (0.1, 0.2)),
    "turned, black": (rotate, (8, 12, 15)),
    "turned, cropped": (rotate_and_crop, (8, 12)),
    "crop corner": (crop_corner, (0.16, 0.25, 0.29)),
    "crop side": (crop_one_side, (0.25, 0.3, 0.4, 0.5)),
    "crop middle": (crop_middle, (0.25, 0.29)),
    "border": (add_border, (0.15, 0.2)),
    "bars": (letterbox, (0.2, 0.3)),
}
MORE = (
    *(Transformation(name, LEAST, change) for name, change in _OTHERS.items()),
    *(
        Transformation(f"{name} {share:g}", LEAST, make(share))
        for name, (make, shares) in _SWEEPS.items()
        for share in shares
    ),
    Transformation("inverted", 0.0, lambda picture, _: ImageOps.invert(picture)),
)
"""Fifty-two, of which inversion may be missed."""

BY_NAME = {change.name: change for change in (*TRANSFORMATIONS, *MORE)}
"""The names that are sent to a worker process, since closures cannot be sent."""
