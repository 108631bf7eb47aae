"""Pages of different words in one light are no copies of one another, though light is coarse."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from .finder import list_merged, sign
from .photographs import resize

SHEETS = 12
Draw = Callable[[int], Image.Image]
Light = Callable[[Image.Image], Image.Image]


@cache
def draw_window(seed: int) -> Image.Image:
    """A window with a title, a list of words that is never the same, and buttons."""
    screen = Image.new("L", (640, 480), 216)
    draw = ImageDraw.Draw(screen)
    font = ImageFont.load_default(14)
    draw.rectangle((0, 0, 640, 26), fill=82)
    draw.rectangle((20, 60, 620, 400), fill=255, outline=136)
    for row, line in enumerate(make_words(seed, 14)):
        draw.text((30, 66 + row * 23), line, 0, font)
    for button in range(3):
        draw.rectangle((340 + button * 95, 430, 425 + button * 95, 460), fill=238, outline=85)
    return screen


@cache
def draw_slide(seed: int) -> Image.Image:
    """A slide with a title and six points."""
    slide = Image.new("L", (640, 480), 250)
    draw = ImageDraw.Draw(slide)
    font = ImageFont.load_default(20)
    draw.rectangle((0, 0, 640, 72), fill=70)
    title, *points = make_words(seed, 7)
    draw.text((24, 20), title, 255, ImageFont.load_default(28))
    for row, point in enumerate(points):
        draw.text((56, 104 + row * 56), point, 30, font)
    draw.rectangle((0, 456, 640, 480), fill=120)
    return slide


def make_words(seed: int, lines: int) -> list[str]:
    random = np.random.default_rng(seed)
    letters = (random.integers(97, 123, random.integers(14, 40)) for _ in range(lines))
    return ["".join(chr(letter) for letter in line) for line in letters]


def light_from(across: float, down: float) -> Light:
    """Light that falls off by these shares sideways and downwards."""

    def shine(sheet: Image.Image) -> Image.Image:
        width, height = sheet.size
        falls = across * np.linspace(1, 0, width)[None] + down * np.linspace(0, 1, height)[:, None]
        return Image.fromarray((np.asarray(sheet) * (1 - falls)).astype(np.uint8))

    return shine


def darken_corners(sheet: Image.Image) -> Image.Image:
    """The sheet with corners darkened by 30 %, as a lens does."""
    y, x = np.mgrid[-1 : 1 : sheet.height * 1j, -1 : 1 : sheet.width * 1j]
    return Image.fromarray((np.asarray(sheet) * (1 - 0.15 * (x * x + y * y))).astype(np.uint8))


def soften(sheet: Image.Image) -> Image.Image:
    return light_from(0.2, 0.1)(sheet.filter(ImageFilter.GaussianBlur(2)))


LIGHTS: dict[str, Light] = {
    "a tenth less at one side": light_from(0.1, 0),
    "a third less at the foot": light_from(0, 0.3),
    "dark corners": darken_corners,
    "soft": soften,
}


@pytest.mark.parametrize("draw", [draw_window, draw_slide])
@pytest.mark.parametrize("name", LIGHTS)
def test_different_pages_in_one_light_are_not_merged_but_copies(name: str, draw: Draw) -> None:
    sheets = [LIGHTS[name](draw(seed)) for seed in range(SHEETS)]
    copy = sign(resize(sheets[0], 0.6), quality=60)
    assert list_merged([*(sign(sheet) for sheet in sheets), copy]) == [(0, SHEETS)]
