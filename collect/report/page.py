"""The report as one page of HTML, of one party or of two, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from collect.errors import format_reason
from vockit.format.class_counts import Cell, Share, Table
from vockit.format.plural import format_count
from vockit.report.charts import Bars, draw_bars
from vockit.report.intervals import describe_recent
from vockit.report.report_page import Figure, Picture, Section, embed
from vockit.report.report_page import format_page as format_sections

from .figures import QueryFigures, Report, Spread, format_verdicts

_DATES = {
    "upload": "as many photographs uploaded in each year",
    "taken": "as many photographs taken in each year",
    "none": "no windows of dates",
}
_INTERVAL_NOTE = (
    "Shares have 95 % intervals that count draws, because photographs of one search share a window "
    "of dates, and each year is drawn from until it has as many as the others; imported "
    "photographs count one by one. A bias that would have shown is one that shows in 80 of 100 "
    "such samples. Months and years of taking are never quite even, because people do not "
    "photograph evenly; they are shown, not tested."
)
_CLAIMED = (
    "Claimed: what a source says that a search matches, which is often wrong. Useful: judged "
    "images that show the class."
)
_COUNTED = ("searches", "matches", "drawn", "fetched", "gone", "broken", "duplicates", "kept")


def format_page(reports: Sequence[Report], comparison: str | None = None) -> str:
    """The page of one report, or of two and how they differ."""
    sections = [Section(text=[comparison])] if comparison is not None else []
    for report in reports:
        sections += _make_sections(report)
    title = f"What {' and '.join(f'“{report.party}”' for report in reports)} collected"
    sections.append(Section(note=f"Made by vocparty collected, {reports[0].made_at}."))
    return format_sections(title, sections)


def _make_sections(report: Report) -> list[Section]:
    lost = {format_reason(reason): count for reason, count in report.lost.items()}
    count = len(report.queries)
    summary = "The one query" if count == 1 else f"All {count} queries"
    words = f"“{report.party}”: {_DATES.get(report.dates, report.dates)}"
    return [
        Section(f"Verdict on {report.party}", text=format_verdicts(report.verdicts)),
        Section(text=[words], tiles=_make_tiles(report)),
        _make_calendar(report),
        Section(
            f"Classes and queries of {report.party}",
            text=[_CLAIMED],
            tables=[
                _query_table(report.kinds, "kind of query"),
                _query_table(report.classes, "class"),
            ],
            folded=[_query_table(report.queries, "query", summary)],
        ),
        list_owners(report),
        _list_counts("Licences", "licence", report.licences),
        _list_counts("Lost", "why", lost),
        _list_counts("Longest sides", "pixels", report.longest_sides),
        _list_counts("Shapes", "shape", report.shapes),
        _list_counts("Sources", "source", report.sources),
        *(Section("Tables", text=[table.text]) for table in report.tables),
    ]


def list_owners(report: Report) -> Section:
    """The owners of most kept photographs."""
    rows: list[list[Cell]] = []
    for owner in report.top_owners:
        names = [owner.owner_name, owner.owner_id] if owner.owner_name else [owner.owner_id, ""]
        rows.append([*names, owner.photographs, Share(owner.photographs / report.kept)])
    shown = Markup("no owner is known")
    if report.owners:
        share = f"{report.top_owners_share:.1%}"
        kept = format_count(report.kept, "photograph")
        shown = Markup("{} <b>{}</b> of {}").format(report.top_owners_have, share, kept)
    heads = ("owner", "id", "photographs", "of the kept")
    tables = [Table("owners", "", "", heads, rows)] if rows else []
    text = [Markup("{}: {}.").format(report.party, shown)]
    return Section("The most frequent owners", text=text, tables=tables)


def _make_tiles(report: Report) -> list[tuple[str, list[int]]]:
    def total(name: str) -> int:
        return sum(getattr(query, name) for query in report.classes)

    counts = {
        "photos found": sum(report.photos.values()),
        "searches": total("searches"),
        "photographs kept": report.kept,
        "near-duplicates": report.images.get("duplicate", 0),
        "gone or broken": report.photos.get("gone", 0) + report.photos.get("broken", 0),
        "found useful": total("useful"),
        "owners": report.owners,
    }
    return [(label, [count]) for label, count in counts.items()]


def _make_calendar(report: Report) -> Section:
    text = [
        "VOC2007 was drawn without dates and came out too recent, with too many Christmas trees "
        "(the paper, section 3.1).",
        *map(describe_recent, report.recent),
        "The charts show shares of the kept photographs; the dashed line is an even spread over "
        "the configured dates, and photographs from outside them are left out. Without a date "
        f"taken that can be trusted: {report.undated:,} of {report.kept:,}.",
    ]
    figures = [_draw_spread(name.capitalize(), spread) for name, spread in report.spreads.items()]
    heads = ("query", "years", "photographs", "uniform")
    rows: list[list[Cell]] = [
        [shortage.query, shortage.years, shortage.photographs, shortage.uniform]
        for shortage in report.shortages
    ]
    title = f"Years of which too few photographs were found: {report.party}"
    tables = [Table("shortages", title, "", heads, rows)] if rows else []
    heading = "When the photographs are from"
    return Section(heading, text=text, figures=figures, folded=tables, note=_INTERVAL_NOTE)


def _draw_spread(title: str, spread: Spread) -> Figure:
    """Bars of what share of the photographs is in each bin, and the numbers."""
    shares = [count / (sum(spread.counts) or 1) for count in spread.counts]
    total = sum(spread.even)
    even = [100 * value / total for value in spread.even] if total else []
    line = ("an even spread", even) if even else ("", ())
    percents = {"photographs": [100 * share for share in shares]}
    chart = draw_bars(Bars(spread.labels, percents, unit="%", line=line))
    numbers = _list_numbers(title, dict(zip(spread.labels, spread.counts, strict=True)))
    return Figure([Picture(embed(chart), title)], (), title, numbers)


def _query_table(queries: Sequence[QueryFigures], head: str, title: str = "") -> Table:
    counted = ("claimed" if name == "matches" else name for name in _COUNTED)
    rows: list[list[Cell]] = []
    for query in queries:
        name = query.display or "no class"
        share = query.useful_share
        if query.keyword:
            source = "" if query.source == "flickr" else f" ({query.source})"
            kind = f" [{query.kind}]" if query.kind else ""
            name = f"{name}: {query.keyword}{source}{kind}"
        numbers = [getattr(query, column) for column in (*_COUNTED, "useful")]
        rows.append([name, *numbers, "none yet" if share is None else Share(share)])
    return Table("queries", title, "", (head, *counted, "useful", "of judged"), rows)


def _list_counts(title: str, head: str, counts: Mapping[str, int]) -> Section:
    return Section(title, tables=[_list_numbers(head, counts)])


def _list_numbers(head: str, counts: Mapping[str, int]) -> Table:
    """A table of names with each one's count and share."""
    total = sum(counts.values()) or 1
    rows: list[list[Cell]] = [[name, count, Share(count / total)] for name, count in counts.items()]
    return Table(head, "", "", (head, "photographs", "share"), rows)
