"""Pictures of statistics as SVG; the same bytes for the same figures and version of matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .distributions import ASPECT_EDGES, SIZE_EDGES, Spread
from .tables import CountTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IMAGES_COLOUR = "#86a1ff"
OBJECTS_COLOUR = "#3454c8"
SET_COLOURS = ("#3454c8", "#0f8a6d", "#c2571a")
_ENDLESS = "\N{INFINITY}"
_SETTINGS: Any = {
    "svg.hashsalt": "vocparty",
    "svg.fonttype": "none",
    "font.size": 9,
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw_class_histogram(rows: Sequence[tuple[str, int, int]], title: str) -> bytes:
    """Images and objects of each class (name, images, objects) on a log scale, as in Fig. 4."""
    from matplotlib import rc_context

    with rc_context(_SETTINGS):
        figure = _make_figure(9.0, 4.4)
        axes = figure.subplots()
        places = np.arange(len(rows))
        objects, images = [row[2] for row in rows], [row[1] for row in rows]
        axes.set_yscale("log")  # before the bars, of which none may be above 0
        axes.yaxis.set_major_formatter(_format_count)
        axes.set_ylim(bottom=0.8, top=max([10, *objects]) * 1.6)
        axes.bar(places - 0.2, objects, width=0.4, label="objects", color=OBJECTS_COLOUR)
        axes.bar(places + 0.2, images, width=0.4, label="images", color=IMAGES_COLOUR)
        axes.set_xticks(places, [row[0] for row in rows], rotation=55, ha="right")
        axes.set_ylabel("count, log scale")
        axes.set_title(title, loc="left")
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, loc="upper right", ncols=2)
        return _save(figure)


def draw_counts(table: CountTable, displays: Mapping[str, str], title: str) -> bytes:
    """Objects of each row by set on a log scale, with the images that show them as a dark core."""
    from matplotlib import rc_context

    with rc_context(_SETTINGS):
        figure = _make_figure(7.0, 1.4 + 0.32 * max(len(table.rows), 2))
        axes = figure.subplots()
        sets = [name for name in table.sets if name != "trainval"]
        most = max([10, *(count.objects for _, counts in table.rows for count in counts)])
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(_format_count)
        axes.set_xlim(0.8, most * 1.6)
        height, places = 0.8 / len(sets), np.arange(len(table.rows))
        for number, name in enumerate(sets):
            column = [counts[table.sets.index(name)] for _, counts in table.rows]
            rows, colour = places - 0.4 + height * (number + 0.5), SET_COLOURS[number]
            objects, images = [one.objects for one in column], [one.images for one in column]
            axes.barh(rows, objects, height * 0.9, color=colour, alpha=0.4)
            axes.barh(rows, images, height * 0.45, color=colour, label=name)
        axes.set_yticks(places, [displays.get(name, name) for name, _ in table.rows])
        axes.set_ylim(len(table.rows) - 0.4, -0.6)
        axes.set_xlabel("objects, pale, and the images that show them, dark; log scale")
        axes.set_title(title, loc="left")
        axes.grid(axis="x", alpha=0.3)
        axes.set_axisbelow(True)
        if len(sets) > 1:
            axes.legend(frameon=False, loc="lower right")
        return _save(figure)


def draw_chance(rows: Sequence[tuple[str, float | None]], title: str) -> bytes:
    """Chance performance of each class (name, share or None), with their mean as a line."""
    from matplotlib import rc_context

    with rc_context(_SETTINGS):
        figure = _make_figure(7.0, 1.2 + 0.26 * max(len(rows), 1))
        axes = figure.subplots()
        known = [share for _, share in rows if share is not None]
        axes.barh(range(len(rows)), [share or 0.0 for _, share in rows], color=OBJECTS_COLOUR)
        for place, (_, share) in enumerate(rows):
            if share is None:  # fewer than two objects make no pair
                axes.text(0, place, " \N{EN DASH}", va="center", color="#666666")
        if known:
            mean = sum(known) / len(known)
            axes.axvline(mean, color="#444444", linewidth=1, label=f"mean {mean:.3f}")
            axes.legend(frameon=False, loc="lower right")
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0, max([0.1, *known]) * 1.1)
        axes.set_xlabel("share of pairs of boxes that overlap by half")
        axes.set_title(title, loc="left")
        return _save(figure)


def draw_sizes(spreads: Sequence[Spread], title: str) -> bytes:
    """How large boxes are, class by class: the shares of objects between SIZE_EDGES."""
    return _draw_spreads(spreads, SIZE_EDGES, "square root of the share of the image", title)


def draw_aspects(spreads: Sequence[Spread], title: str) -> bytes:
    """How long boxes are, class by class: the shares of objects between ASPECT_EDGES."""
    return _draw_spreads(spreads, ASPECT_EDGES, "width by height", title)


def draw_together(table: NDArray[np.int64], class_names: Sequence[str], title: str) -> bytes:
    """Which classes come together: of the images with the row's class, how many show the other."""
    from matplotlib import rc_context

    with rc_context(_SETTINGS):
        figure = _make_figure(7.6, 7.0)
        axes = figure.subplots()
        own = np.diag(table).astype(np.float64)
        shares = table / np.where(own > 0, own, np.nan)[:, None]
        np.fill_diagonal(shares, np.nan)
        _draw_table(axes, shares, class_names, "share of the row's images", figure)
        axes.set_xticks(range(len(class_names)), class_names, rotation=60, ha="right")
        axes.set_title(title, loc="left")
        return _save(figure)


def _draw_spreads(
    spreads: Sequence[Spread], edges: Sequence[float], measure: str, title: str
) -> bytes:
    from matplotlib import rc_context

    with rc_context(_SETTINGS):
        figure = _make_figure(7.0, 1.2 + 0.26 * max(len(spreads), 1))
        axes = figure.subplots()
        nothing = np.zeros((1, len(edges) - 1))
        shares = [np.array(one.counts) / one.objects for one in spreads]
        table = np.stack(shares) if shares else nothing
        names = [one.name for one in spreads] or ["nothing"]
        _draw_table(axes, table, names, "share of the objects", figure)
        ticks = [_ENDLESS if edge == float("inf") else f"{edge:g}" for edge in edges]
        axes.set_xticks(np.arange(len(edges)) - 0.5, ticks)
        axes.set_xlabel(measure)
        axes.set_title(title, loc="left")
        return _save(figure)


def _make_figure(width_inches: float, height_inches: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width_inches, height_inches), layout="constrained")


def _draw_table(
    axes: Axes, shares: NDArray[np.float64], names: Sequence[str], label: str, figure: Figure
) -> None:
    picture = axes.imshow(shares, cmap="Blues", aspect="auto", vmin=0)
    axes.set_yticks(range(len(names)), names)
    figure.colorbar(picture, ax=axes, shrink=0.8, label=label)


def _format_count(value: float, _place: float) -> str:
    return f"{value:,.0f}"


def _save(figure: Figure) -> bytes:
    target = BytesIO()
    figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return target.getvalue()
