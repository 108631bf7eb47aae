"""Charts as SVG: the same bytes for the same figures and version of matplotlib."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = ("#3454c8", "#c07a00", "#18704a", "#86a1ff")
CLASS_COLOURS = (COLOURS[3], COLOURS[0])
"""Of the images and the objects of classes."""
_LETTERS = 90  # that fit below a chart of the smaller size
_LOCK = Lock()  # matplotlib's settings are global
_SETTINGS: Any = {
    "svg.hashsalt": "vocparty",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "grid.alpha": 0.3,
}
_STYLE: Any = ["default", _SETTINGS]  # a user's own settings do not change a report


FormatNumber = Callable[[float], str]


@dataclass(frozen=True)
class Bars:
    """Bars of each series for each label, next to each other or stacked.

    `cores` are drawn dark inside the bars of their series; `line` is a dashed line across.
    """

    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]
    title: str = ""
    measure: str = ""
    unit: str = ""
    cores: Mapping[str, Sequence[float]] = field(default_factory=dict)
    line: tuple[str, Sequence[float]] = ("", ())
    colours: Sequence[str] = COLOURS
    is_log: bool = False
    is_stacked: bool = False
    format_number: FormatNumber | None = None
    """How the numbers of the axis are written; None for matplotlib's way."""


def draw_class_histogram(rows: Sequence[tuple[str, int, int]], title: str) -> bytes:
    """Images and objects of each class (name, images, objects) on a log scale, VOC's Fig. 4."""
    series = {"images": [row[1] for row in rows], "objects": [row[2] for row in rows]}
    names = [row[0] for row in rows]
    return draw_bars(
        Bars(names, series, title, unit="count, log scale", colours=CLASS_COLOURS, is_log=True)
    )


def draw_bars(bars: Bars) -> bytes:
    """The bars as a chart, with a legend where there is more than one series."""
    longest = max(map(len, bars.labels), default=0)
    room = len(bars.labels) * (longest + 1.5) / _LETTERS
    is_wide = room > 1 and longest > 5

    def draw(axes: Axes) -> None:
        most = max(_list_heights(bars), default=0.0)
        if bars.is_log:  # before the bars, of which none may be above 0
            axes.set(yscale="log", ylim=(0.8, max(10, most) * 2))
            axes.yaxis.set_major_formatter(lambda value, _place: f"{value:,.0f}")
        _write_numbers(axes.yaxis, bars.format_number)
        _draw_series(axes, bars)
        name, line = bars.line
        if line:
            edges = np.arange(len(line) + 1) - 0.5
            axes.stairs(line, edges, baseline=None, color="#444444", linestyle="--", label=name)
        every = 1 if is_wide else max(1, math.ceil(room))
        turned: Any = {"rotation": 55, "ha": "right"} if is_wide else {}
        axes.set_xticks(range(0, len(bars.labels), every), list(bars.labels)[::every], **turned)
        axes.set(xlabel=bars.measure, ylabel=bars.unit, title=bars.title)
        axes.margins(x=0.02)
        axes.grid(axis="y")
        if line or len(bars.series) > 1:
            axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4)

    return _draw((9.0, 4.4) if is_wide else (6.4, 2.9), draw)


def draw_heatmap(
    shares: NDArray[np.float64],
    names: Sequence[str],
    columns: Sequence[str],
    title: str,
    measure: str = "",
    label: str = "share",
    format_number: FormatNumber | None = None,
) -> bytes:
    """Shares as colours, a row for each name; one more name than columns names their edges."""
    is_square = shares.shape == (len(names), len(columns))

    def draw(axes: Axes) -> None:
        most = None if np.nansum(shares) else 1
        picture = axes.imshow(shares, cmap="Blues", aspect="auto", vmin=0, vmax=most)
        bar = axes.figure.colorbar(picture, ax=axes, shrink=0.8, label=label)
        _write_numbers(bar.ax.yaxis, format_number)
        turned: Any = {"rotation": 60, "ha": "right"} if is_square else {}
        to_edge = 0.0 if is_square else 0.5  # columns are named at their left edges
        axes.set_xticks(np.arange(len(columns)) - to_edge, columns, **turned)
        axes.set_yticks(range(len(names)), names)
        axes.set(xlabel=measure, title=title)

    return _draw((7.6, 7.0) if is_square else (7.0, 1.2 + 0.26 * max(len(names), 1)), draw)


def _list_heights(bars: Bars) -> list[float]:
    """The height of each bar, and of each step of the line."""
    return [*bars.line[1], *chain.from_iterable(bars.series.values())]


def _draw_series(axes: Axes, bars: Bars) -> None:
    width = 0.9 if bars.is_stacked else 0.8 / max(1, len(bars.series))
    places = np.arange(len(bars.labels))
    feet = np.zeros(len(bars.labels))
    for number, (name, values) in enumerate(bars.series.items()):
        aside = 0.0 if bars.is_stacked else width * (number - (len(bars.series) - 1) / 2)
        colour = bars.colours[number % len(bars.colours)]
        core = bars.cores.get(name)
        alpha = 1.0 if core is None else 0.4
        axes.bar(places + aside, values, width, feet, label=name, color=colour, alpha=alpha)
        if core is not None:
            axes.bar(places + aside, core, width / 2, color=colour)
        feet = feet + np.array(values) if bars.is_stacked else feet


def _write_numbers(axis: Axis, format_number: FormatNumber | None) -> None:
    """Write the numbers along an axis in another way than matplotlib does."""
    if format_number is not None:
        axis.set_major_formatter(lambda value, _place: format_number(value))


def _draw(size_inches: tuple[float, float], draw: Callable[[Axes], None]) -> bytes:
    with open_figure(size_inches) as figure:
        draw(figure.subplots())
        return format_svg(figure)


@contextmanager
def open_figure(
    size_inches: tuple[float, float],
    *,
    settings: Mapping[str, Any] | None = None,
    layout: Literal["constrained"] | None = "constrained",
) -> Iterator[Figure]:
    """An empty figure with the settings of all reports and, above these, those that are given.

    To be drawn and formatted inside the block, while the settings hold.
    """
    from matplotlib import style

    from .figure import LaidOutFigure

    chosen = [*_STYLE, dict(settings or {})]
    with _LOCK, catch_warnings(), style.context(chosen):
        simplefilter("ignore")  # names in scripts that the font lacks; readers have others
        yield LaidOutFigure(figsize=size_inches, layout=layout)


def format_svg(figure: Figure) -> bytes:
    """The figure as SVG, which does not say when and by which version it was made."""
    target = BytesIO()
    figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return target.getvalue()
