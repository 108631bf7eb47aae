"""The files that `vocparty statistics --out` writes: every table three times, and pictures."""

from __future__ import annotations

from collections.abc import Iterator

from .figures import draw_class_histogram, draw_sizes, draw_together
from .statistics import Statistics
from .table_formats import (
    format_counts_csv,
    format_counts_latex,
    format_counts_text,
    format_figures_csv,
    format_figures_latex,
    format_figures_text,
)


def format_text(statistics: Statistics) -> Iterator[str]:
    """All tables as lines of text."""
    yield f"Statistics of {statistics.of}"
    for counts in statistics.counts:
        yield ""
        yield from format_counts_text(counts, statistics.displays)
    for figures in statistics.figure_tables():
        yield ""
        yield from format_figures_text(figures)


def format_csv(statistics: Statistics) -> dict[str, str]:
    """Every table as CSV, by name."""
    files = {f"table{table.number}": format_counts_csv(table) for table in statistics.counts}
    return files | {one.name: format_figures_csv(one) for one in statistics.figure_tables()}


def format_latex(statistics: Statistics) -> dict[str, str]:
    """Every table as LaTeX, by name."""
    files = {
        f"table{table.number}": format_counts_latex(table, statistics.displays)
        for table in statistics.counts
    }
    return files | {one.name: format_figures_latex(one) for one in statistics.figure_tables()}


def make_files(statistics: Statistics) -> dict[str, bytes]:
    """Every file by its name; the same bytes for the same statistics."""
    files = {"statistics.txt": "\n".join(format_text(statistics)) + "\n"}
    files |= {f"{name}.csv": text for name, text in format_csv(statistics).items()}
    files |= {f"{name}.tex": text for name, text in format_latex(statistics).items()}
    pictures = {
        "histogram.svg": draw_class_histogram(
            [(statistics.displays[row[0]], row[1], row[2]) for row in statistics.histogram],
            f"Images and objects of {statistics.of}",
        ),
        "sizes.svg": draw_sizes(statistics.sizes, f"Box sizes of {statistics.of}"),
        "together.svg": draw_together(
            statistics.together, statistics.class_names, f"Classes together in {statistics.of}"
        ),
    }
    return {name: text.encode() for name, text in files.items()} | pictures
