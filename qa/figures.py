"""Pictures of statistics as SVG; the same bytes for the same figures and version of matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .distributions import SIZE_EDGES, Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IMAGES_COLOUR = "#86a1ff"
OBJECTS_COLOUR = "#3454c8"
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


def draw_sizes(spreads: Sequence[Spread], title: str) -> bytes:
    """How large boxes are, class by class: the shares of objects between SIZE_EDGES."""
    from matplotlib import rc_context

    with rc_context(_SETTINGS):
        figure = _make_figure(7.0, 1.2 + 0.26 * max(len(spreads), 1))
        axes = figure.subplots()
        nothing = np.zeros((1, len(SIZE_EDGES) - 1))
        shares = [np.array(one.counts) / one.objects for one in spreads]
        table = np.stack(shares) if shares else nothing
        names = [one.name for one in spreads] or ["nothing"]
        _draw_table(axes, table, names, "share of the objects", figure)
        edges = [f"{edge:g}" for edge in SIZE_EDGES]
        axes.set_xticks(np.arange(len(edges)) - 0.5, edges)
        axes.set_xlabel("square root of the share of the image")
        axes.set_title(title, loc="left")
        return _save(figure)


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


def _make_figure(width_inches: float, height_inches: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width_inches, height_inches), layout="constrained")


def _draw_table(
    axes: Axes, shares: NDArray[np.float64], names: Sequence[str], label: str, figure: Figure
) -> None:
    picture = axes.imshow(shares, cmap="Blues", aspect="auto", vmin=0)
    axes.set_yticks(range(len(names)), names)
    figure.colorbar(picture, ax=axes, shrink=0.8, label=label)


def _save(figure: Figure) -> bytes:
    target = BytesIO()
    figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return target.getvalue()
