"""The statistics as text, JSON, CSV, LaTeX and pictures; the same bytes for the same statistics."""

from __future__ import annotations

from typing import Any

from vockit.format.class_counts import (
    format_csv,
    format_latex,
    format_text,
)

from .statistics import Statistics
from .statistics_pictures import draw_picture, list_pictures


def format_document(statistics: Statistics) -> dict[str, Any]:
    """The statistics as plain values, ready for JSON."""
    return {
        "of": statistics.subject,
        "groups": statistics.groups,
        "tables": {
            table.name: {
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


def format_all_text(statistics: Statistics) -> str:
    """All tables as text."""
    tables = [
        format_text(table.as_table(statistics.displays, "Total")) for table in statistics.counts
    ]
    numbered = [f"Table {number}: {text}" for number, text in enumerate(tables, start=1)]
    others = map(format_text, statistics.figure_tables())
    return "\n\n".join([f"Statistics of {statistics.subject}", *numbered, *others]) + "\n"


def format_all_csv(statistics: Statistics) -> dict[str, str]:
    """Every table as CSV, by name."""
    tables = [*(table.as_table({}) for table in statistics.counts), *statistics.figure_tables()]
    return {table.name: format_csv(table) for table in tables}


def format_all_latex(statistics: Statistics) -> dict[str, str]:
    """Every table as LaTeX, by name."""
    tables = [
        *(table.as_table(statistics.displays, "Total") for table in statistics.counts),
        *statistics.figure_tables(),
    ]
    return {table.name: format_latex(table) + "\n" for table in tables}


def make_files(statistics: Statistics) -> dict[str, bytes]:
    """Every file by its name; the same bytes for the same statistics."""
    files = {"statistics.txt": format_all_text(statistics)}
    files |= {f"{name}.csv": text for name, text in format_all_csv(statistics).items()}
    files |= {f"{name}.tex": text for name, text in format_all_latex(statistics).items()}
    names = list_pictures(statistics)
    pictures = {f"{name}.svg": draw_picture(statistics, name) for name in names}
    return {name: text.encode() for name, text in files.items()} | pictures
