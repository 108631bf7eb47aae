"""The distributions of distances as SVG pictures, the same bytes for the same numbers."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .figures import SIMILARITY_STEPS, Counts, Distances

COLOURS = {"duplicate": "#3454c8", "same_event": "#c07a00", "collage": "#18704a"}
SIZE_INCHES = (6.4, 2.9)
_STYLE: Any = {
    "svg.hashsalt": "vocparty",
    "svg.fonttype": "path",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw_distances(distances: Mapping[str, Distances]) -> dict[str, str]:
    """A plot for each measure, as a data address of an SVG picture."""
    return {
        "64-bit hashes of the whole images": _draw(
            {name: it.of_64_bits for name, it in distances.items()}, "bits that differ", 64, 1
        ),
        "256-bit hashes of the whole images": _draw(
            {name: it.of_256_bits for name, it in distances.items()}, "bits that differ", 256, 4
        ),
        "similarity once laid over one another": _draw(
            {name: it.similarity_in_fiftieths for name, it in distances.items()},
            "similarity of details",
            SIMILARITY_STEPS,
            1,
            scale=1 / SIMILARITY_STEPS,
        ),
    }


def _draw(
    counts: Mapping[str, Counts], words: str, largest: int, step: int, scale: float = 1.0
) -> str:
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=SIZE_INCHES, layout="constrained")
        axes = figure.add_subplot()
        edges = [edge * scale for edge in range(0, largest + 2 * step, step)]
        names = [name for name in counts if counts[name]]
        axes.hist(
            [[value * scale for value in counts[name]] for name in names] or [[]],
            bins=edges,
            weights=[list(counts[name].values()) for name in names] or [[]],
            stacked=True,
            color=[COLOURS.get(name, "#596070") for name in names] or None,
            label=[name.replace("_", " ") for name in names] or None,
            align="left",
        )
        axes.set_xlim(-step * scale, (largest + step) * scale)
        axes.set_xlabel(words)
        axes.set_ylabel("decisions")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        if names:
            axes.legend(frameon=False)
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return "data:image/svg+xml;base64," + base64.b64encode(file.getvalue()).decode()
