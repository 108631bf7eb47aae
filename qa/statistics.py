"""The statistics of a party or of a release, as the papers print them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.preset import Preset

from .chance import chance_performance
from .distributions import (
    ASPECT_EDGES,
    QUANTILES,
    SIZE_EDGES,
    Spread,
    count_together,
    spread_aspects,
    spread_sizes,
)
from .statistic_images import CountedImage
from .table_formats import FigureTable
from .tables import CountTable, count_actions, count_layout, count_main, count_segmentation


@dataclass(frozen=True)
class Statistics:
    """Tables 1 to 4, the histogram, chance performance, sizes, aspects and co-occurrence."""

    of: str
    displays: dict[str, str]
    counts: tuple[CountTable, ...]
    histogram: tuple[tuple[str, int, int], ...]
    chance: tuple[tuple[str, int, float | None], ...]
    sizes: tuple[Spread, ...]
    aspects: tuple[Spread, ...]
    together: NDArray[np.int64]
    class_names: tuple[str, ...]

    def display(self, name: str) -> str:
        """A class or an action as people read it."""
        return self.displays.get(name, name)

    def figure_tables(self) -> list[FigureTable]:
        """Everything but the tables of counts, as tables."""
        return [
            _histogram_table(self),
            _chance_table(self),
            _spread_table("sizes", "Box sizes", _SIZE_CAPTION, SIZE_EDGES, self.sizes),
            _spread_table("aspects", "Box aspects", _ASPECT_CAPTION, ASPECT_EDGES, self.aspects),
            _together_table(self),
        ]


_SIZE_CAPTION = (
    "The square root of the share of the image that a box covers: quantiles, and objects between "
    "edges."
)
_ASPECT_CAPTION = "Width by height of boxes: quantiles, and objects between edges."


def take_statistics(
    images: Sequence[CountedImage], preset: Preset, *, of: str, all_objects: bool = False
) -> Statistics:
    """The statistics of these images; `of` says in words what they are."""
    names = preset.class_names
    counts = (
        count_main(images, preset, all_objects=all_objects),
        count_segmentation(images, preset, all_objects=all_objects),
        count_layout(images, preset),
        count_actions(images, preset),
    )
    objects = dict.fromkeys(names, 0)
    for image in images:
        for item in image.objects:
            if item.class_name in objects:
                objects[item.class_name] += 1
    together = count_together(images, names)
    return Statistics(
        of,
        preset.class_displays | {item.name: item.display for item in preset.actions},
        counts,
        tuple((name, int(together[row, row]), objects[name]) for row, name in enumerate(names)),
        tuple((name, objects[name], chance_performance(images, name)) for name in names),
        tuple(spread_sizes(images, names)),
        tuple(spread_aspects(images, names)),
        together,
        names,
    )


def format_document(statistics: Statistics) -> dict[str, Any]:
    """The statistics as plain values, ready for JSON."""
    return {
        "of": statistics.of,
        "tables": {
            f"table{table.number}": {
                "sets": list(table.sets),
                "rows": {name: [vars(count) for count in row] for name, row in table.rows},
                "total": None if table.total is None else [vars(count) for count in table.total],
                "empty": None if table.rows else table.empty,
            }
            for table in statistics.counts
        },
        **{
            table.name: [dict(zip(table.heads, row, strict=True)) for row in table.rows]
            for table in statistics.figure_tables()
        },
    }


def _histogram_table(statistics: Statistics) -> FigureTable:
    rows = tuple((name, images, objects) for name, images, objects in statistics.histogram)
    caption = "All images and objects, difficult ones too, whatever their set (the paper, Fig. 4)."
    return FigureTable("histogram", "Objects by class", caption, ("class", "img", "obj"), rows)


def _chance_table(statistics: Statistics) -> FigureTable:
    known = [share for _, _, share in statistics.chance if share is not None]
    mean = sum(known) / len(known) if known else None
    objects = sum(count for _, count, _ in statistics.chance)
    rows = (*statistics.chance, ("mean", objects, mean))
    caption = "The share of pairs of boxes of a class that overlap by half, images at one size."
    heads = ("class", "obj", "chance")
    return FigureTable("chance", "Chance performance of localisation", caption, heads, rows)


def _spread_table(
    name: str, title: str, caption: str, edges: Sequence[float], spreads: Sequence[Spread]
) -> FigureTable:
    bins = [f"{low:g}-{high:g}" for low, high in pairwise(edges)]
    heads = ("class", "obj", *(f"q{round(share * 100)}" for share in QUANTILES), *bins)
    rows: list[tuple[str | int | float | None, ...]] = [
        (one.name, one.objects, *one.quantiles, *one.counts) for one in spreads
    ]
    return FigureTable(name, title, caption, heads, tuple(rows), decimals=2)


def _together_table(statistics: Statistics) -> FigureTable:
    names = statistics.class_names
    rows = tuple(
        (name, *row) for name, row in zip(names, statistics.together.tolist(), strict=True)
    )
    caption = "Images that show both classes; on the diagonal those that show the one."
    return FigureTable("together", "Classes together", caption, ("class", *names), rows)
