"""The board's numbers as tables of CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import datetime
from io import StringIO
from typing import Any

from .answers import Json, format_moment

_DONE = "annotated discarded checked returned"
TABLES: dict[str, tuple[str, Callable[[Json], list[Json]]]] = {
    "images": (
        "state reason images",
        lambda board: [
            *(
                {"state": state, "reason": "", "images": count}
                for state, count in board["images"].items()
            ),
            *({"state": "discarded"} | row for row in board["discarded"]),
        ],
    ),
    "classes": (
        "name images objects target hours low_hours high_hours",
        lambda board: [line | line["forecast"] for line in board["classes"]],
    ),
    "people": (
        "name role images checked active_secs per_hour seen_at fixed",
        lambda board: board["people"],
    ),
    "hours": (f"hour {_DONE}", lambda board: board["hours"]),
    "progress": (
        f"start_at {_DONE}",
        lambda board: board["progress"]["bins"],
    ),
    "seconds": (
        "class objects quarter_secs median_secs three_quarter_secs",
        lambda board: [line | {"class": line["name"]} for line in board["class_secs"]],
    ),
    "agreement": (
        "first_id first second_id second images both mean_overlap",
        lambda agreement: agreement["cells"],
    ),
}
"""The columns of each table, and its rows of a board or an agreement."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def format_csv(columns: str, rows: list[Json]) -> str:
    """The rows as CSV with a line of heads; empty where there are none."""
    text = StringIO()
    if rows:
        names = columns.split()
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _disarm(row[name]) for name in names} for row in rows)
    return text.getvalue()


def _disarm(value: Any) -> Any:
    """A name that a spreadsheet would take for a formula, as text; a moment as JSON has it."""
    if isinstance(value, datetime):
        return format_moment(value)
    if isinstance(value, dict):  # an interval
        return value["value"]
    is_formula = isinstance(value, str) and value.startswith(_FORMULA_STARTS)
    return f"'{value}" if is_formula else value
