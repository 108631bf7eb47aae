"""The files that `vocparty statistics --out` writes: every table three times, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from .distributions import Spread
from .figures import (
    draw_aspects,
    draw_chance,
    draw_class_histogram,
    draw_counts,
    draw_sizes,
    draw_together,
)
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
    pictures = {f"{name}.svg": data for name, data in draw_pictures(statistics).items()}
    return {name: text.encode() for name, text in files.items()} | pictures


PICTURES: dict[str, Callable[[Statistics], bytes]] = {
    "histogram": lambda of: draw_class_histogram(
        [(of.display(name), images, objects) for name, images, objects in of.histogram],
        f"Images and objects of {of.of}",
    ),
    "sizes": lambda of: draw_sizes(_name_spreads(of, of.sizes), f"Box sizes of {of.of}"),
    "aspects": lambda of: draw_aspects(_name_spreads(of, of.aspects), f"Box aspects of {of.of}"),
    "together": lambda of: draw_together(
        of.together, [of.display(name) for name in of.class_names], f"Classes together in {of.of}"
    ),
    "chance": lambda of: draw_chance(
        [(of.display(name), share) for name, _, share in of.chance],
        f"Chance performance of localisation in {of.of}",
    ),
}
"""Every picture but those of the tables of counts, by its name."""


def draw_pictures(statistics: Statistics) -> dict[str, bytes]:
    """Every picture by its name: the same bytes for the same statistics."""
    return {name: draw_picture(statistics, name) for name in picture_names(statistics)}


def picture_names(statistics: Statistics) -> tuple[str, ...]:
    """What there is a picture of: everything but tables without a row."""
    tables = [f"table{table.number}" for table in statistics.counts if table.rows]
    return (*PICTURES, *tables)


def draw_picture(statistics: Statistics, name: str) -> bytes:
    """One of the pictures; KeyError where there is none of that name."""
    if name in PICTURES:
        return PICTURES[name](statistics)
    tables = {f"table{table.number}": table for table in statistics.counts if table.rows}
    table = tables[name]
    return draw_counts(table, statistics.displays, f"{table.title} of {statistics.of}")


def _name_spreads(statistics: Statistics, spreads: Sequence[Spread]) -> list[Spread]:
    return [replace(one, name=statistics.display(one.name)) for one in spreads]
