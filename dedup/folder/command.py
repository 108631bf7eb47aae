"""`vocparty dedup FOLDER`, `overlap FOLDER --against FOLDER`: what they print and write."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import click

from dedup.executors import Workforce, default_workers
from vockit.errors import SettingsError
from vockit.format.own_files import write_own_page
from vockit.format.plural import format_count
from vockit.report.progress import progress

from .against import compare_folders
from .groups import FolderReport, group_files
from .kept_hashes import open_kept_hashes
from .moving import move_copies, refuse_place
from .page import format_against, format_page
from .reading import read_files

_NOT_SHOWN = frozenset(("Cc", "Cs", "Zl", "Zp"))
"""Unicode's categories of control characters, halves of characters, and ends of lines."""


def dedup_folder(
    folder: Path,
    *,
    workers: int | None = None,
    page: Path | None = None,
    destination: Path | None = None,
    as_json: bool = False,
) -> int:
    """The exit status, 1 where a file could not be read or moved; the rest is printed.

    Nothing in the folder is changed, but where a `destination` is given: there the files go that
    need not be kept.
    """
    if destination is not None:
        refuse_place(folder, destination)
    force = Workforce(workers or default_workers())
    passed_over: list[str] = []
    with open_kept_hashes(folder) as kept:
        files = read_files(folder, kept, force, watch=progress)
        report = group_files(files, kept, force, watch=progress)
        if page is not None:
            _write_page(page, format_page(report))
        if as_json:
            click.echo(json.dumps(report.as_json(), indent=2))
        else:
            _show(report)
        if destination is not None:
            moved, passed_over = move_copies(report, files, destination)
            click.echo(
                f"Moved {format_count(moved, 'file')} to {_show_name(destination)}, under the same "
                "paths.",
                err=as_json,
            )
    for path in passed_over:
        click.echo(
            f"{_show_name(path)}: not moved, since it or what is kept for it changed.", err=True
        )
    return 1 if report.unreadable or passed_over else 0


def overlap_folders(
    folder: Path,
    other: Path,
    *,
    workers: int | None = None,
    page: Path | None = None,
    as_json: bool = False,
) -> int:
    """The exit status, 1 where near-duplicates or unreadable files are; the rest is printed."""
    force = Workforce(workers or default_workers())
    with open_kept_hashes(folder) as kept, open_kept_hashes(other) as other_kept:
        files = read_files(folder, kept, force, watch=progress)
        others = read_files(other, other_kept, force, watch=progress)
        report = compare_folders(files, kept, others, other_kept, force, watch=progress)
    if page is not None:
        _write_page(page, format_against(report))
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=2))
        return report.compared.exit_status
    for shared in report.shared:
        _show_row(shared.path, shared.relation.value.replace("_", " "), shared.other)
    for place, unreadable in ((folder, report.unreadable), (other, report.other_unreadable)):
        for file in unreadable:
            click.echo(f"{_show_name(place / file.name)}: {file.reason}", err=True)
    click.echo(report.summary)
    return report.compared.exit_status


def _show(report: FolderReport) -> None:
    for group in report.groups:
        for copy in group.copies:
            _show_row(copy.path, "duplicate", group.kept, copy.why)
    for pair in report.related:
        _show_row(pair.path, pair.relation.value.replace("_", " "), pair.other, "both stay")
    for unreadable in report.unreadable:
        click.echo(f"{_show_name(unreadable.name)}: {unreadable.reason}", err=True)
    click.echo(report.summary)


def _show_row(*columns: str) -> None:
    click.echo("\t".join(map(_show_name, columns)))


def _show_name(name: str | Path) -> str:
    """The name in one line, with a sign for what ends it, or a column, or is no character."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(char) in _NOT_SHOWN else char
        for char in str(name)
    )


def _write_page(page: Path, text: str) -> None:
    try:
        write_own_page(page, text.encode(errors="replace"))
    except OSError as error:
        raise SettingsError(f"{page} cannot be written: {error.strerror}.") from error
    click.echo(f"Wrote {page}.", err=True)
