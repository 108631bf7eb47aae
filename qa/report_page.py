"""The report as one page of HTML with pictures: no script, nothing from elsewhere, all escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby

from .check_list import CHECKS
from .finding_rows import CheckRecord
from .findings import Finding, Severity
from .pictures import draw_boxes
from .report import Report
from .subjects import CheckedImage

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
PICTURES_PER_CHECK = 8
MOST_PICTURES = 96

_STYLE = """
:root { color-scheme: light dark; --bg: #eef0f3; --surface: #fff; --ink: #171a20; --muted: #596070;
  --line: #d5d9e0; --error: #b42a20; --warning: #875500; --hint: #3454c8; }
@media (prefers-color-scheme: dark) { :root { --bg: #101216; --surface: #1a1d23; --ink: #e9ebf0;
  --muted: #9ba3b2; --line: #343a45; --error: #ff8b7e; --warning: #f1b95c; --hint: #86a1ff; } }
body { margin: 0; background: var(--bg); color: var(--ink);
  font: 14px/1.45 system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 24px; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 17px; margin: 28px 0 4px; }
p { margin: 0 0 12px; max-width: 76ch; } .soft { color: var(--muted); }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 16px 0; }
.tile { background: var(--surface); border: 1px solid var(--line); border-radius: 6px;
  padding: 10px 16px; min-width: 96px; }
.tile b { display: block; font-size: 24px; font-variant-numeric: tabular-nums; }
.error { color: var(--error); } .warning { color: var(--warning); } .hint { color: var(--hint); }
.word { font-size: 12px; font-weight: 600; text-transform: uppercase; letter-spacing: .04em; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 12px; }
figure { margin: 0; background: var(--surface); border: 1px solid var(--line);
  border-radius: 6px; overflow: hidden; }
figure img { display: block; width: 100%; height: 210px; object-fit: contain; background: #0a0b0e; }
figcaption { padding: 8px 10px; } figcaption b { font-variant-numeric: tabular-nums; }
.plain { padding: 10px 12px; }
table { border-collapse: collapse; background: var(--surface); border: 1px solid var(--line); }
th, td { padding: 5px 12px; text-align: right; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; } th:first-child, td:first-child { text-align: left; }
"""

Fetch = Callable[[int], bytes | None]
"""Gives the file of an image by its id, or None where there is none."""


def format_page(report: Report, name: str, fetch: Fetch) -> str:
    """The page: counts, the worst findings of each check with pictures, precision of checks."""
    title = f"Checks of {name}"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>",
            f"<h1>{escape(title)}</h1>",
            _tiles(report),
            *_sections(report, fetch),
            *_records(report.records),
            "</main></body></html>\n",
        ]
    )


def _tiles(report: Report) -> str:
    figures = [("images", len(report.images), ""), ("objects", report.objects, "")]
    figures += [(f"{word.value}s", report.count(word), word.value) for word in Severity]
    figures.append(("judged wrong", report.judged_wrong, ""))
    tiles = (
        f'<div class="tile"><b class="{css}">{count:,}</b><span class="soft">{label}</span></div>'
        for label, count, css in figures
    )
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _sections(report: Report, fetch: Fetch) -> Iterator[str]:
    images = {image.image_id: image for image in report.images}
    explanations = {check.name: check.explanation for check in CHECKS}
    left = MOST_PICTURES
    if not report.findings:
        yield "<p>The checks found nothing.</p>"
    for check, group in groupby(report.findings, key=lambda found: found.check):
        findings = list(group)
        severity = findings[0].severity.value
        yield f'<h2>{_title(check)} <span class="word {severity}">{severity}</span></h2>'
        yield f'<p class="soft">{escape(explanations[check])} {_shown(findings)}</p>'
        shown = findings[: min(PICTURES_PER_CHECK, max(left, 1))]
        left -= len(shown)
        yield f'<div class="cards">{"".join(_card(item, images, fetch) for item in shown)}</div>'


def _title(check: str) -> str:
    """A check in words, as the page where findings are judged has it."""
    return escape(check.replace("_", " ")).capitalize()


def _shown(findings: Sequence[Finding]) -> str:
    if len(findings) <= PICTURES_PER_CHECK:
        return f"Findings: {len(findings)}."
    return f"Findings: {len(findings):,}, here the worst {PICTURES_PER_CHECK}."


def _card(found: Finding, images: dict[int, CheckedImage], fetch: Fetch) -> str:
    if found.image_id is None:
        return f'<figure><div class="plain">{escape(found.message)}</div></figure>'
    place = f"Image {found.image_id}"
    if found.object_number is not None:
        place += f", object {found.object_number}"
    picture = _picture(found, images[found.image_id], fetch)
    caption = f"<b>{place}</b><br>{escape(found.message)}"
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def _picture(found: Finding, image: CheckedImage, fetch: Fetch) -> str:
    """The picture inside the page, or nothing where the file is not there or no image."""
    data = fetch(image.image_id)
    if data is None:
        return ""
    try:
        jpeg = draw_boxes(data, image, found.object_key)
    except OSError:
        return ""
    text = f"Image {image.image_id} with its boxes"
    return f'<img alt="{text}" src="data:image/jpeg;base64,{b64encode(jpeg).decode()}">'


def _records(records: Sequence[CheckRecord]) -> Iterator[str]:
    judged = [record for record in records if record.precision.count]
    if not judged:
        return
    yield "<h2>What people said of the checks</h2>"
    yield (
        '<p class="soft">Precision is the share of judged findings that were right, with its '
        "interval of 95 %. A check with little of it costs more attention than it saves.</p>"
    )
    heads = ("check", "open", "right", "mended", "wrong", "precision")
    yield f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>"
    for record in judged:
        share = record.precision
        cells = (_title(record.check), record.open, record.right, record.mended, record.wrong)
        shares = f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f})"
        row = "".join(f"<td>{cell}</td>" for cell in (*cells, shares))
        yield f"<tr>{row}</tr>"
    yield "</table>"
