"""The report as one page of HTML: no script, nothing from elsewhere, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from .charts import Series, draw_bars
from .figures import Comparison, QueryFigures, Report, Spread, UniformTest
from .style import STYLE

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_SPREAD_NOTES = {
    "hour taken": "Cameras' local time. People photograph by day, so this one is never even.",
    "weekday taken": "There are more photographs of weekends than of other days.",
    "year taken": "There are more photographs of some years than of others.",
}
_DATES = {
    "upload": "random windows of upload dates",
    "taken": "random windows of dates taken",
    "none": "no windows of dates",
}
_HEADS = ("searches", "claimed", "drawn", "fetched", "gone", "broken", "duplicates", "kept")


def format_page(reports: Sequence[Report], comparison: Comparison | None = None) -> str:
    """The page of one report, or of two laid side by side."""
    first = reports[0]
    title = f"What {' and '.join(f'“{report.party}”' for report in reports)} collected"
    sections = [
        f"<h1>{escape(title)}</h1>",
        _legend(reports),
        _tiles(reports),
        *_calendar(reports, comparison),
        *(part for report in reports for part in _queries(report, len(reports) > 1)),
        *_owners(reports),
        _counts("Licences", reports, [report.licences for report in reports], "photographs"),
        _counts("Lost", reports, [report.lost for report in reports], "photos, by reason"),
        *_sizes(reports),
    ]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>",
            *sections,
            f'<p class="note">Made by vocparty report, {escape(first.made_at)}.</p>',
            "</main></body></html>\n",
        ]
    )


def describe_test(test: UniformTest) -> str:
    """The test in words."""
    if test.p_value is None or test.statistic is None or test.effect is None:
        return f"{test.draws} draws: too few for the test."
    adjusted = test.p_value if test.p_adjusted is None else test.p_adjusted
    return (
        f"{test.draws} draws, χ² = {test.statistic:.1f} with {test.degrees} degrees "
        f"of freedom, {_chance('p', test.p_value)}, {_chance('Holm', adjusted)}; "
        f"effect w = {test.effect:.2f} ({name_effect(test.effect)})."
    )


def _chance(name: str, p_value: float) -> str:
    told = "<\u00a00.001" if p_value < 0.001 else f"=\u00a0{p_value:.3f}"
    return f"{name}\u00a0{told}"


def name_effect(effect: float) -> str:
    """Cohen's words for w (Statistical Power Analysis, 1988, section 7.2)."""
    sizes = ((0.1, "negligible"), (0.3, "small"), (0.5, "medium"))
    return next((word for limit, word in sizes if effect < limit), "large")


def _legend(reports: Sequence[Report]) -> str:
    words = [
        f'<span class="key key{number}"></span>{escape(report.party)} '
        f"({_DATES.get(report.dates, escape(report.dates))})"
        for number, report in enumerate(reports)
    ]
    return f'<p class="soft">{"".join(words)}</p>'


def _tiles(reports: Sequence[Report]) -> str:
    def total(report: Report, name: str) -> int:
        return sum(getattr(query, name) for query in report.classes)

    figures = [
        ("photos found", [sum(report.photos.values()) for report in reports]),
        ("searches", [total(report, "searches") for report in reports]),
        ("photographs kept", [report.kept for report in reports]),
        ("near-duplicates", [report.images.get("duplicate", 0) for report in reports]),
        ("gone or broken", [_lost(report) for report in reports]),
        ("found useful", [total(report, "useful") for report in reports]),
        ("owners", [report.owners for report in reports]),
    ]
    tiles = "".join(
        f'<div class="tile"><b>{values[0]:,}'
        + "".join(f" <i>{value:,}</i>" for value in values[1:])
        + f'</b><span class="soft">{escape(name)}</span></div>'
        for name, values in figures
    )
    return f'<div class="tiles">{tiles}</div>'


def _lost(report: Report) -> int:
    return report.photos.get("gone", 0) + report.photos.get("broken", 0)


def _calendar(reports: Sequence[Report], comparison: Comparison | None) -> Iterable[str]:
    undated = ", ".join(
        _key(number, reports) + f"{report.undated:,} of {report.kept:,}"
        for number, report in enumerate(reports)
    )
    yield "<h2>When the photographs are from</h2>"
    yield (
        "<p>Shares of the kept photographs; the dashed line is an even spread over the configured "
        "dates, and photographs from outside them are left out. VOC2007 was drawn "
        "without dates and came out too recent, with too many Christmas trees (the paper, section "
        f'3.1). <span class="keyed">Without a date that can be trusted: {undated}.</span></p>'
    )
    figures = [
        _calendar_figure(name, [report.spreads[name] for report in reports], reports, comparison)
        for name in reports[0].spreads
    ]
    yield f'<div class="charts">{"".join(figures)}</div>'
    yield (
        '<p class="note">χ² is Pearson\'s test against the even spread. It counts draws, one '
        "photograph of each search that was drawn from, because photographs of one search are not "
        "independent; the bars show all photographs. Of so many tests one in twenty has p below "
        "0.05 by chance alone, so go by Holm's p (1979), which allows for all tests of one "
        "collection. With many draws even that is small whatever the size of the difference: look "
        "at w, by the words of Cohen (1988); what chance alone gives is taken off. No test where a "
        "bin would expect fewer than five.</p>"
    )


def _calendar_figure(
    name: str,
    spreads: Sequence[Spread],
    reports: Sequence[Report],
    comparison: Comparison | None,
) -> str:
    labels = sorted({label for it in spreads for label in it.labels}) if "year" in name else None
    labels = labels or list(spreads[0].labels)
    series = [
        Series(
            report.party, [dict(zip(it.labels, it.counts, strict=True)).get(x, 0) for x in labels]
        )
        for report, it in zip(reports, spreads, strict=True)
    ]
    even = _even_shares(spreads[0]) if list(spreads[0].labels) == labels else []
    told = [
        _key(number, reports) + describe_test(spread.test) for number, spread in enumerate(spreads)
    ]
    if comparison is not None:
        told.append(f"Against each other: {describe_test(comparison.tests[name])}")
    note = _SPREAD_NOTES.get(name)
    told += [note] if note else []
    chart = draw_bars(name, labels, series, even)
    return (
        f"<figure><h3>{escape(name.capitalize())}</h3>{chart}"
        f"<figcaption>{'<br>'.join(told)}</figcaption></figure>"
    )


def _key(number: int, reports: Sequence[Report]) -> str:
    """The colour of a report where there are two."""
    return f'<span class="key key{number}"></span>' if len(reports) > 1 else ""


def _even_shares(spread: Spread) -> list[float]:
    total = sum(spread.expected)
    if total:
        return [value / total for value in spread.expected]
    return []


def _queries(report: Report, is_named: bool) -> Iterable[str]:
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
    name = query.class_name or "no class"
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


def _owners(reports: Sequence[Report]) -> Iterable[str]:
    yield "<h2>The most frequent owners</h2>"
    tables = []
    for number, report in enumerate(reports):
        rows = "".join(
            f'<tr><td>{escape(it.owner_name or it.owner_id)}</td><td class="word soft">'
            f"{escape(it.owner_id if it.owner_name else '')}</td><td>{it.photographs:,}</td>"
            f"{_share_cell(it.photographs / report.kept, number)}</tr>"
            for it in report.top_owners
        )
        head = "<tr><th>owner</th><th></th><th>photographs</th><th>of the kept</th></tr>"
        tables.append(
            f"<div><p>{escape(report.party)}: the first ten of {report.owners:,} owners have "
            f"<b>{report.top_owners_share:.1%}</b> of {report.kept:,} photographs.</p>"
            f'<div class="card"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>'
            "</div>"
        )
    yield f'<div class="pair">{"".join(tables)}</div>'


def _counts(
    title: str,
    reports: Sequence[Report],
    counts: Sequence[Mapping[str, int]],
    unit: str,
) -> str:
    """A table of names with each report's count and share beside it."""
    names = list(dict.fromkeys(name for one in counts for name in one))
    heads = "".join(
        f"<th>{escape(report.party if len(reports) > 1 else unit)}</th><th></th>"
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
        f'<h2>{escape(title)}</h2><div class="card"><table><thead><tr><th></th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _sizes(reports: Sequence[Report]) -> Iterable[str]:
    yield "<h2>Sizes</h2>"
    figures = []
    for title, counts in (
        ("Longest side in pixels", [report.longest_sides for report in reports]),
        ("Shape", [report.shapes for report in reports]),
        ("Source", [report.sources for report in reports]),
    ):
        labels = sorted(
            {label for one in counts for label in one},
            key=lambda label: (int(label.partition("-")[0]) if label[0].isdigit() else 0, label),
        )
        series = [
            Series(report.party, [one.get(label, 0) for label in labels])
            for report, one in zip(reports, counts, strict=True)
        ]
        chart = draw_bars(title, labels, series, [])
        figures.append(f"<figure><h3>{title}</h3>{chart}</figure>")
    yield f'<div class="charts three">{"".join(figures)}</div>'
