"""The report as one page of HTML, of one party or of two laid side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from catalog.charts import Bars, draw_bars
from catalog.plural import format_count
from catalog.recency import describe_recent
from catalog.report_page import Figure, Picture, Section, embed
from catalog.report_page import format_page as format_sections
from collect.errors import format_reason
from voc.class_counts import Cell, Share, Table

from .dates import describe_comparison
from .figures import Comparison, QueryFigures, Report
from .verdict import format_verdicts

_DATES = {
    "upload": "as many photographs uploaded in each year",
    "taken": "as many photographs taken in each year",
    "none": "no windows of dates",
}
_INTERVAL_NOTE = (
    "Shares have 95 % intervals that count draws, because photographs of one search share a window "
    "of dates; imported photographs count one by one. A bias that is called detectable would show "
    "in 80 of 100 such samples. Months and years of taking are never quite even, because people do "
    "not photograph evenly; they are shown, not tested."
)
_CLAIMED = (
    "Claimed: what a source says that a search matches, which is often wrong. Useful: judged "
    "images that show the class."
)
_COUNTED = ("searches", "matches", "drawn", "fetched", "gone", "broken", "duplicates", "kept")


def format_page(reports: Sequence[Report], comparison: Comparison | None = None) -> str:
    """The page of one report, or of two laid side by side."""
    words = (f"“{one.party}”: {_DATES.get(one.dates, one.dates)}" for one in reports)
    lost = [{format_reason(it): count for it, count in one.lost.items()} for one in reports]
    sections = [
        *(Section(f"Verdict on {it.party}", text=format_verdicts(it.verdicts)) for it in reports),
        Section(text=[", then ".join(words)], tiles=_make_tiles(reports)),
        _make_calendar(reports, comparison),
        *(_list_queries(report, is_named=len(reports) > 1) for report in reports),
        list_owners(reports),
        _list_counts("Licences", "licence", reports, [it.licences for it in reports]),
        _list_counts("Lost", "why", reports, lost),
        _list_counts("Longest sides", "pixels", reports, [it.longest_sides for it in reports]),
        _list_counts("Shapes", "shape", reports, [it.shapes for it in reports]),
        _list_counts("Sources", "source", reports, [it.sources for it in reports]),
    ]
    title = f"What {' and '.join(f'“{report.party}”' for report in reports)} collected"
    sections.append(Section(note=f"Made by vocparty collected, {reports[0].made_at}."))
    return format_sections(title, sections)


def list_owners(reports: Sequence[Report]) -> Section:
    """Of each report the owners of most kept photographs."""
    heads = ("owner", "id", "photographs", "of the kept")
    tables = []
    for report in reports:
        rows: list[list[Cell]] = []
        for it in report.top_owners:
            names = [it.owner_name, it.owner_id] if it.owner_name else [it.owner_id, ""]
            rows.append([*names, it.photographs, Share(it.photographs / report.kept)])
        if rows:
            named = report.party if len(reports) > 1 else ""
            tables.append(Table("owners", named, "", heads, rows))
    text = [Markup("{}: {}.").format(report.party, _tell_share(report)) for report in reports]
    return Section("The most frequent owners", text=text, tables=tables)


def _tell_share(report: Report) -> str:
    if not report.owners:
        return "no owner is known"
    share, kept = f"{report.top_owners_share:.1%}", format_count(report.kept, "photograph")
    return Markup("{} <b>{}</b> of {}").format(report.top_owners_have, share, kept)


def _make_tiles(reports: Sequence[Report]) -> list[tuple[str, list[int]]]:
    def total(name: str) -> list[int]:
        return [sum(getattr(query, name) for query in report.classes) for report in reports]

    lost = [it.photos.get("gone", 0) + it.photos.get("broken", 0) for it in reports]
    return [
        ("photos found", [sum(report.photos.values()) for report in reports]),
        ("searches", total("searches")),
        ("photographs kept", [report.kept for report in reports]),
        ("near-duplicates", [report.images.get("duplicate", 0) for report in reports]),
        ("gone or broken", lost),
        ("found useful", total("useful")),
        ("owners", [report.owners for report in reports]),
    ]


def _make_calendar(reports: Sequence[Report], comparison: Comparison | None) -> Section:
    undated = ", ".join(f"{it.undated:,} of {it.kept:,}" for it in reports)
    text = [
        "VOC2007 was drawn without dates and came out too recent, with too many Christmas trees "
        "(the paper, section 3.1).",
        *(
            f"{f'{report.party}: ' if len(reports) > 1 else ''}{describe_recent(it)}"
            for report in reports
            for it in report.recent
        ),
    ]
    if comparison is not None:
        text.append(describe_comparison(comparison))
    text.append(
        "The charts show shares of the kept photographs; the dashed line is an even spread over "
        "the configured dates, and photographs from outside them are left out. Without a date "
        f"taken that can be trusted: {undated}."
    )
    figures = [_draw_spread(name, reports) for name in reports[0].spreads]
    heads = ("query", "years", "photographs", "uniform")
    tables = [
        Table("shortages", f"Years of which too few photographs were found: {it.party}", "", heads,
              [[one.query, one.years, one.photographs, one.uniform] for one in it.shortages])
        for it in reports
        if it.shortages
    ]  # fmt: skip
    title = "When the photographs are from"
    return Section(title, text=text, figures=figures, folded=tables, note=_INTERVAL_NOTE)


def _draw_spread(name: str, reports: Sequence[Report]) -> Figure:
    """Bars of what share of each report's photographs is in each bin, and the numbers."""
    title, spreads = name.capitalize(), [report.spreads[name] for report in reports]
    labels, even = spreads[0].labels, spreads[0].even
    names = [it.party for it in reports]
    names = [name if names.count(name) == 1 else f"{name} {n}" for n, name in enumerate(names, 1)]
    shares = [[count / (sum(it.counts) or 1) for count in it.counts] for it in spreads]
    percents = {
        name: [100 * share for share in one] for name, one in zip(names, shares, strict=True)
    }
    total = sum(even)
    line = ("an even spread", [100 * value / total for value in even]) if total else ("", ())
    chart = draw_bars(Bars(labels, percents, unit="%", line=line))
    rows: list[list[Cell]] = [[label] for label in labels]
    for it, one in zip(spreads, shares, strict=True):
        for row, count, share in zip(rows, it.counts, one, strict=True):
            row += [count, Share(share)]
    heads = (title.lower(), *(it for name in names for it in (name, "of all")))
    numbers = Table("numbers", title, "", heads, rows)
    return Figure([Picture(embed(chart), title)], (), title, numbers)


def _list_queries(report: Report, *, is_named: bool) -> Section:
    """Every class with its sums, and every query folded; named where there are two reports."""
    count = len(report.queries)
    summary = "The one query" if count == 1 else f"All {count} queries"
    return Section(
        f"Classes and queries{f' of {report.party}' if is_named else ''}",
        text=[_CLAIMED],
        tables=[_query_table(report.classes, "class")],
        folded=[_query_table(report.queries, "query", summary)],
    )


def _query_table(queries: Sequence[QueryFigures], head: str, title: str = "") -> Table:
    counted = ("claimed" if name == "matches" else name for name in _COUNTED)
    rows: list[list[Cell]] = []
    for query in queries:
        name, share = query.display or "no class", query.useful_share
        if query.keyword:
            source = "" if query.source == "flickr" else f" ({query.source})"
            name = f"{name}: {query.keyword}{source}"
        numbers = [getattr(query, it) for it in (*_COUNTED, "useful")]
        rows.append([name, *numbers, "none yet" if share is None else Share(share)])
    return Table("queries", title, "", (head, *counted, "useful", "of judged"), rows)


def _list_counts(
    title: str, head: str, reports: Sequence[Report], counts: Sequence[Mapping[str, int]]
) -> Section:
    """A table of names with each report's count and share."""
    totals = [sum(one.values()) or 1 for one in counts]
    rows: list[list[Cell]] = [[name] for name in dict.fromkeys(it for one in counts for it in one)]
    for one, total in zip(counts, totals, strict=True):
        for row in rows:
            row += [one.get(str(row[0]), 0), Share(one.get(str(row[0]), 0) / total)]
    named = (report.party if len(reports) > 1 else "photographs" for report in reports)
    heads = (head, *(it for name in named for it in (name, "share")))
    return Section(title, tables=[Table(head, "", "", heads, rows)])
