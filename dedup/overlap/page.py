"""The overlap as one page with pictures: theirs, where we were given them, beside ours."""

from __future__ import annotations

from html import escape
from pathlib import Path

from catalog.party import Party
from dedup.report.pictures import embed, embed_stored
from dedup.report.sheet import format_pair, format_sheet, format_tiles

from .comparison import Overlap
from .report import OverlapReport, describe_place

MOST_SHOWN = 500


def format_page(party: Party, report: OverlapReport, source: Path) -> str:
    """The page of a report; `source` is the folder or the file of hashes that it is about."""
    folder = source if source.is_dir() else None
    shown = report.overlaps[:MOST_SHOWN]
    pairs = "".join(_format_overlap(party, it, folder) for it in shown)
    more = len(report.overlaps) - len(shown)
    sections = [
        f'<p class="soft">{escape(report.origin)} against {escape(str(report.scope))} of '
        f"“{escape(party.settings.name)}”</p>",
        format_tiles(
            [
                (f"{len({it.name for it in report.near}):,}", "near-duplicates"),
                (f"{report.theirs:,}", "images of theirs"),
                (f"{report.ours:,}", "images of ours"),
                (f"{len(report.unreadable):,}", "broken files of theirs"),
                (f"{report.plain:,}", "too plain to tell but from the same"),
            ]
        ),
        "<h2>What belongs together</h2>",
        f'<div class="pairs">{pairs}</div>' if pairs else "<p>Nothing does.</p>",
        f'<p class="note">{more:,} more are in the list.</p>' if more else "",
        *_list_unreadable(report),
    ]
    return format_sheet("Overlap with other people's images", sections)


def _format_overlap(party: Party, it: Overlap, folder: Path | None) -> str:
    theirs = _embed_file(folder / it.name) if folder else None
    caption = (
        f"<b>{escape(it.name)}</b><br>{escape(it.relation.replace('_', ' '))} of "
        f"{escape(describe_place(it.image))}, {_measure(it)}"
    )
    sources = (
        (theirs, it.name if folder else "only its hashes are here"),
        (embed_stored(party.store, it.image.sha256), f"image {it.image.image_id}"),
    )
    return format_pair(sources, caption)


def _measure(it: Overlap) -> str:
    if it.similarity is not None:
        return f"similarity {it.similarity:.2f}"
    return f"{it.distance_bits} of 256 bits differ"


def _embed_file(path: Path) -> str | None:
    try:
        return embed(path.read_bytes())
    except OSError:
        return None


def _list_unreadable(report: OverlapReport) -> list[str]:
    if not report.unreadable:
        return []
    rows = "".join(
        f"<tr><td>{escape(it.name)}</td><td>{escape(it.reason)}</td></tr>"
        for it in report.unreadable
    )
    return [
        "<h2>Broken files</h2>",
        f'<div class="card"><table><tbody>{rows}</tbody></table></div>',
    ]
