"""The report as one page of HTML: no script, nothing from elsewhere, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from catalog.plural import format_count
from collect.reasons import format_reason

from .charts import Series, draw_bars
from .figures import Comparison, Report, Spread, UniformTest
from .style import STYLE
from .tables import format_counts, format_owners, format_queries

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


def format_page(reports: Sequence[Report], comparison: Comparison | None = None) -> str:
    """The page of one report, or of two laid side by side."""
    first = reports[0]
    title = f"What {' and '.join(f'“{report.party}”' for report in reports)} collected"
    sections = [
        f"<h1>{escape(title)}</h1>",
        _legend(reports),
        _tiles(reports),
        *_calendar(reports, comparison),
        *(part for report in reports for part in format_queries(report, len(reports) > 1)),
        *format_owners(reports),
        format_counts(
            ("Licences", "licence", "photographs"), reports, [it.licences for it in reports]
        ),
        format_counts(("Lost", "why", "photos"), reports, [_lost_in_words(it) for it in reports]),
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
        return f"{format_count(test.draws, 'draw')}: too few for the test."
    adjusted = test.p_value if test.p_adjusted is None else test.p_adjusted
    degrees = format_count(test.degrees, "degree")
    return (
        f"{format_count(test.draws, 'draw')}, χ² = {test.statistic:.1f} with {degrees} "
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


def _lost_in_words(report: Report) -> dict[str, int]:
    return {format_reason(reason): count for reason, count in report.lost.items()}


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
