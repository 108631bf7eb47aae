"""The board's plots as tables, for spreadsheets."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from io import StringIO
from typing import Any

Json = dict[str, Any]
Rows = Sequence[Json]

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def _list_classes(board: Json) -> Rows:
    keys = ("name", "images", "objects", "target")
    return [{key: one[key] for key in keys} | one["forecast"] for one in board["classes"]]


def _list_people(board: Json) -> Rows:
    keys = ("name", "role", "images", "checked", "active_secs", "per_hour", "seen_at")
    return [
        {key: one[key] for key in keys} | {"corrected": (one["corrected"] or {}).get("value")}
        for one in board["people"]
    ]


def _list_seconds(board: Json) -> Rows:
    keys = ("class", "objects", "quarter_secs", "median_secs", "three_quarter_secs")
    return [{key: one[key] for key in keys} for one in board["class_secs"]]


def _list_images(board: Json) -> Rows:
    states = [
        {"state": state, "reason": "", "images": count} for state, count in board["images"].items()
    ]
    reasons = [
        {"state": "discarded", "reason": one["reason"], "images": one["images"]}
        for one in board["discarded"]
    ]
    return [*states, *reasons]


TABLES: dict[str, Callable[[Json], Rows]] = {
    "images": _list_images,
    "classes": _list_classes,
    "people": _list_people,
    "hours": lambda board: board["hours"],
    "progress": lambda board: board["progress"]["bins"],
    "seconds": _list_seconds,
}


def format_csv(rows: Rows) -> str:
    """The rows as CSV with a line of heads; empty where there are none."""
    text = StringIO()
    if rows:
        writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _disarm(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def _disarm(value: Any) -> Any:
    """A name that a spreadsheet would take for a formula, as text."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULA_STARTS)
    return f"'{value}" if is_formula else value
