"""`vocparty hashes` and `vocparty overlap`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import with_party
from vockit.format.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party

    from .report import OverlapReport
    from .theirs import Theirs

_WORKERS = click.IntRange(min=1)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--workers", type=_WORKERS, help="Files decoded at once.")
def hashes(folder: Path, workers: int | None) -> None:
    """Write the hashes of a folder's images, which stand for the pictures themselves.

    The text goes to standard output. It lets an organiser find which of the images are
    near-duplicates of a test set, without seeing them; no party is needed.

    \b
    Example:
      vocparty hashes my-training-images > hashes.txt
    """
    from vockit.report.progress import progress

    from .files import read_folder
    from .hash_file import format_hashes

    unreadable = 0
    images = read_folder(folder, workers=workers, watch=progress)
    for line in format_hashes(images):
        click.echo(line, nl=False)
        unreadable += line.startswith("broken\t")
    if unreadable:
        click.echo(
            f"{format_count(unreadable, 'broken file')} without hashes: see the lines "
            "that begin with “broken”.",
            err=True,
        )
        click.get_current_context().exit(1)


@click.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path), metavar="FOLDER|HASHFILE")
@click.option(
    "--against",
    default="test",
    show_default=True,
    metavar="WHAT",
    help="test, test:RELEASE, release:RELEASE, or all images of the catalogue.",
)
@click.option("--workers", type=_WORKERS, help="Files decoded at once.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT",
    help="Write a page with pictures to this file.",
)
@with_party
def overlap(
    party: Party,
    source: Path,
    against: str,
    workers: int | None,
    as_json: bool,
    html: Path | None,
) -> None:
    """List which images of another dataset are near-duplicates of ours.

    Takes a folder of images, or a file that `vocparty hashes` made of it. Exit status 1 where
    something was found, or could not be compared.

    \b
    Example:
      vocparty overlap hashes.txt --against test:VOC2026 --party zoo
    """
    from vockit.report.progress import progress

    from .ours import parse_scope
    from .report import find_overlap_report

    if html is not None:
        party.store.refuse_inside(html)
    scope = parse_scope(against)
    theirs = _read(source, workers)
    report = find_overlap_report(party, theirs, scope, workers=workers, watch=progress)
    if html is not None:
        from vockit.errors import SettingsError
        from vockit.format.own_files import write_own_page

        from .page import format_page

        try:
            write_own_page(html, format_page(party, report, source).encode())
        except OSError as error:
            raise SettingsError(f"{html} cannot be written: {error.strerror}.") from error
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        _show(party, report, html)
    if not report.is_clear:
        click.get_current_context().exit(1)


def _read(source: Path, workers: int | None) -> Theirs:
    from vockit.report.progress import progress

    from .files import gather, read_folder
    from .hash_file import read_hashes
    from .theirs import OverlapError

    if source.is_dir():
        return gather(str(source), read_folder(source, workers=workers, watch=progress))
    try:
        with source.open("rb") as file:
            return read_hashes(file, str(source))
    except OSError as error:
        raise OverlapError(f"{source} cannot be read: {error.strerror}.") from error


def _show(party: Party, report: OverlapReport, html: Path | None) -> None:
    from .report import describe_place

    for overlap in report.overlaps:
        click.echo(
            f"{overlap.name}\t{overlap.relation.replace('_', ' ')}\t{describe_place(overlap.image)}"
        )
    for unreadable in report.unreadable:
        click.echo(f"{unreadable.name}: {unreadable.reason}", err=True)
    if report.not_hashed:
        click.echo(
            f"{report.not_hashed} of our images {'are' if report.not_hashed > 1 else 'is'} not "
            "hashed yet and compared with nothing; run `vocparty dedup` first.",
            err=True,
        )
    if report.overlaps:
        click.echo(party.settings.serve.how_to_open, err=True)
    click.echo(report.summary)
    if html is not None:
        click.echo(f"Wrote {html}.")
