"""Bar charts as SVG text, for a page without scripts; every number is in a tooltip too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 520, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 8, 12, 30
_PLOT_WIDTH, _PLOT_HEIGHT = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
_GAP = 0.24
_WIDEST_BAR = 60
_MOST_LABELS = 14


@dataclass(frozen=True)
class Series:
    """One collection's counts, bin by bin."""

    name: str
    counts: Sequence[int]

    @property
    def shares(self) -> list[float]:
        """Each bin's share of all, 0 to 1."""
        total = sum(self.counts)
        return [count / total if total else 0.0 for count in self.counts]


def draw_bars(
    title: str, labels: Sequence[str], series: Sequence[Series], even: Sequence[float]
) -> str:
    """Bars of shares in percent, one for each series beside each other.

    `even` are the shares of an even spread, drawn as a dashed line; empty for none.
    """
    top = nice_top(max([*even, *(share for one in series for share in one.shares)], default=0.0))
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        *_grid(top),
        *(part for number, one in enumerate(series) for part in _bars(labels, series, number, top)),
        *_even_line(even, top),
        *_labels(labels),
        "</svg>",
    ]
    return "\n".join(parts)


def nice_top(largest: float) -> float:
    """The end of an axis of shares: the next of 1 to 6 or 8 times a power of ten, at most 1."""
    if largest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    steps = (1, 2, 3, 4, 5, 6, 8, 10)
    return min(1.0, next(step * power for step in steps if step * power >= largest * 0.999))


def _grid(top: float) -> list[str]:
    lines = []
    for step in range(5):
        share = top * step / 4
        y = _y(share, top)
        lines.append(
            f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="axis" x="{_LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end">'
            f"{share * 100:g} %</text>"
        )
    return lines


def _bars(labels: Sequence[str], series: Sequence[Series], number: int, top: float) -> list[str]:
    one, slot = series[number], _PLOT_WIDTH / max(1, len(labels))
    width = min(_WIDEST_BAR, slot * (1 - _GAP) / len(series))
    bars = []
    for place, (label, count, share) in enumerate(zip(labels, one.counts, one.shares, strict=True)):
        x = _LEFT + slot * (place + 0.5) + width * (number - len(series) / 2)
        y = _y(share, top)
        told = escape(f"{one.name}: {label}: {count} ({share:.1%})")
        bars.append(
            f'<rect class="bar bar{number}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{_TOP + _PLOT_HEIGHT - y:.1f}"><title>{told}</title></rect>'
        )
    return bars


def _even_line(even: Sequence[float], top: float) -> list[str]:
    if not even:
        return []
    slot = _PLOT_WIDTH / len(even)
    points = " ".join(
        f"{_LEFT + slot * end:.1f},{_y(share, top):.1f}"
        for place, share in enumerate(even)
        for end in (place, place + 1)
    )
    return [f'<polyline class="even" points="{points}"><title>an even spread</title></polyline>']


def _labels(labels: Sequence[str]) -> list[str]:
    slot = _PLOT_WIDTH / max(1, len(labels))
    every = math.ceil(len(labels) / _MOST_LABELS)
    return [
        f'<text class="axis" x="{_LEFT + slot * (place + 0.5):.1f}" y="{HEIGHT - 10}" '
        f'text-anchor="middle">{escape(label)}</text>'
        for place, label in enumerate(labels)
        if place % every == 0
    ]


def _y(share: float, top: float) -> float:
    return _TOP + _PLOT_HEIGHT * (1 - share / top)
