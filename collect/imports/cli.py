"""`vocparty import folder` and `vocparty import urls`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from catalog.command import with_party
from vockit.format.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party

    from .count import ImportCount

MOST_LINES = 20
_PATH = click.Path(path_type=Path)
_COUNT = click.IntRange(min=1)


def _about_photographs(command: Callable[..., None]) -> Callable[..., None]:
    """The options of `ImportOrder`, in the order that --help shows."""
    for option in (
        click.option("--workers", type=_COUNT, help="Number of parallel files."),
        click.option("--retry-broken", is_flag=True, help="Try broken photographs again."),
        click.option("--require-licence", is_flag=True, help="Skip photographs without a licence."),
        click.option(
            "--licence",
            metavar="LICENCE",
            help="The licence (id or name) of photographs without one.",
        ),
        click.option(
            "--class", "class_name", metavar="NAME", help="The class that the photographs are for."
        ),
    ):
        command = option(command)
    return command


@click.command("folder")
@with_party
@click.argument("folder", metavar="FOLDER", type=_PATH)
@click.option(
    "--table",
    type=_PATH,
    help="CSV or JSON about the files; without it, photos.csv or photos.json in FOLDER.",
)
@_about_photographs
def import_folder(party: Party, folder: Path, table: Path | None, **about: Any) -> None:
    """Import the photographs in a folder and the folders below it.

    They are checked as downloads are. What is broken is recorded with its reason and costs nothing
    else; the same command again brings nothing twice.

    \b
    Example:
      vocparty import folder holiday --class boat
    """
    from vockit.report.progress import progress

    from .count import ImportCount
    from .folder import FolderOrder, list_folder
    from .folder import import_folder as run

    order = FolderOrder(folder, table, **about)
    files = list_folder(order)
    count = ImportCount()
    try:
        with progress("Importing", len(files.names), "files") as advance:
            run(party, order, files, count, advance=advance)
    finally:
        _show(count)
    _require_some(count)


@click.command("urls")
@with_party
@click.argument("table", metavar="TABLE", type=_PATH)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="An allowed host, HOST or HOST:PORT; repeatable.",
)
@_about_photographs
def import_urls(party: Party, table: Path, hosts: tuple[str, ...], **about: Any) -> None:
    """Import the photographs at the addresses in a CSV or JSON table.

    Only hosts that are named here or in flickr.image_hosts are asked, by the collector's own
    downloader. The same command again fetches nothing twice.

    \b
    Example:
      vocparty import urls museum.csv --host images.museum.example
    """
    import logging
    import threading

    from collect.errors import HostRefusesError
    from collect.pauses import real_clock
    from vockit.command_line import show_log
    from vockit.report.progress import progress

    from .count import ImportCount
    from .urls import UrlsOrder, load_urls
    from .urls import import_urls as run

    show_log(logging.WARNING)
    order = UrlsOrder(table, hosts, **about)
    stopping = threading.Event()
    count = ImportCount()
    rows = load_urls(party, order)
    if rows.ignored:
        click.echo(f"Ignored columns: {', '.join(rows.ignored)}.", err=True)
    try:
        with progress("Importing", len(rows.rows), "addresses") as advance:
            clock = real_clock(stopping)
            run(party, order, rows, count, clock=clock, stop=stopping.set, advance=advance)
    finally:
        _show(count)
    if count.given_up:
        raise HostRefusesError(" ".join(count.given_up))
    _require_some(count)


def _require_some(count: ImportCount) -> None:
    """Raise CollectError where the party has no photograph of what was to be imported."""
    from collect.errors import CollectError

    if not (count.tally.fetched or count.tally.same_bytes or count.known):
        raise CollectError("No photograph could be imported, as said above.")


def _show(count: ImportCount) -> None:
    from collect.tally import format_summary

    for word, refusals in (
        ("Skipped", count.refusals),
        ("Broken:", count.broken),
        ("To be asked for again:", list(count.doubted.values())),
    ):
        for refusal in refusals[:MOST_LINES]:
            click.echo(f"{word} {refusal.where}: {refusal.reason}.", err=True)
        if len(refusals) > MOST_LINES:
            click.echo(f"{word} {len(refusals) - MOST_LINES} more.", err=True)
    if count.converted:
        converted = ", ".join(
            f"{number} {kind}" for kind, number in sorted(count.converted.items())
        )
        click.echo(f"Stored as JPEG: {converted}.")
    if count.unlicensed:
        photographs = format_count(count.unlicensed, "photograph has", "photographs have")
        click.echo(
            f"{photographs} no licence. Make sure that you may use "
            f"{'it' if count.unlicensed == 1 else 'them'}; run the same command with "
            "--licence to set one, or with --require-licence to skip such photographs.",
            err=True,
        )
    licensed = f", of which {count.licensed} got their licence" if count.licensed else ""
    rest = f" Already known {count.known}{licensed}; skipped {len(count.refusals)}."
    click.echo(format_summary(count.tally) + rest)
    if reason := count.tally.describe_main_reason():
        click.echo(reason)
