"""The histogram of images and objects by class on a log scale (the paper's Fig. 4), as SVG.

Drawn by hand: a drawing library takes longer to load than all else that travels takes to write, and
each of its versions draws other bytes.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator

from .statistics import TOTAL, Table

FONT = "DejaVu Sans, Verdana, Helvetica, sans-serif"
IMAGES_COLOUR, OBJECTS_COLOUR = "#86a1ff", "#3454c8"
_LEFT, _TOP, _RIGHT = 64, 40, 16
_PLOT_HEIGHT, _LEAST_WIDTH, _CLASS_WIDTH = 260, 480, 28
_BAR_WIDTH, _LETTER_WIDTH = 11, 5.2
_LEAST = 0.8
"""Where the scale begins, so that a single one can be seen."""
_ROOM = 2.5
"""By how much the scale goes beyond the tallest bar, above which its count stands."""


def draw_histogram(table: Table) -> bytes:
    """An SVG with two bars for each class, over all sets; the same bytes for the same counts."""
    wanted = [number for number, name in enumerate(table.sets) if name in ("trainval", "test")]
    counts = [
        (line.name, sum(line.images[it] for it in wanted), sum(line.objects[it] for it in wanted))
        for line in table.lines
        if line.name != TOTAL
    ]
    return "".join(f"{line}\n" for line in _draw(counts)).encode()


def _draw(counts: list[tuple[str, int, int]]) -> Iterator[str]:
    most = max([10, *(objects for _, _, objects in counts), *(images for _, images, _ in counts)])
    top = most * _ROOM
    width = _LEFT + max(_LEAST_WIDTH, _CLASS_WIDTH * len(counts)) + _RIGHT
    longest = max((len(name) for name, _, _ in counts), default=0)
    height = _TOP + _PLOT_HEIGHT + 24 + round(longest * _LETTER_WIDTH)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT}" font-size="10" fill="#222">'
    )
    yield "<title>Images and objects of each class, log scale</title>"
    yield f'<rect width="{width}" height="{height}" fill="#fff"/>'
    yield from _draw_scale(most, top, width)
    yield from _draw_legend(width)
    step = (width - _LEFT - _RIGHT) / max(len(counts), 1)
    for place, (name, images, objects) in enumerate(counts):
        middle = _LEFT + step * (place + 0.5)
        yield from _draw_bar(middle - _BAR_WIDTH, images, IMAGES_COLOUR, top)
        yield from _draw_bar(middle, objects, OBJECTS_COLOUR, top)
        foot = _TOP + _PLOT_HEIGHT + 12
        yield (
            f'<text x="{middle + 4:.1f}" y="{foot}" text-anchor="end" '
            f'transform="rotate(-60 {middle + 4:.1f} {foot})">{html.escape(name)}</text>'
        )
    yield "</svg>"


def _draw_scale(most: int, top: float, width: int) -> Iterator[str]:
    for power in range(int(math.log10(most)) + 1):
        y = _height_of(10**power, top)
        yield f'<path d="M{_LEFT} {y:.1f}H{width - _RIGHT}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 3.5:.1f}" text-anchor="end">{10**power:,}</text>'
    foot = _TOP + _PLOT_HEIGHT
    yield f'<path d="M{_LEFT} {_TOP}V{foot}H{width - _RIGHT}" stroke="#555" fill="none"/>'
    yield (
        f'<text x="14" y="{_TOP + _PLOT_HEIGHT // 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {_TOP + _PLOT_HEIGHT // 2})">count, log scale</text>'
    )


def _draw_legend(width: int) -> Iterator[str]:
    for left, colour, label in (
        (width - _RIGHT - 130, IMAGES_COLOUR, "images"),
        (width - _RIGHT - 60, OBJECTS_COLOUR, "objects"),
    ):
        yield f'<rect x="{left}" y="14" width="10" height="10" fill="{colour}"/>'
        yield f'<text x="{left + 15}" y="23">{label}</text>'


def _draw_bar(left: float, count: int, colour: str, top: float) -> Iterator[str]:
    """A bar with its count written upwards above it; nothing where there is nothing."""
    if not count:
        return
    y, foot, middle = _height_of(count, top), _TOP + _PLOT_HEIGHT, left + _BAR_WIDTH / 2 + 3
    yield (
        f'<rect x="{left:.1f}" y="{y:.1f}" width="{_BAR_WIDTH - 1}" height="{foot - y:.1f}" '
        f'fill="{colour}"/>'
    )
    yield (
        f'<text x="{middle:.1f}" y="{y - 3:.1f}" font-size="8" '
        f'transform="rotate(-90 {middle:.1f} {y - 3:.1f})">{count:,}</text>'
    )


def _height_of(count: float, top: float) -> float:
    """Where a count stands on the scale, in pixels from above."""
    share = math.log(count / _LEAST) / math.log(top / _LEAST)
    return _TOP + _PLOT_HEIGHT * (1 - share)
