"""The board as a file: CSV, LaTeX and JSON. Text of teams is text in each of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from challenge.phases import format_moment
from challenge.values import Board, BoardRow, Interval, People
from export.accompanying_files.texts import defuse_formula
from vockit.format.class_counts import escape_latex

COLUMNS = (
    "team",
    "method",
    "confirmed",
    "rank low",
    "rank high",
    "near best",
    "training",
    "training data",
    "marks",
    "disqualified for",
)
"""What the table says of an entry before its scores."""


def format_csv(board: Board) -> str:
    """A row for each entry; a score and the ends of its interval in columns of their own."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = ["mean", *board.classes]
    scores = [f"{name}{end}" for name in names for end in ("", " low", " high")]
    writer.writerow([*COLUMNS, *scores])
    for row in board.rows:
        low, high = row.ranks or ("", "")
        cells = [
            row.team,
            row.method,
            format_moment(row.confirmed_at),
            low,
            high,
            "yes" if row.is_near_best else "no",
            row.training.value,
            row.training_data,
            " ".join(row.notes),
            row.disqualified_for,
        ]
        for interval in _list_scores(board, row):
            cells += ["" if number is None else number for number in _list_ends(interval)]
        writer.writerow([defuse_formula(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue()


def format_latex(board: Board) -> str:
    """A table of the booktabs kind; the best mean is bold."""
    names = ["mean", *board.classes]
    best = max((row.mean.score for row in board.rows if row.mean.score is not None), default=None)
    lines = [
        f"% {board.competition}, edition {board.edition}, {escape_latex(board.evaluator)}",
        f"\\begin{{tabular}}{{ll{'r' * len(names)}}}",
        "\\toprule",
        " & ".join(["method", "team", *map(escape_latex, names)]) + " \\\\",
        "\\midrule",
    ]
    for row in board.rows:
        cells = [_format_cell(interval) for interval in _list_scores(board, row)]
        if best is not None and row.mean.score == best:
            cells[0] = f"\\textbf{{{cells[0]}}}"
        lines.append(
            " & ".join([_escape_line(row.method), _escape_line(row.team), *cells]) + " \\\\"
        )
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def format_json(board: Board) -> str:
    """One document, in which a score is an object with the ends of its interval."""
    document = {
        "competition": board.competition,
        "task": board.task,
        "part": board.part.value,
        "edition": board.edition,
        "evaluator": board.evaluator,
        "classes": list(board.classes),
        "tests": list(board.ranks),
        "people": _describe_people(board.people) if board.people else None,
        "entries": [_describe(row) for row in board.rows],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


Write = Callable[[Board], str]
FORMS: dict[str, tuple[str, Write]] = {
    "csv": ("text/csv", format_csv),
    "tex": ("text/plain", format_latex),
    "json": ("application/json", format_json),
}
"""The ways to write the board down: the type of each file, and what writes it."""


def _describe(row: BoardRow) -> dict[str, Any]:
    return {
        "team": row.team,
        "method": row.method,
        "confirmed_at": format_moment(row.confirmed_at),
        "mean": _describe_interval(row.mean),
        "classes": {name: _describe_interval(score) for name, score in row.classes.items()},
        "ranks": row.ranks,
        "is_near_best": row.is_near_best,
        "moved": row.moved,
        "training": row.training.value,
        "training_data": row.training_data,
        "masks_from": row.mask_source.value if row.mask_source else None,
        "marks": list(row.notes),
        "disqualified_for": row.disqualified_for or None,
    }


def _describe_people(people: People) -> dict[str, Any]:
    """What people reach on the images that they had, by class."""
    measures = ("precision", "recall", "overlap", "ap", "iou")
    return {
        "images": people.images,
        "people": people.people,
        "classes": {
            row.name or "all": {name: _describe_interval(getattr(row, name)) for name in measures}
            for row in people.rows
        },
    }


def _describe_interval(interval: Interval) -> dict[str, float | None]:
    return {"score": interval.score, "low": interval.low, "high": interval.high}


def _list_scores(board: Board, row: BoardRow) -> list[Interval]:
    return [row.mean, *(row.classes.get(name, Interval(None)) for name in board.classes)]


def _list_ends(interval: Interval) -> tuple[float | None, ...]:
    return interval.score, interval.low, interval.high


def _format_cell(interval: Interval) -> str:
    return "--" if interval.score is None else f"{interval.score:.1f}"


def _escape_line(text: str) -> str:
    return escape_latex(" ".join(text.split()))
