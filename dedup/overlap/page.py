"""The overlap as one page with pictures: theirs, where we were given them, next to ours."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from catalog.party import Party
from dedup.report.page import embed_small, embed_stored, say
from vockit.format.class_counts import Table
from vockit.report.report_page import Figure, Picture, Section, link
from vockit.report.report_page import format_page as format_sections

from .comparison import Overlap
from .report import OverlapReport, describe_place


def format_page(party: Party, report: OverlapReport, source: Path) -> str:
    """The page of a report; `source` is the folder or the file of hashes that it is about."""
    folder = source if source.is_dir() else None
    shown = report.overlaps[:500]
    more = len(report.overlaps) - len(shown)
    sections = [
        Section(
            text=[f"{report.origin} against {report.scope} of “{party.settings.name}”"],
            tiles=[
                ("near-duplicates", [len({it.name for it in report.near})]),
                ("images of theirs", [report.theirs]),
                ("images of ours", [report.ours]),
                ("broken files of theirs", [len(report.unreadable)]),
                ("too plain to tell but from the same", [report.plain]),
            ],
        ),
        Section(
            "What belongs together",
            text=[] if shown else ["Nothing does."],
            figures=[_show_overlap(party, it, folder) for it in shown],
            shape="pairs",
            note=f"{more:,} more are in the list. " * (more > 0) + party.settings.serve.how_to_open,
        ),
    ]
    if report.unreadable:
        rows = [(it.name, it.reason) for it in report.unreadable]
        broken = Table("broken", "", "", ("file", "why"), rows)
        sections.append(Section("Broken files", tables=[broken]))
    return format_sections("Overlap with other people's images", sections)


def _show_overlap(party: Party, it: Overlap, folder: Path | None) -> Figure:
    measure = f"{it.distance_bits} of 256 bits differ"
    if it.similarity is not None:
        measure = f"similarity {it.similarity:.2f}"
    theirs = _embed_file(folder / it.name) if folder else None
    pictures = [
        Picture(theirs, it.name if folder else "only its hashes are here"),
        Picture(embed_stored(party.store, it.image.sha256), f"image {it.image.image_id}"),
    ]
    url = party.settings.serve.images_url(it.image.image_id)
    ours = link(url, describe_place(it.image))
    place = Markup("{} of {}, {}").format(say(it.relation.value), ours, measure)
    return Figure(pictures, [Markup("<b>{}</b>").format(it.name), place])


def _embed_file(path: Path) -> str | None:
    try:
        return embed_small(path.read_bytes())
    except OSError:
        return None
