"""Who took each photograph, and under which licence: as CSV and as a page."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter

from export.plan import ReleasePlan

from .citation import SAFE_SCHEMES, UNKNOWN
from .escapes import MOST_CHARS, defuse_formula, fit_line


@dataclass(frozen=True)
class Credit:
    """One photograph of one image; empty where the source did not say."""

    id: str
    owner: str
    title: str
    licence: str
    licence_url: str
    page_url: str
    source: str
    source_id: str


def iterate_credits(plan: ReleasePlan) -> Iterator[Credit]:
    """The photographs of every image whose source the release tells, in order of the ids."""
    for image in plan.annotated:
        for photo in image.row.photos:
            yield Credit(
                id=image.public_id,
                owner=photo.owner_name or photo.owner_id or "",
                title=photo.title or "",
                licence=photo.licence_name or "",
                licence_url=photo.licence_url or "",
                page_url=photo.page_url or "",
                source=photo.source.value,
                source_id=photo.source_id,
            )


def format_csv(plan: ReleasePlan) -> str:
    """One line for each photograph, whatever its owner and title hold.

    A cell that a spreadsheet would take for a formula has an apostrophe in front.
    """
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    names = [field.name for field in fields(Credit)]
    cells = attrgetter(*names)
    writer.writerow(names)
    writer.writerows(map(defuse_formula, cells(credit)) for credit in iterate_credits(plan))
    return target.getvalue()


def format_page(plan: ReleasePlan) -> str:
    """The same as an HTML page without scripts."""
    rows = "\n".join(_row(credit) for credit in iterate_credits(plan))
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Credits of {html.escape(fit_line(plan.name))}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem;
  padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #8885;
  vertical-align: top; overflow-wrap: anywhere; }}
</style>
<h1>Credits of {_text(plan.name)}</h1>
<p>The photographs belong to those who took them; each is used under the licence beside it.</p>
<table>
<thead><tr><th>Image<th>Taken by<th>Title<th>Licence<th>Source</thead>
<tbody>
{rows}
</tbody>
</table>
</html>
"""


def _row(credit: Credit) -> str:
    cells = (
        _text(credit.id),
        _text(credit.owner or UNKNOWN),
        _text(credit.title),
        _licence(credit.licence or UNKNOWN, credit.licence_url),
        _link(f"{credit.source} {credit.source_id}", credit.page_url),
    )
    return f"<tr><td>{'<td>'.join(cells)}"


@lru_cache
def _licence(text: str, url: str) -> str:
    """The same few for all photographs."""
    return _link(text, url)


def _link(text: str, url: str) -> str:
    if not url.startswith(SAFE_SCHEMES):
        return _text(text)
    address = html.escape(fit_line(url))
    return f'<a href="{address}" rel="noreferrer nofollow">{_text(text)}</a>'


def _text(text: str) -> str:
    """The text on its own: its direction, right to left or turned round, goes no further."""
    return f"<bdi>{html.escape(fit_line(text, MOST_CHARS))}</bdi>"
