"""What people do to photographs that they copy: thirty-five changes, and others, each with a goal.

The goals are shares of photographs that are to be found again. Every transformation is the same on
every run; what it draws (which side, which colour, which corner) it draws from the given generator.
No threshold was chosen for one of the others by name; a sweep changes one number in small steps, so
that a cliff shows as two rows that differ much.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps

JPEG_QUALITY = 88
"""Of every rendition that does not say otherwise: whoever changes a photograph saves it again."""

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


def one_after_another(*changes: Change) -> Change:
    """All the changes, the first one first."""

    def change(picture: Picture, random: Random) -> Picture:
        for one in changes:
            picture = one(picture, random)
        return picture

    return change


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


MIRROR = _transpose(Image.Transpose.FLIP_LEFT_RIGHT)

TRANSFORMATIONS = (
    Transformation("recompressed, quality 50", 1.0, _keep, quality=50),
    Transformation("recompressed, quality 20", 1.0, _keep, quality=20),
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
    "watermark": write_watermark,
    "words in a box": write_box,
    "date": stamp_date,
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
"""Fifty-one, of which inversion may be missed."""

COLLAGES = (
    Collage("collage of two", 0.0, columns=2, rows=1),
    Collage("collage of four", 0.0, columns=2, rows=2),
)

BY_NAME: dict[str, Transformation | Collage] = {
    change.name: change for change in (*TRANSFORMATIONS, *MORE, *COLLAGES)
}
"""What a worker process is told: functions of functions cannot be sent to it."""
