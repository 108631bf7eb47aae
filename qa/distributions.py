"""How large and how long boxes are, by class, and which classes come together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .statistic_images import CountedImage

SIZE_EDGES = tuple(round(share * 0.1, 1) for share in range(11))
"""Of the square root of the share of the image that a box covers."""

ASPECT_EDGES = (0.0, 0.25, 0.5, 0.67, 0.8, 1.25, 1.5, 2.0, 4.0, float("inf"))
"""Of width by height in pixels; the middle bin holds what is nearly square."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Spread:
    """Quantiles of a measure over some objects, and how many fall between the edges."""

    name: str
    objects: int
    quantiles: tuple[float, ...]
    counts: tuple[int, ...]


def spread_sizes(images: Sequence[CountedImage], class_names: Sequence[str]) -> list[Spread]:
    """How large the boxes of each class are: the square root of the share of the image."""
    measures: dict[str, list[float]] = {name: [] for name in class_names}
    for image in images:
        for item in image.objects:
            share = item.box.area_px / (image.width_px * image.height_px)
            measures.setdefault(item.class_name, []).append(share**0.5)
    return [_spread(name, values, SIZE_EDGES) for name, values in measures.items() if values]


def spread_aspects(images: Sequence[CountedImage], class_names: Sequence[str]) -> list[Spread]:
    """How long the boxes of each class are: width by height."""
    measures: dict[str, list[float]] = {name: [] for name in class_names}
    for image in images:
        for item in image.objects:
            aspect = item.box.width_px / item.box.height_px
            measures.setdefault(item.class_name, []).append(aspect)
    return [_spread(name, values, ASPECT_EDGES) for name, values in measures.items() if values]


def count_together(images: Sequence[CountedImage], class_names: Sequence[str]) -> NDArray[np.int64]:
    """How many images show both of two classes; on the diagonal, how many show the one."""
    places = {name: place for place, name in enumerate(class_names)}
    shown = np.zeros((len(images), len(class_names)), dtype=np.int64)
    for row, image in enumerate(images):
        for item in image.objects:
            if item.class_name in places:
                shown[row, places[item.class_name]] = 1
    return shown.T @ shown


def _spread(name: str, values: Sequence[float], edges: Sequence[float]) -> Spread:
    """Bins hold their lower edge; the last one holds its upper edge too."""
    counts, _ = np.histogram(values, bins=np.array(edges))
    quantiles = np.quantile(values, QUANTILES).tolist()
    return Spread(name, len(values), tuple(quantiles), tuple(counts.tolist()))
