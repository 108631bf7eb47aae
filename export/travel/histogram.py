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
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

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
            bars = axes.bar(places, counts, width=0.4, label=label)
            labels = [f"{count:,}" if count else "" for count in counts]
            axes.bar_label(bars, labels, rotation=90, padding=3, fontsize=7)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.margins(y=0.12)
        axes.set_ylim(bottom=0.8)
        axes.set_xticks(range(len(lines)), [line.name for line in lines], rotation=60, ha="right")
        axes.set_ylabel("count")
        axes.grid(axis="y", alpha=0.3)
        axes.legend(frameon=False, loc="upper right", ncols=2)
        target = io.BytesIO()
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return target.getvalue()
