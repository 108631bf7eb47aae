"""Images and objects by class and set, and tables of statistics as text, CSV and LaTeX."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

_SETS = ("train", "val", "trainval", "test")
_FURTHER_SET = "test2"
WHOLE = "all"
_LATEX = re.compile(r"[&%$#_{}~^\\]")
_LATEX_WORDS = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}

Words = Sequence[Sequence[str]]
"""What each object of an image counts as: its class, its actions or its parts."""

Cell = str | int | float | None


class Share(float):
    """A share from 0 to 1, shown in percent."""


@dataclass(frozen=True)
class Table:
    """A table with words in its first column; `empty` says why it has no rows."""

    name: str
    title: str
    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    decimals: int = 3
    empty: str = ""


@dataclass(frozen=True)
class Count:
    """Images that hold at least one counted object, and the counted objects."""

    images: int
    objects: int


@dataclass(frozen=True)
class CountTable:
    """Counts of each word, a column for each set, and their total where the table has one."""

    name: str
    title: str
    caption: str
    sets: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Count, ...]], ...]
    total: tuple[Count, ...] | None = None
    empty: str = ""

    def as_table(self, displays: Mapping[str, str], total: str = "total") -> Table:
        """The same with two columns for each set, its words as `displays` has them."""
        rows = [(displays.get(name, name), counts) for name, counts in self.rows]
        if rows and self.total is not None:
            rows.append((total, self.total))
        heads = ("name", *(f"{name}_{what}" for name in self.sets for what in ("img", "obj")))
        cells: list[list[Cell]] = [
            [name, *(number for count in counts for number in (count.images, count.objects))]
            for name, counts in rows
        ]
        return Table(self.name, self.title, self.caption, heads, cells, empty=self.empty)


def choose_sets(splits: Iterable[str | None]) -> tuple[str, ...]:
    """VOC's four sets, and test2 where an image is in it: few releases have a second test set."""
    return (*_SETS, _FURTHER_SET) if _FURTHER_SET in splits else _SETS


def is_in_set(name: str, split: str | None) -> bool:
    """Whether a set holds images of the split; trainval is the union of two."""
    return name in (WHOLE, split) or (name == "trainval" and split in ("train", "val"))


def count_by_set(
    images: Iterable[tuple[str | None, Words]], names: Iterable[str], sets: Sequence[str]
) -> tuple[tuple[tuple[str, tuple[Count, ...]], ...], tuple[Count, ...]]:
    """The rows of a table as in VOC's Table 2, and its total, over images with their splits."""
    shown = defaultdict[str | None, Counter[str | None]](Counter)
    drawn = defaultdict[str | None, Counter[str | None]](Counter)
    for split, objects in images:
        held = [word for words in objects for word in set(words)]
        drawn[split].update(held)
        shown[split].update(set(held))
        drawn[split][None] += sum(map(bool, objects))
        shown[split][None] += any(objects)

    def row(word: str | None) -> tuple[Count, ...]:
        held = ([split for split in drawn if is_in_set(name, split)] for name in sets)
        return tuple(
            Count(
                sum(shown[split][word] for split in some), sum(drawn[split][word] for split in some)
            )
            for some in held
        )

    return tuple((name, row(name)) for name in names), row(None)


def format_cell(cell: Cell, decimals: int = 3) -> str:
    """A cell as people read it."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.1%}" if isinstance(cell, Share) else f"{cell:.{decimals}f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def format_text(table: Table) -> str:
    """The table in columns under its title."""
    lines = format_columns(table) if table.rows or not table.empty else [table.empty]
    return "\n".join([f"{table.title}. {table.caption}", "", *lines])


def format_columns(table: Table) -> list[str]:
    """The lines of the heads and the rows."""
    cells = [[word.replace("_", " ") for word in table.heads]]
    cells += [[format_cell(cell, table.decimals) for cell in row] for row in table.rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *rest in cells:
        numbers = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        lines.append("  ".join([first.ljust(widths[0]), *numbers]).rstrip())
    return lines


def format_csv(table: Table) -> str:
    """The table as CSV, its values as they are."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.heads)
    writer.writerows(table.rows)
    return buffer.getvalue()


def format_latex(table: Table) -> str:
    """The table as LaTeX, a `tabular` in a `table`."""
    rows = [[format_cell(cell, table.decimals) for cell in row] for row in table.rows]
    lines = [" & ".join(map(escape_latex, row)) + r" \\" for row in rows]
    if not rows:
        lines = [rf"\multicolumn{{{len(table.heads)}}}{{l}}{{{escape_latex(table.empty)}}} \\"]
    head = " & ".join(escape_latex(word.replace("_", " ")) for word in table.heads)
    caption = escape_latex(f"{table.title}. {table.caption}")
    columns = "r" * (len(table.heads) - 1)
    return "\n".join(
        [
            rf"\begin{{table}}\centering\caption{{{caption}}}\label{{{table.name}}}",
            rf"\begin{{tabular}}{{l{columns}}}",
            r"\hline",
            head + r" \\",
            r"\hline",
            *lines,
            r"\hline",
            r"\end{tabular}\end{table}",
        ]
    )


def escape_latex(text: str) -> str:
    """The text as LaTeX shows it."""
    return _LATEX.sub(lambda match: _LATEX_WORDS.get(match[0], "\\" + match[0]), text)
