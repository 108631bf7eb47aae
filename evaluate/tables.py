"""Tables of a report as cells for HTML, as CSV and as LaTeX: first in bold, next two in italics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voc.class_counts import Table, escape_latex, format_csv

from .curves import average

Cell = float | int | str | None
BOLD, ITALIC = "bold", "italic"
_LATEX = {BOLD: r"\textbf{%s}", ITALIC: r"\textit{%s}", "": "%s"}


@dataclass(frozen=True)
class ScoreTable:
    """A table; the first column names the rows.

    In columns of `ranked` the greatest value is marked as first, the next two as italic; `factor`
    100 shows shares in percent.
    """

    name: str
    title: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    is_ranked: bool = False
    factor: float = 100
    decimals: int = 1

    def cells(self) -> list[list[tuple[str, str]]]:
        """The text and the mark of each cell but the first, row by row."""
        columns = zip(*(row for _, row in self.rows), strict=True)
        marks = list(zip(*map(self._mark, columns), strict=True))
        return [
            [(self._format(cell), mark) for cell, mark in zip(row, marks[number], strict=True)]
            for number, (_, row) in enumerate(self.rows)
        ]

    def _mark(self, column: Sequence[Cell]) -> list[str]:
        known = [it for it in column if isinstance(it, float) and not math.isnan(it)]
        if not self.is_ranked or len(column) < 2:
            return [""] * len(column)
        places = [sum(other > it for other in known) if it in known else 9 for it in column]
        return [BOLD if not place else ITALIC if place < 3 else "" for place in places]

    def _format(self, cell: Cell) -> str:
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return "–"
        if isinstance(cell, float):
            return f"{self.factor * cell:.{self.decimals}f}"
        return f"{cell:,}" if isinstance(cell, int) else cell

    @property
    def is_text(self) -> bool:
        """Whether the cells are words, which read better from the left."""
        return all(isinstance(cell, str) for _, row in self.rows for cell in row)

    def as_csv(self) -> str:
        """The table as CSV, its values unrounded; NaN and what is missing are empty."""
        rows = [
            [label, *("" if isinstance(it, float) and math.isnan(it) else it for it in row)]
            for label, row in self.rows
        ]
        return format_csv(Table(self.name, self.title, "", self.heads, rows))

    def as_latex(self) -> str:
        """The table as LaTeX, a `tabular` in a `table`."""
        lines = []
        for (label, _), cells in zip(self.rows, self.cells(), strict=True):
            texts = (_LATEX[mark] % escape_latex(text.replace("–", "--")) for text, mark in cells)
            lines.append(" & ".join([escape_latex(label), *texts]) + r" \\")
        heads = " & ".join(map(escape_latex, self.heads))
        columns = "r" * (len(self.heads) - 1)
        caption = escape_latex(self.title)
        begin = rf"\begin{{table}}\centering\caption{{{caption}}}\label{{tab:{self.name}}}"
        tabular = rf"\begin{{tabular}}{{l{columns}}}\hline"
        end = r"\hline\end{tabular}\end{table}"
        return "\n".join([begin, tabular, rf"{heads} \\ \hline", *lines, end, ""])


def tabulate(
    name: str, title: str, scores: Mapping[str, Mapping[str, float]], *, factor: float = 100
) -> ScoreTable:
    """Methods by class with the mean over the classes that have a number, and their count."""
    classes = list(dict.fromkeys(it for by_class in scores.values() for it in by_class))
    rows: list[tuple[str, list[Cell]]] = []
    for method, by_class in scores.items():
        count = sum(not math.isnan(it) for it in by_class.values())
        cells = (by_class.get(it) for it in classes)
        rows.append((method, [average(by_class.values()), count, *cells]))
    return ScoreTable(name, title, ["method", "mean", "of", *classes], rows, True, factor)
