"""The frame and the look that the pages of dedup share: no script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

STYLE = """
:root { --ink: #171a20; --soft: #596070; --line: #d5d9e0; --paper: #fff; --ground: #eef0f3;
  --accent: #3454c8; --accent-soft: #e3e9fd; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9ebf0; --soft: #9ba3b2; --line: #2c313a;
  --paper: #1a1d23; --ground: #101216; --accent: #92adff; --accent-soft: #263156; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 6px; }
h2 { font-size: 19px; margin: 40px 0 6px; }
p { margin: 4px 0 12px; max-width: 78ch; }
.soft, figcaption, .note { color: var(--soft); }
.note { font-size: 13px; margin-top: 24px; }
.tiles { display: grid; gap: 12px; margin: 20px 0 0;
  grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); }
.tile, .card, .pair, .plot { background: var(--paper); border: 1px solid var(--line);
  border-radius: 8px; }
.tile { padding: 12px 14px; }
.tile b { display: block; font-size: 25px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.plot { margin: 0; padding: 10px; background: #fff; }
.plot figcaption { color: #596070; font-size: 13px; padding: 0 4px; }
.plots { display: grid; gap: 14px; grid-template-columns: repeat(auto-fit, minmax(340px, 1fr)); }
.plot img { display: block; width: 100%; height: auto; }
.pairs { display: grid; gap: 14px; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); }
.pair { margin: 0; padding: 12px; min-width: 0; }
.pair .two { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; align-items: center; }
.pair img { display: block; width: 100%; height: 150px; object-fit: contain; border-radius: 4px;
  background: var(--ground); }
.pair .none { display: grid; place-items: center; height: 150px; border: 1px dashed var(--line);
  border-radius: 4px; color: var(--soft); font-size: 13px; text-align: center; padding: 8px; }
.pair figcaption { font-size: 13px; margin-top: 8px; overflow-wrap: anywhere; }
.pair b { color: var(--ink); }
.card { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 12px; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, .word { text-align: left; }
th { color: var(--soft); font-weight: 600; font-size: 13px; border-bottom: 1px solid var(--line); }
tbody tr + tr td { border-top: 1px solid var(--line); }
"""


def format_sheet(title: str, sections: Iterable[str]) -> str:
    """The whole page around its sections, which are HTML already."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>",
            f"<h1>{escape(title)}</h1>",
            *sections,
            "</main></body></html>\n",
        ]
    )


def format_tiles(tiles: Iterable[tuple[str, str]]) -> str:
    """Numbers, each with what it counts."""
    cells = (
        f'<div class="tile"><b>{escape(number)}</b><span class="soft">{escape(label)}</span></div>'
        for number, label in tiles
    )
    return f'<div class="tiles">{"".join(cells)}</div>'


def format_pair(sources: Iterable[tuple[str | None, str]], caption: str) -> str:
    """Two pictures (address or None, words for it) over a caption, which is HTML already."""
    shown = "".join(_format_picture(source, words) for source, words in sources)
    return (
        f'<figure class="pair"><div class="two">{shown}</div>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _format_picture(source: str | None, words: str) -> str:
    if source is None:
        return f'<div class="none">{escape(words)}</div>'
    return f'<img src="{source}" alt="{escape(words)}" loading="lazy">'
