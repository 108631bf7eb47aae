"""What people do to photographs that they copy: thirty transformations and more, each with a goal.

The goals are shares of photographs that are to be found again. Every transformation is the same on
every run; what it draws (which side, which colour, which corner) it draws from the given generator.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps

JPEG_QUALITY = 88
"""Of every rendition that does not say otherwise: whoever changes a photograph saves it again."""

Picture = Image.Image
Change = Callable[[Picture, Random], Picture]
COLOURS = ("black", "white", "#888", "#234")


@dataclass(frozen=True)
class Transformation:
    """One way to change a photograph, and the share that must be found again (0 to 1)."""

    name: str
    goal: float
    change: Change
    quality: int = JPEG_QUALITY

    def render(self, picture: Picture, random: Random) -> bytes:
        """The JPEG file of the changed photograph."""
        return save_jpeg(self.change(picture, random), self.quality)


@dataclass(frozen=True)
class Collage:
    """A way to put a photograph among others, so many in all; it is to be reported, not merged."""

    name: str
    goal: float
    columns: int
    rows: int

    def render(self, picture: Picture, others: Sequence[Picture], random: Random) -> bytes:
        """The JPEG file of the collage that holds the picture whole."""
        width, height = 640 // self.columns, 480 // self.rows
        gap = random.choice((0, 4, 8))
        sheet = Image.new("RGB", (640, 480), "white")
        spot = random.randrange(self.columns * self.rows)
        for number in range(self.columns * self.rows):
            shown = picture if number == spot else random.choice(others)
            tile = shown.resize((width - gap, height - gap))
            row, column = divmod(number, self.columns)
            sheet.paste(tile, (column * width + gap // 2, row * height + gap // 2))
        return save_jpeg(sheet, JPEG_QUALITY)


def save_jpeg(picture: Picture, quality: int) -> bytes:
    """The picture as a JPEG file."""
    file = io.BytesIO()
    picture.convert("RGB").save(file, "JPEG", quality=quality)
    return file.getvalue()


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

    def change(picture: Picture, random: Random) -> Picture:
        shares = [0.0] * 4
        shares[random.randrange(4)] = share
        return cut(picture, *shares)

    return change


def crop_corner(share: float) -> Change:
    """Cuts the share off from two neighbouring sides."""

    def change(picture: Picture, random: Random) -> Picture:
        shares = [0.0] * 4
        shares[random.choice((0, 2))] = shares[random.choice((1, 3))] = share
        return cut(picture, *shares)

    return change


def resize(share: float, stretch: float = 1.0) -> Change:
    """Scales both sides, the width also by `stretch`."""

    def change(picture: Picture, _random: Random) -> Picture:
        width, height = picture.size
        return picture.resize(
            (max(round(width * share * stretch), 8), max(round(height * share), 8)),
            Image.Resampling.LANCZOS,
        )

    return change


def add_noise(deviation_levels: float) -> Change:
    """Adds noise of a normal distribution to each channel."""

    def change(picture: Picture, random: Random) -> Picture:
        levels = np.asarray(picture).astype(np.float32)
        noise = np.random.default_rng(random.randrange(1 << 30)).normal(
            0, deviation_levels, levels.shape
        )
        return Image.fromarray(np.clip(levels + noise, 0, 255).astype(np.uint8))

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

    def change(picture: Picture, random: Random) -> Picture:
        width_px = round(share * max(picture.size))
        return ImageOps.expand(picture, width_px, random.choice(COLOURS))

    return change


def letterbox(share: float) -> Change:
    """Adds black bars above and below, each of this share of the height."""

    def change(picture: Picture, _random: Random) -> Picture:
        bar_px = round(share * picture.height)
        sheet = Image.new("RGB", (picture.width, picture.height + 2 * bar_px))
        sheet.paste(picture, (0, bar_px))
        return sheet

    return change


def rotate(degrees: float) -> Change:
    """Turns the picture one way or the other and fills the corners with black."""

    def change(picture: Picture, random: Random) -> Picture:
        angle = degrees * random.choice((-1, 1))
        return picture.rotate(angle, Image.Resampling.BICUBIC)

    return change


def rotate_and_crop(degrees: float) -> Change:
    """Turns the picture and cuts it so that no corner is empty, as editors do."""

    def change(picture: Picture, random: Random) -> Picture:
        width, height = picture.size
        angle = math.radians(degrees)
        slimness = max(width / height, height / width)
        share = 1 - 1 / (math.cos(angle) + slimness * math.sin(angle))
        return cut(rotate(degrees)(picture, random), *[share / 2] * 4)

    return change


def write_caption(picture: Picture, _random: Random) -> Picture:
    """Writes a line across the foot of the picture."""
    captioned = picture.copy()
    draw = ImageDraw.Draw(captioned)
    font = ImageFont.load_default(max(10, picture.height // 14))
    place = picture.width / 2, picture.height * 0.93
    draw.text(
        place, "Summer 2009, by the sea", "white", font, "mm", stroke_width=2, stroke_fill="black"
    )
    return captioned


def add_meme_bars(picture: Picture, random: Random) -> Picture:
    """Adds bars with words above and below, each of 18 % of the height."""
    bar_px = round(0.18 * picture.height)
    paper, ink = random.choice((("white", "black"), ("black", "white")))
    sheet = Image.new("RGB", (picture.width, picture.height + 2 * bar_px), paper)
    sheet.paste(picture, (0, bar_px))
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(max(10, bar_px // 2))
    for middle, words in ((0.5, "WHEN YOU FINALLY"), (1.5, "FIND THE PHOTO")):
        y = middle * bar_px + (picture.height if middle > 1 else 0)
        draw.text((picture.width / 2, y), words, ink, font, "mm")
    return sheet


def _enhance(kind: Callable[[Picture], ImageEnhance._Enhance], factor: float) -> Change:
    return lambda picture, _random: kind(picture).enhance(factor)


def _transpose(method: Image.Transpose) -> Change:
    return lambda picture, _random: picture.transpose(method)


def _keep(picture: Picture, _random: Random) -> Picture:
    return picture


TRANSFORMATIONS = (
    Transformation("recompressed, quality 50", 1.0, _keep, quality=50),
    Transformation("recompressed, quality 20", 1.0, _keep, quality=20),
    Transformation("resized to 50 %", 1.0, resize(0.5)),
    Transformation("resized to 20 %", 1.0, resize(0.2)),
    Transformation("stretched by 1.25", 1.0, resize(1.0, stretch=1.25)),
    Transformation("blurred by 2 px", 1.0, lambda p, _: p.filter(ImageFilter.GaussianBlur(2))),
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
    Transformation("mirrored", 0.95, _transpose(Image.Transpose.FLIP_LEFT_RIGHT)),
    Transformation("turned by 90 degrees", 0.95, _transpose(Image.Transpose.ROTATE_90)),
    Transformation("turned by 180 degrees", 0.95, _transpose(Image.Transpose.ROTATE_180)),
    Transformation("turned by 270 degrees", 0.95, _transpose(Image.Transpose.ROTATE_270)),
    Transformation("meme bars", 0.95, add_meme_bars),
    Transformation("crop 20 %, middle", 0.85, crop_middle(0.20)),
    Transformation("crop 20 %, one side", 0.85, crop_one_side(0.20)),
    Transformation("crop 20 %, corner", 0.85, crop_corner(0.20)),
    Transformation("border 10 %", 0.85, add_border(0.10)),
)

COLLAGES = (
    Collage("collage of two", 0.0, columns=2, rows=1),
    Collage("collage of four", 0.0, columns=2, rows=2),
)

BY_NAME: dict[str, Transformation | Collage] = {
    change.name: change for change in (*TRANSFORMATIONS, *COLLAGES)
}
"""What a worker process is told: functions of functions cannot be sent to it."""
