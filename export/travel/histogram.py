"""The histogram of images and objects by class on a log scale (the paper's Fig. 4)."""

from __future__ import annotations

import io

from .statistics import TOTAL, Table

INCHES = (9.0, 4.5)
_SALT = "vocparty"


def draw_histogram(table: Table) -> bytes:
    """An SVG with two bars for each class, over all sets; the same for the same version."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    wanted = [number for number, name in enumerate(table.sets) if name in ("trainval", "test")]
    lines = [line for line in table.lines if line.name != TOTAL]
    with rc_context({"svg.hashsalt": _SALT, "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=INCHES, layout="constrained")
        axes = figure.subplots()
        for shift, label, counts in (
            (-0.2, "images", [sum(line.images[it] for it in wanted) for line in lines]),
            (0.2, "objects", [sum(line.objects[it] for it in wanted) for line in lines]),
        ):
            places = [number + shift for number in range(len(lines))]
            axes.bar(places, counts, width=0.4, label=label)
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.8)
        axes.set_xticks(range(len(lines)), [line.name for line in lines], rotation=60, ha="right")
        axes.set_ylabel("count")
        axes.grid(axis="y", alpha=0.3)
        axes.legend(frameon=False)
        target = io.BytesIO()
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return target.getvalue()
