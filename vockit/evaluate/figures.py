"""Figures of a report, each as SVG and PDF; the same bytes for the same values."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from vockit.report.charts import format_svg, open_figure

from .curves import Curve, Floats, Ints

INK = "#010203"
"""Replaced by the colour of the page's text, so that figures suit light and dark."""
_MOST_POINTS = 250
_COLOURS = ("#3b6fd4", "#d9822b", "#2e9e6b", "#c94f8c", "#8a6fd1", "#b59a1f", "#2aa7b8", "#cf4b3f")
_STYLES = ("-", "--", ":", "-.")
_SETTINGS: Any = {
    "pdf.fonttype": 42,
    "axes.axisbelow": "line",
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.fontsize": 8,
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK
    ),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none"),
}


@dataclass(frozen=True)
class Drawing:
    """One figure: a file name without its ending, a caption, and its bytes."""

    name: str
    caption: str
    svg: str
    pdf: bytes


@dataclass(frozen=True)
class Panel:
    """Lines of one pair of axes: by name, x and y; `dots` draws points at the values."""

    title: str
    lines: Mapping[str, tuple[Floats, Floats]]
    labels: tuple[str, str] = ("", "")
    limits: tuple[float, float] | None = None
    dots: bool = False


def _open(
    width: float, height: float, layout: Literal["constrained"] | None = "constrained"
) -> AbstractContextManager[Figure]:
    """An empty figure of a size in inches."""
    return open_figure((width, height), settings=_SETTINGS, layout=layout)


def _format(figure: Figure, name: str, caption: str) -> Drawing:
    """The figure in both formats; to be called while its settings hold."""
    text = format_svg(figure).decode()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    figure.set_layout_engine(None)  # the PDF has the places that the SVG has
    pdf = io.BytesIO()
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    return Drawing(name, caption, text, pdf.getvalue())


def draw_curves(name: str, title: str, curves: Mapping[str, Curve], chance: float) -> Drawing:
    """Precision/recall curves of all methods, and of the five with the best AP (IJCV, Fig. 6)."""
    order = sorted(curves, key=lambda method: -np.nan_to_num(curves[method].ap))
    label = {method: f"{method} ({100 * curve.ap:.1f})" for method, curve in curves.items()}
    lines = {label[method]: _thin(curve) for method, curve in curves.items()}
    top = {label[method]: _thin(curves[method]) for method in order[:5]}
    if not np.isnan(chance):
        lines[f"(chance) ({100 * chance:.1f})"] = (np.array([0.0, 1]), np.array([chance] * 2))
    shown = {title: lines} if len(order) <= 5 else {f"{title}: all": lines, "top 5 by AP": top}
    labels = ("recall", "precision")
    limits = (0, 1.02)
    panels = [Panel(head, some, labels, limits) for head, some in shown.items()]
    return draw_panels(name, f"Precision and recall: {title}", panels)


def _thin(curve: Curve) -> tuple[Floats, Floats]:
    """The curve at some hundred recalls at most, without points of NaN."""
    recall = curve.recall
    precision = curve.precision
    if len(recall) > _MOST_POINTS:
        places = np.searchsorted(recall, np.linspace(0, recall[-1], _MOST_POINTS))
        places = np.unique(np.minimum(places, len(recall) - 1))
        recall, precision = recall[places], precision[places]
    return recall, precision


def _style(number: int) -> dict[str, Any]:
    colour = _COLOURS[number % len(_COLOURS)]
    style = _STYLES[number // len(_COLOURS) % len(_STYLES)]
    return {"color": colour, "linestyle": style, "linewidth": 1.4}


def draw_panels(name: str, caption: str, panels: Sequence[Panel]) -> Drawing:
    """Small axes side by side, one legend for all."""
    columns = min(4, len(panels))
    rows = -(-len(panels) // columns)
    width = 9 if columns > 1 else 6
    names = list(dict.fromkeys(label for panel in panels for label in panel.lines))
    legend = 0.5 + 0.18 * -(-len(names) // 4)
    height = (2.1 if columns > 2 else 3.4) * rows + legend
    with _open(width, height, None) as figure:
        grid = figure.subplots(rows, columns, squeeze=False)
        bottom = (legend + 0.15) / height
        top = 1 - 0.3 / height
        figure.subplots_adjust(0.08, bottom, 0.98, top, wspace=0.35, hspace=0.4)
        for place, axes in enumerate(grid.flat):
            if place >= len(panels):
                axes.axis("off")
                continue
            _draw_panel(axes, panels[place], names, is_low=place >= len(panels) - columns)
        handles = [mpl.lines.Line2D([], [], **_style(place)) for place in range(len(names))]
        figure.legend(handles, names, loc="lower center", ncols=4)
        return _format(figure, name, caption)


def _draw_panel(axes: Any, panel: Panel, names: Sequence[str], *, is_low: bool) -> None:
    """The lines of a panel in the styles of their names; below the lowest ones stands the label."""
    for line_name, (x, y) in panel.lines.items():
        axes.plot(x, y, marker="." if panel.dots else "", **_style(names.index(line_name)))
    axes.set(title=panel.title, xlabel=panel.labels[0] if is_low else "", ylabel=panel.labels[1])
    if panel.limits:
        axes.set_ylim(*panel.limits)


def draw_bars(
    name: str, caption: str, bars: Mapping[str, Mapping[str, float]], unit: str
) -> Drawing:
    """Bars of each series for each label, in percent, labels below one another."""
    labels = list(next(iter(bars.values())))
    thick = 0.8 / len(bars)
    with _open(7, 0.9 + 0.26 * len(labels)) as figure:
        axes = figure.subplots()
        places = np.arange(len(labels))
        for number, (series, values) in enumerate(bars.items()):
            wide = [100 * np.nan_to_num(values.get(label, np.nan)) for label in labels]
            offset = places - 0.4 + thick * (number + 0.5)
            drawn = axes.barh(offset, wide, thick, label=series, color=_COLOURS[number])
            if len(bars) == 1:
                axes.bar_label(drawn, fmt="%.1f", padding=2)
        axes.set_yticks(places, labels)
        axes.invert_yaxis()
        axes.set_xlabel(unit)
        axes.grid(visible=False, axis="y")
        if len(bars) > 1:
            figure.legend(loc="outside lower center", ncols=4)
        return _format(figure, name, caption)


def draw_critical_difference(
    name: str, mean_ranks: Mapping[str, float], difference: float
) -> Drawing:
    """Methods at their mean ranks; bars join those that are not apart (Demsar 2006; Fig. 8)."""
    order = sorted(mean_ranks, key=lambda method: mean_ranks[method])
    ranks = [mean_ranks[method] for method in order]
    groups = [
        (first, last)
        for first in range(len(order))
        for last in [
            max(place for place in range(len(order)) if ranks[place] - ranks[first] < difference)
        ]
        if last > first and (not first or ranks[last] - ranks[first - 1] >= difference)
    ]
    with _open(8, 0.9 + 0.24 * len(order)) as figure:
        axes = figure.subplots()
        for place, method in enumerate(order):
            stem = [ranks[place], ranks[place], len(order) + 0.5]
            axes.plot(stem, [0, place + 1.2, place + 1.2], color=INK, linewidth=0.7)
            text = f"{method} ({ranks[place]:.2f})"
            axes.text(len(order) + 0.6, place + 1.2, text, ha="right", va="center")
        for number, (first, last) in enumerate(groups):
            height = 0.25 + 0.8 * number / max(len(groups), 1)
            axes.plot([ranks[first], ranks[last]], [height] * 2, color=_COLOURS[0], linewidth=3)
        axes.plot([1, 1 + difference], [-0.5, -0.5], color=_COLOURS[1], linewidth=3)
        text = f"critical difference {difference:.2f}"
        axes.text(1, -0.7, text, va="bottom", ha="right", color=_COLOURS[1])
        axes.set(xlim=(len(order) + 0.5, 0.5), ylim=(len(order) + 1, -1.6), xlabel="mean rank")
        axes.set_yticks([])
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        caption = (
            "Mean ranks over classes; a bar joins methods that Nemenyi's test does not separate"
        )
        return _format(figure, name, caption)


def draw_matrix(
    name: str, caption: str, heads: Sequence[str], ends: tuple[str, str], table: Ints
) -> Drawing:
    """A confusion matrix by shares of each row; rows are the truth, `ends` name the last ones."""
    rows = [*heads, ends[0]][: table.shape[0]]
    columns = [*heads, ends[1]][: table.shape[1]]
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    with _open(2.2 + 0.3 * len(columns), 1.8 + 0.26 * len(rows)) as figure:
        axes = figure.subplots()
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(range(len(columns)), columns, rotation=90)
        axes.set_yticks(range(len(rows)), rows)
        axes.grid(visible=False)
        for (row, column), share in np.ndenumerate(shares):
            if share >= 0.005:
                colour = "white" if share > 0.5 else "#222222"
                text = f"{100 * share:.0f}"
                axes.text(column, row, text, ha="center", va="center", fontsize=6, color=colour)
        axes.set(ylabel="truth", xlabel="result")
        return _format(figure, name, caption)
