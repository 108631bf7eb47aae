"""Images that look alike and must not be merged: twelve of one layout each, bursts, collages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from .transformations import Picture, from_levels

OF_A_SET = 12


def draw_screen(random: Random, _number: int) -> Picture:
    """A window with a menu, a list of files and buttons; only the list differs."""
    screen = Image.new("RGB", (800, 600), "#dcdcdc")
    draw = ImageDraw.Draw(screen)
    font = ImageFont.load_default(15)
    draw.rectangle((0, 0, 800, 32), "#2b5b84")
    draw.text((12, 7), "Files   Edit   View   Tools   Help", "white", font)
    draw.rectangle((170, 60, 780, 540), "white", "#888")
    for row in range(12):
        draw.text((20, 70 + row * 38), f"Folder {row + 1}", "black", font)
        draw.text((190, 70 + row * 38), make_words(random, 5), "black", font)
        draw.text((690, 70 + row * 38), f"{random.randrange(9000)} kB", "#444", font)
    return screen


def draw_letter(random: Random, _number: int) -> Picture:
    """A letter with one letterhead and other words."""
    page = Image.new("RGB", (480, 640), "white")
    draw = ImageDraw.Draw(page)
    draw.rectangle((40, 30, 110, 80), "#933")
    draw.text((130, 40), "Harbour & Sons, 12 Quay Street", "black", ImageFont.load_default(16))
    font = ImageFont.load_default(13)
    for line in range(random.randrange(18, 25)):
        draw.text((40, 130 + line * 20), make_words(random, 9), "black", font)
    return page


def draw_form(random: Random, _number: int) -> Picture:
    """A form of six fields, filled in otherwise."""
    page = Image.new("RGB", (600, 800), "white")
    font = ImageFont.load_default(18)
    draw = ImageDraw.Draw(page)
    for row, label in enumerate(("Name", "Street", "Town", "Born on", "Telephone", "Reason")):
        top = 110 + row * 100
        draw.text((40, top), label, "black", font)
        draw.rectangle((200, top - 8, 560, top + 40), outline="black", width=2)
        draw.text((210, top + 4), make_words(random, 3), "#113", font)
    return page


def draw_moon(random: Random, _number: int, phase: float = 0.0) -> Picture:
    """A disc on black with other craters; a phase hides a part of it."""
    numbers = np.random.default_rng(random.randrange(1 << 30))
    y, x = np.mgrid[-1.3:1.3:400j, -1.3:1.3:400j]
    spots = Image.fromarray(numbers.integers(90, 256, (24, 24), dtype=np.uint8))
    face = np.asarray(spots.resize((400, 400), Image.Resampling.BICUBIC)).astype(np.float64)
    is_lit = (x**2 + y**2 < 1) & (x > (2 * phase - 1) * np.sqrt(np.maximum(1 - y**2, 0)))
    return from_levels(6 + face * is_lit + numbers.normal(0, 2, (400, 400))).convert("RGB")


def draw_phase(_random: Random, number: int) -> Picture:
    """Always the same moon, lit to another part."""
    return draw_moon(Random("one moon"), number, 0.85 * number / OF_A_SET)


def make_words(random: Random, count: int) -> str:
    """Make `count` words that mean nothing."""
    letters = "abcdefghiklmnoprstuvw"
    return " ".join("".join(random.choices(letters, k=random.randint(2, 8))) for _ in range(count))


DRAWN: dict[str, Callable[[Random, int], Picture]] = {
    "screens": draw_screen,
    "letters": draw_letter,
    "forms": draw_form,
    "moons": draw_moon,
    "phases of one moon": draw_phase,
}


def draw_set(name: str) -> list[Picture]:
    """Twelve images of one layout, the same on every call."""
    return [DRAWN[name](Random(f"{name} {number}"), number) for number in range(OF_A_SET)]


def make_bursts(photographs: Sequence[Picture]) -> dict[str, list[tuple[Picture, Picture]]]:
    """For each place two shots, with a subject out of the next photograph and without or elsewhere.

    The subject is two fifths, a fifth and an eighth as high; the shaken shot is moved by 2 %.
    """
    pairs: defaultdict[str, list[tuple[Picture, Picture]]] = defaultdict(list)
    for place, other in zip(photographs, [*photographs[1:], photographs[0]], strict=True):
        moved = round(0.02 * place.width), round(0.02 * place.height)
        for share in (0.4, 0.2, 0.125):
            here, there = (put_subject(place, other, at, share) for at in (0.05, 0.95))
            shaken = there.crop((*moved, *there.size))
            ways = {"gone": place, "elsewhere": there, "elsewhere, shaken": shaken}
            for way, shot in ways.items():
                pairs[f"subject of {share:g} {way}"].append((here, shot))
        sheet = Image.new("RGB", (640, 480), "white")
        for number, part in enumerate((place, other)):
            sheet.paste(part.resize((312, 472)), (4 + 320 * number, 4))
        pairs["collages of two"].append((place, sheet))
    return pairs


def put_subject(place: Picture, other: Picture, at: float, share: float = 0.4) -> Picture:
    """The place with the middle of another photograph in an ellipse, at this share of the width."""
    height = round(share * place.height)
    cut = round(0.2 * other.height)
    width = round(0.75 * height)
    x = other.width // 2
    y = other.height // 2
    part = other.crop((x - cut * 3 // 4, y - cut, x + cut * 3 // 4, y + cut))
    subject = part.resize((width, height))
    mask = Image.new("L", subject.size)
    ImageDraw.Draw(mask).ellipse((3, 3, width - 3, height - 3), fill=255)
    shown = place.copy()
    spot = round(at * (place.width - width)), place.height - height - 10
    shown.paste(subject, spot, mask.filter(ImageFilter.GaussianBlur(2)))
    return shown
