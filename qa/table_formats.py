"""Tables of counts and of figures as text, CSV and LaTeX."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from .tables import Count, CountTable

_LATEX = re.compile(r"[&%$#_{}~^\\]")
_LATEX_WORDS = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}


@dataclass(frozen=True)
class FigureTable:
    """A table of anything: words first, then values that are shown with `decimals`."""

    name: str
    title: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]
    decimals: int = 3


def format_counts_text(table: CountTable, displays: dict[str, str]) -> Iterator[str]:
    """The lines of a table of counts, as the development kit prints them."""
    rows = [(displays.get(name, name), counts) for name, counts in table.rows]
    width = max([len("Total"), *(len(name) for name, _ in rows)])
    yield f"Table {table.number}: {table.title}. {table.caption}"
    yield ""
    if not table.rows:
        yield table.empty
        return
    yield (" " * width + "".join(f"{name:^18}" for name in table.sets)).rstrip()
    yield " " * width + "".join(f"{'img':>9}{'obj':>9}" for _ in table.sets)
    for name, counts in rows:
        yield f"{name:<{width}}" + _join(counts)
    if table.total is not None:
        yield f"{'Total':<{width}}" + _join(table.total)


def format_counts_csv(table: CountTable) -> str:
    """The table as CSV: a row a class, two columns a set; no thousands separators."""
    heads = [f"{name}_{what}" for name in table.sets for what in ("img", "obj")]
    rows = [(name, *_flatten(counts)) for name, counts in table.rows]
    if table.rows and table.total is not None:
        rows.append(("total", *_flatten(table.total)))
    return _write_csv(["name", *heads], rows)


def format_counts_latex(table: CountTable, displays: dict[str, str]) -> str:
    """The table as LaTeX, a `tabular` in a `table`."""
    spans = " & ".join(rf"\multicolumn{{2}}{{c}}{{{escape_latex(name)}}}" for name in table.sets)
    lines = [f" & {spans} \\\\", " & " + " & ".join(["img & obj"] * len(table.sets)) + r" \\"]
    body = [
        f"{escape_latex(displays.get(name, name))} & {_join_latex(counts)} \\\\"
        for name, counts in table.rows
    ]
    if not table.rows:
        columns = 1 + 2 * len(table.sets)
        body = [rf"\multicolumn{{{columns}}}{{l}}{{{escape_latex(table.empty)}}} \\"]
    elif table.total is not None:
        body += [r"\hline", f"Total & {_join_latex(table.total)} \\\\"]
    caption = f"{table.title}. {table.caption}"
    return _wrap_latex("l" + "rr" * len(table.sets), lines, body, caption, f"table{table.number}")


def format_figures_text(table: FigureTable) -> Iterator[str]:
    """The lines of a table of figures."""
    cells = [table.heads, *([_show(cell, table.decimals) for cell in row] for row in table.rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(table.heads))]
    yield f"{table.title}. {table.caption}"
    yield ""
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join([first, *rest]).rstrip()


def format_figures_csv(table: FigureTable) -> str:
    """The table as CSV, with values as they are."""
    return _write_csv(list(table.heads), [["" if c is None else c for c in r] for r in table.rows])


def format_figures_latex(table: FigureTable) -> str:
    """The table as LaTeX."""
    head = " & ".join(escape_latex(word) for word in table.heads) + r" \\"
    body = [
        " & ".join(escape_latex(_show(cell, table.decimals)) for cell in row) + r" \\"
        for row in table.rows
    ]
    columns = "l" + "r" * (len(table.heads) - 1)
    return _wrap_latex(columns, [head], body, f"{table.title}. {table.caption}", table.name)


def escape_latex(text: str) -> str:
    """The text as LaTeX shows it."""
    return _LATEX.sub(lambda found: _LATEX_WORDS.get(found[0], "\\" + found[0]), text)


def _flatten(counts: Sequence[Count]) -> list[int]:
    return [number for count in counts for number in (count.images, count.objects)]


def _join(counts: Sequence[Count]) -> str:
    return "".join(f"{number:>9,}" for number in _flatten(counts))


def _join_latex(counts: Sequence[Count]) -> str:
    return " & ".join(f"{number:,}" for number in _flatten(counts))


def _show(cell: str | int | float | None, decimals: int) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.{decimals}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _write_csv(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return buffer.getvalue()


def _wrap_latex(
    columns: str, heads: Sequence[str], body: Sequence[str], caption: str, label: str
) -> str:
    lines = [
        r"\begin{table}",
        rf"\caption{{{escape_latex(caption)}}}",
        rf"\label{{{label}}}",
        r"\centering",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\hline",
        *heads,
        r"\hline",
        *body,
        r"\hline",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"
