"""`vocparty hashes` and `vocparty overlap`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from catalog.command import party_option
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
    help="test, test:RELEASE, release:RELEASE, all images of the catalogue, or another folder.",
)
@click.option("--workers", type=_WORKERS, help="Files decoded at once.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT",
    help="Write a page with pictures to this file.",
)
@party_option
@click.pass_context
def overlap(
    context: click.Context,
    source: Path,
    against: str,
    workers: int | None,
    html: Path | None,
    party_folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """List which images of another dataset are near-duplicates of ours.

    Takes a folder of images, or a file that `vocparty hashes` made of it. With --against FOLDER no
    party is needed: one folder is compared with another. Exit status 1 where something was found,
    or could not be compared.

    \b
    Example:
      vocparty overlap hashes.txt --against test:VOC2026 --party zoo
      vocparty overlap my-test-images --against their-training-images
    """
    if _is_folder(against):
        _compare_folders(context, source, Path(against), workers, html, as_json=as_json)
        return
    from catalog.party import find_party_folder, open_party
    from vockit.report.progress import progress

    from .ours import parse_scope, refuse_unknown
    from .report import find_overlap_report

    scope = parse_scope(against)
    with open_party(party_folder or find_party_folder(Path.cwd())) as party:
        if html is not None:
            party.store.refuse_inside(html)
        with party.catalogue.reading() as session:  # said before many pictures are read
            refuse_unknown(session, scope)
        theirs = _read(source, workers)
        report = find_overlap_report(party, theirs, scope, workers=workers, watch=progress)
        if html is not None:
            from .page import format_page

            _write_page(html, format_page(party, report, source))
        if as_json:
            click.echo(json.dumps(report.as_json(), indent=2))
        else:
            _show(party, report, html)
    if not report.is_clear:
        context.exit(1)


def _is_folder(against: str) -> bool:
    """Whether the word is a folder; one that is called like a set needs a path, as ./test."""
    return against not in ("test", "all") and Path(against).is_dir()


def _compare_folders(
    context: click.Context,
    source: Path,
    other: Path,
    workers: int | None,
    html: Path | None,
    *,
    as_json: bool,
) -> None:
    if context.get_parameter_source("party_folder") is ParameterSource.COMMANDLINE:
        raise click.UsageError("Two folders are compared without a party; leave out --party.")
    if not source.is_dir():
        raise click.UsageError(
            "A file of hashes is compared with a party only; give the folder of pictures."
        )
    from dedup.folder.command import overlap_folders

    context.exit(overlap_folders(source, other, workers=workers, page=html, as_json=as_json))


def _write_page(html: Path, page: str) -> None:
    from vockit.errors import SettingsError
    from vockit.format.own_files import write_own_page

    try:
        write_own_page(html, page.encode())
    except OSError as error:
        raise SettingsError(f"{html} cannot be written: {error.strerror}.") from error


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
