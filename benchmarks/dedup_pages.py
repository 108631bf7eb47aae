"""How many unlike pages, screens and discs are merged where light falls on them unevenly.

    python -m benchmarks.dedup_pages [--sheets 16] [--kinds window slide]

Draws sheets of one layout each, no two of them with the same words, and shows them as a camera
does: with light that falls off, dark corners, out of focus, with noise. Prints for each kind and
light how many pairs of different sheets are merged, and how many of their copies are found again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from benchmarks.transformations import save_jpeg
from catalog.settings import DedupSettings
from dedup.among import find_pairs_among
from dedup.signature.brightness import read_brightness
from dedup.signature.signature import Signature, make_signature

NOISE_LEVELS = 2.0
BLUR_WIDTH_PX = 400
"""Radii of blur are told in pixels of a sheet so wide."""

Picture = Image.Image
Draw = Callable[[np.random.Generator], Picture]


@dataclass(frozen=True)
class Light:
    """By which share light falls off to the left, to the foot and to the corners; how soft."""

    name: str
    left: float = 0.0
    foot: float = 0.0
    corners: float = 0.0
    blur_px: float = 0.0

    def show(self, sheet: Picture, random: np.random.Generator) -> Picture:
        """The sheet as a camera shows it."""
        soft = sheet.filter(ImageFilter.GaussianBlur(self.blur_px * sheet.width / BLUR_WIDTH_PX))
        y, x = np.mgrid[0 : 1 : sheet.height * 1j, 0 : 1 : sheet.width * 1j]
        radius = ((x - 0.5) ** 2 + (y - 0.5) ** 2) * 2
        light = 1 - self.left * (1 - x) - self.foot * y - self.corners * radius
        levels = np.asarray(soft) * light + random.normal(0, NOISE_LEVELS, light.shape)
        return Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8))


LIGHTS = (
    Light("even"),
    Light("5 %", left=0.05),
    Light("10 %", left=0.1),
    Light("20 %", left=0.2),
    Light("30 %", left=0.3),
    Light("10 and 20 %, two ways", left=0.1, foot=0.2),
    Light("corners 30 %", corners=0.3),
    Light("blur 1", blur_px=1),
    Light("blur 2", blur_px=2),
    Light("30 %, blur 1", left=0.3, blur_px=1),
    Light("30 %, blur 2", left=0.3, blur_px=2),
)


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sheets", type=int, default=16)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    pairs = options.sheets * (options.sheets - 1) // 2
    print(
        f"Of {pairs} pairs each how many were merged; of {options.sheets} copies how many found\n"
    )
    print(f"| kind | {' | '.join(light.name for light in LIGHTS)} |")
    print("|---" * (1 + len(LIGHTS)) + "|")
    for kind in options.kinds:
        cells = [measure(KINDS[kind], light, options.sheets) for light in LIGHTS]
        print(f"| {kind} | {' | '.join(f'{it.merged}; {it.found}' for it in cells)} |", flush=True)


@dataclass(frozen=True)
class Cell:
    """How many pairs of different sheets were merged, and how many copies with their original."""

    merged: int
    found: int


def measure(draw: Draw, light: Light, count: int) -> Cell:
    """Show so many sheets in a light, and a smaller copy of each, and compare them all."""
    randoms = [np.random.default_rng(seed) for seed in range(count)]
    sheets = [light.show(draw(random), random) for random in randoms]
    copies = [sheet.resize((sheet.width * 3 // 5, sheet.height * 3 // 5)) for sheet in sheets]
    signatures = [*(sign(sheet, 90) for sheet in sheets), *(sign(copy, 60) for copy in copies)]
    merged = find_merged(signatures)
    return Cell(
        sum(second < count for _first, second in merged),
        sum(second == first + count for first, second in merged),
    )


def find_merged(signatures: Sequence[Signature]) -> list[tuple[int, int]]:
    """The pairs that are held for one photograph."""
    pairs = find_pairs_among(signatures, DedupSettings())
    return [pair.ids for pair in pairs if pair.relation == "duplicate"]


def sign(sheet: Picture, quality: int) -> Signature:
    """The signature of a sheet's file."""
    return make_signature(read_brightness(save_jpeg(sheet, quality)))


def write(random: np.random.Generator, most: int, least: int = 12) -> str:
    """Words of random letters, so many letters in all."""
    letters = "".join(chr(one) for one in random.integers(97, 123, most))
    spaces = random.random(most) < 0.17
    line = "".join(" " if gap else one for one, gap in zip(letters, spaces, strict=True))
    return line[: int(random.integers(least, most + 1))]


def font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own."""
    return ImageFont.load_default(size_px)


def draw_window(random: np.random.Generator) -> Picture:
    """A window with a list of words and three buttons."""
    screen = Image.new("L", (640, 480), 216)
    draw = ImageDraw.Draw(screen)
    draw.rectangle((0, 0, 640, 26), fill=82)
    draw.rectangle((20, 60, 620, 400), fill=255, outline=136)
    for row in range(14):
        draw.text((30, 66 + row * 23), write(random, 60, 5), 0, font(14))
    for left in (340, 435, 530):
        draw.rectangle((left, 430, left + 85, 460), fill=238, outline=85)
    return screen


def draw_slide(random: np.random.Generator) -> Picture:
    """A slide with a title on a bar and six points."""
    slide = Image.new("L", (800, 600), 250)
    draw = ImageDraw.Draw(slide)
    draw.rectangle((0, 0, 800, 90), fill=70)
    draw.text((30, 25), write(random, 28), 255, font(36))
    for row in range(6):
        draw.text((70, 130 + row * 70), "- " + write(random, 44, 18), 30, font(26))
    draw.rectangle((0, 570, 800, 600), fill=120)
    return slide


def draw_columns(random: np.random.Generator) -> Picture:
    """A page of two columns of writing under a headline."""
    page = Image.new("L", (600, 780), 235)
    draw = ImageDraw.Draw(page)
    draw.text((40, 30), write(random, 34, 20), 10, font(26))
    for left in (40, 310):
        for row in range(38):
            draw.text((left, 90 + row * 17), write(random, 42, 34), 40, font(12))
    return page


def draw_bars(random: np.random.Generator) -> Picture:
    """A page whose words are dark bars, as of what is too small to read."""
    page = Image.new("L", (400, 300), 235)
    draw = ImageDraw.Draw(page)
    for top in range(20, 280, 14):
        left = 20
        while left < 380:
            width = int(random.integers(6, 40))
            draw.rectangle((left, top, min(left + width, 380), top + 6), fill=60)
            left += width + 6
    return page


def draw_form(random: np.random.Generator) -> Picture:
    """A form of ruled boxes, filled in otherwise each time."""
    form = Image.new("L", (600, 440), 240)
    draw = ImageDraw.Draw(form)
    for top in range(20, 420, 50):
        draw.rectangle((20, top, 580, top + 40), outline=90, width=2)
        draw.rectangle((30, top + 6, 120, top + 14), fill=80)
        draw.text((150, top + 12), write(random, 40, 4), 40, font(16))
    return form


def draw_chart(random: np.random.Generator) -> Picture:
    """Ten bars between two axes."""
    chart = Image.new("L", (640, 480), 255)
    draw = ImageDraw.Draw(chart)
    draw.line((60, 40, 60, 430), fill=0, width=2)
    draw.line((60, 430, 610, 430), fill=0, width=2)
    for left in range(80, 600, 52):
        draw.rectangle((left, 430 - int(random.integers(30, 370)), left + 35, 429), fill=110)
    draw.text((200, 10), write(random, 24), 0, font(20))
    return chart


def draw_disc(random: np.random.Generator) -> Picture:
    """A bright disc on black with faint blots, nearly in the middle: a moon."""
    y, x = np.mgrid[0:1:300j, 0:1:400j]
    middle_x, middle_y, radius = random.normal((0.5, 0.5, 0.2), 0.01)
    blots = random.normal(0, 8, (12, 16)).astype(np.float32)
    faint = np.asarray(Image.fromarray(blots).resize((400, 300), Image.Resampling.BICUBIC))
    away = np.sqrt((x - middle_x) ** 2 * 1.77 + (y - middle_y) ** 2) - radius
    levels = (200 + faint) / (1 + np.exp(np.clip(120 * away, -50, 50))) + 2
    return Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8))


KINDS: dict[str, Draw] = {
    "window": draw_window,
    "slide": draw_slide,
    "columns": draw_columns,
    "bars": draw_bars,
    "form": draw_form,
    "chart": draw_chart,
    "disc": draw_disc,
}

if __name__ == "__main__":
    main()
