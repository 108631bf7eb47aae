"""A report as one page of HTML: no script, nothing from elsewhere, printable, light and dark."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from vockit.format.class_counts import Share, Table, format_cell


@dataclass(frozen=True)
class Picture:
    """A picture as a data address, or None where it cannot be shown, and words for it."""

    source: str | None
    text: str


@dataclass(frozen=True)
class Figure:
    """Pictures over lines of text, with the numbers of a chart as a table that opens."""

    pictures: Sequence[Picture] = ()
    lines: Sequence[str] = ()
    title: str = ""
    numbers: Table | None = None


@dataclass(frozen=True)
class Section:
    """A part of the page; strings are escaped unless they are Markup.

    `tag` is a word after the title. `tiles` are labels with a number for each of what is compared.
    `folded` tables open under their titles. `shape` is that of the figures: charts, cards or pairs.
    """

    title: str = ""
    tag: str = ""
    text: Sequence[str] = ()
    tiles: Sequence[tuple[str, Sequence[int]]] = ()
    tables: Sequence[Table] = ()
    folded: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    shape: str = "charts"
    note: str = ""


def format_page(title: str, sections: Sequence[Section]) -> str:
    """The whole page."""
    return _FILES.get_template("report_page.html").render(title=title, sections=sections)


def link(url: str | None, text: object) -> Markup:
    """The text, as a link where there is an address."""
    words = escape(text)
    return Markup('<a href="{}">{}</a>').format(url, words) if url else words


def embed(data: bytes, mimetype: str = "image/svg+xml") -> str:
    """A file as a data address."""
    return f"data:{mimetype};base64,{b64encode(data).decode()}"


_FILES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_FILES.filters["cell"] = format_cell
_FILES.tests["share"] = lambda cell: isinstance(cell, Share)
