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
                ("near-duplicates", [len({overlap.name for overlap in report.near})]),
                ("images of theirs", [report.theirs]),
                ("images of ours", [report.ours]),
                ("broken files of theirs", [len(report.unreadable)]),
                ("too plain to tell but from the same", [report.plain]),
            ],
        ),
        Section(
            "What belongs together",
            text=[] if shown else ["Nothing does."],
            figures=[_show_overlap(party, overlap, folder) for overlap in shown],
            shape="pairs",
            note=f"{more:,} more are in the list. " * (more > 0) + party.settings.serve.how_to_open,
        ),
    ]
    if report.unreadable:
        rows = [(file.name, file.reason) for file in report.unreadable]
        broken = Table("broken", "", "", ("file", "why"), rows)
        sections.append(Section("Broken files", tables=[broken]))
    return format_sections("Overlap with other people's images", sections)


def _show_overlap(party: Party, overlap: Overlap, folder: Path | None) -> Figure:
    measure = f"{overlap.distance_bits} of 256 bits differ"
    if overlap.similarity is not None:
        measure = f"similarity {overlap.similarity:.2f}"
    theirs = embed_file(folder / overlap.name) if folder else None
    pictures = [
        Picture(theirs, overlap.name if folder else "only its hashes are here"),
        Picture(embed_stored(party.store, overlap.image.sha256), f"image {overlap.image.image_id}"),
    ]
    url = party.settings.serve.images_url(overlap.image.image_id)
    ours = link(url, describe_place(overlap.image))
    place = Markup("{} of {}, {}").format(say(overlap.relation.value), ours, measure)
    return Figure(pictures, [Markup("<b>{}</b>").format(overlap.name), place])


def embed_file(path: Path) -> str | None:
    """A picture of the user's as a small data address, or None where it cannot be shown."""
    try:
        return embed_small(path.read_bytes())
    except OSError:
        return None
