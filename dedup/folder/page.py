"""The groups of a folder as one page with pictures; it needs nothing from elsewhere."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from dedup.overlap.page import embed_file
from dedup.report.page import describe_doubt, describe_similarity, say
from vockit.format.class_counts import Table
from vockit.report.report_page import Figure, Picture, Section
from vockit.report.report_page import format_page as format_sections

from .against import AgainstReport, Shared
from .groups import SAME_FILE, Copy, FolderReport, Group, Related

MOST_SHOWN = 500
"""Pairs with pictures on the page; the list of the command has all."""


def format_page(report: FolderReport) -> str:
    """The whole page: copies next to what is kept, the most doubtful first."""
    folder = Path(report.folder)
    pairs = [(group, copy) for group in report.groups for copy in group.copies]
    pairs.sort(key=lambda pair: -pair[1].doubt)
    left_out = len(pairs) - MOST_SHOWN
    sections = [
        Section(
            text=[report.summary],
            tiles=[
                ("pictures", [report.files]),
                ("need not be kept", [len(pairs)]),
                ("kept in their place", [len(report.groups)]),
                ("related pairs", [len(report.related)]),
                ("files that cannot be read", [len(report.unreadable)]),
            ],
        ),
        Section(
            "What shows the same photograph",
            text=["On the left what to keep. The most doubtful come first."] if pairs else [],
            figures=[_show_copy(folder, group, copy) for group, copy in pairs[:MOST_SHOWN]],
            shape="pairs",
            note=f"{left_out:,} more are in the list of the command." if left_out > 0 else "",
        ),
    ]
    if report.related:
        shown = report.related[:MOST_SHOWN]
        sections.append(
            Section(
                "Related: both stay",
                text=["Views that overlap, or a picture that contains another."],
                figures=[_show_related(folder, related) for related in shown],
                shape="pairs",
            )
        )
    if report.unreadable:
        rows = [(file.name, file.reason) for file in report.unreadable]
        table = Table("unreadable", "", "", ("file", "why"), rows)
        sections.append(Section("Files that cannot be read", tables=[table]))
    return format_sections(f"Near-duplicates in {folder.name}", sections)


def format_against(report: AgainstReport) -> str:
    """The page of two folders that were compared: the file of the first next to the other's."""
    shown = report.shared[:MOST_SHOWN]
    left_out = len(report.shared) - MOST_SHOWN
    folder = Path(report.folder)
    other = Path(report.other)
    sections = [
        Section(
            text=[report.summary],
            tiles=[
                ("near-duplicates", [len(report.near)]),
                (f"pictures in {folder.name}", [report.files]),
                (f"pictures in {other.name}", [report.other_files]),
            ],
        ),
        Section(
            "What belongs together",
            text=[] if shown else ["Nothing does."],
            figures=[_show_shared(folder, other, shared) for shared in shown],
            shape="pairs",
            note=f"{left_out:,} more are in the list of the command." if left_out > 0 else "",
        ),
    ]
    rows = [
        (str(place / file.name), file.reason)
        for place, unreadable in (
            (folder, report.unreadable),
            (other, report.other_unreadable),
        )
        for file in unreadable
    ]
    if rows:
        table = Table("unreadable", "", "", ("file", "why"), rows)
        sections.append(Section("Files that cannot be read", tables=[table]))
    return format_sections(f"{folder.name} against {other.name}", sections)


def _show_shared(folder: Path, other: Path, shared: Shared) -> Figure:
    lines = [
        Markup("<b>{}</b>").format(shared.path),
        f"{say(shared.relation.value)} of {shared.other}",
    ]
    return Figure([*_embed(folder, shared.path), *_embed(other, shared.other)], lines)


def _show_copy(folder: Path, group: Group, copy: Copy) -> Figure:
    lines = [Markup("<b>{}</b>: keep").format(group.kept), f"{copy.path}: {copy.why}"]
    if copy.why != SAME_FILE:
        lines.append(describe_doubt(copy.doubt))
        if copy.similarity is not None:
            lines.append(describe_similarity(copy.similarity))
    return Figure(_embed(folder, group.kept, copy.path), lines)


def _show_related(folder: Path, related: Related) -> Figure:
    line = f"{related.path} and {related.other}: {say(related.relation.value)}"
    return Figure(_embed(folder, related.path, related.other), [line])


def _embed(folder: Path, *names: str) -> list[Picture]:
    return [Picture(embed_file(folder / name), name) for name in names]
