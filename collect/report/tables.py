"""The tables of the report's page: classes and queries, owners, and whatever is counted by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from catalog.plural import format_count

from .figures import QueryFigures, Report

_HEADS = ("searches", "claimed", "drawn", "fetched", "gone", "broken", "duplicates", "kept")


def format_queries(report: Report, is_named: bool) -> Iterable[str]:
    """Every class with its sums, and every query below; named where there are two reports."""
    named = f" of {escape(report.party)}" if is_named else ""
    yield f"<h2>Classes and queries{named}</h2>"
    yield (
        '<p class="soft">Claimed: what Flickr says a search matches, which is often wrong. Useful: '
        "judged images that show the class.</p>"
    )
    yield _query_table(report.classes, "class")
    yield (
        f"<details><summary>{_count_queries(len(report.queries))}</summary>"
        f"{_query_table(report.queries, 'query')}</details>"
    )


def _count_queries(count: int) -> str:
    return "The one query" if count == 1 else f"All {count} queries"


def _query_table(queries: Sequence[QueryFigures], head: str) -> str:
    heads = "".join(f"<th>{word}</th>" for word in (*_HEADS, "useful", "of judged"))
    rows = "".join(_query_row(query) for query in queries)
    return (
        f'<div class="card"><table><thead><tr><th>{head}</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _query_row(query: QueryFigures) -> str:
    name = query.display or "no class"
    if query.keyword:
        source = "" if query.source == "flickr" else f" ({query.source})"
        name = f"{name}: {query.keyword}{source}"
    numbers = (
        query.searches,
        query.matches,
        query.drawn,
        query.fetched,
        query.gone,
        query.broken,
        query.duplicates,
        query.kept,
        query.useful,
    )
    cells = "".join(f"<td>{number:,}</td>" for number in numbers)
    share = query.useful_share
    return f"<tr><td>{escape(name)}</td>{cells}{_share_cell(share)}</tr>"


def _share_cell(share: float | None, number: int = 0) -> str:
    if share is None:
        return '<td class="share soft">none yet</td>'
    return (
        f'<td class="share share{number}"><span style="width:{share * 100:.1f}%"></span>'
        f"{share:.1%}</td>"
    )


def format_owners(reports: Sequence[Report]) -> Iterable[str]:
    """Of each report the owners of most kept photographs."""
    yield "<h2>The most frequent owners</h2>"
    tables = []
    for number, report in enumerate(reports):
        rows = "".join(
            f'<tr><td>{escape(it.owner_name or it.owner_id)}</td><td class="word soft">'
            f"{escape(it.owner_id if it.owner_name else '')}</td><td>{it.photographs:,}</td>"
            f"{_share_cell(it.photographs / report.kept, number)}</tr>"
            for it in report.top_owners
        )
        heads = '<th>owner</th><th class="word">id</th><th>photographs</th><th>of the kept</th>'
        table = (
            f'<div class="card"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
            "</div>"
        )
        told = f"<p>{escape(report.party)}: {_tell_share(report)}.</p>"
        tables.append(f"<div>{told}{table if rows else ''}</div>")
    yield f'<div class="pair">{"".join(tables)}</div>'


def _tell_share(report: Report) -> str:
    share, kept = f"<b>{report.top_owners_share:.1%}</b>", format_count(report.kept, "photograph")
    return f"{name_top_owners(report)} {share} of {kept}" if report.owners else "no owner is known"


def name_top_owners(report: Report) -> str:
    """The owners of most kept photographs with their verb: "the first ten of 13 owners have"."""
    if report.owners > len(report.top_owners):
        return f"the first ten of {format_count(report.owners, 'owner')} have"
    return f"{format_count(report.owners, 'owner')} {'has' if report.owners == 1 else 'have'}"


def format_counts(
    words: tuple[str, str, str], reports: Sequence[Report], counts: Sequence[Mapping[str, int]]
) -> str:
    """A table of names with each report's count and share beside it.

    `words` are its title, what the names are, and what is counted.
    """
    title, head, unit = words
    names = list(dict.fromkeys(name for one in counts for name in one))
    heads = "".join(
        f"<th>{escape(report.party if len(reports) > 1 else unit)}</th><th>share</th>"
        for report in reports
    )
    totals = [sum(one.values()) or 1 for one in counts]
    rows = "".join(
        f"<tr><td>{escape(name)}</td>"
        + "".join(
            f"<td>{one.get(name, 0):,}</td>{_share_cell(one.get(name, 0) / total, number)}"
            for number, (one, total) in enumerate(zip(counts, totals, strict=True))
        )
        + "</tr>"
        for name in names
    )
    body = rows or f'<tr><td class="soft" colspan="{1 + 2 * len(reports)}">none</td></tr>'
    return (
        f'<h2>{escape(title)}</h2><div class="card"><table>'
        f"<thead><tr><th>{escape(head)}</th>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )
