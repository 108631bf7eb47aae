"""`vocparty standin` and `vocparty demo`."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from .flickr.search import Library


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--once", is_flag=True, help="Stop after the challenge instead of serving the party.")
@click.option("--year", type=click.IntRange(2007, 9999), help="The release's year; else this one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to serve the party.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535))
def demo(folder: Path, once: bool, year: int | None, host: str, port: int) -> None:
    """Run a whole party in DIR on this machine, without a Flickr key.

    It collects real photographs from a stand-in Flickr, removes near-duplicates, lets simulated
    people annotate and check, exports a release and verifies it, lets three teams enter a
    challenge on it, and then serves the party for you to go on by hand. Run again on the same DIR,
    it goes on where it was.

    \b
    Example:
      vocparty demo demo-party
    """
    import logging
    from datetime import UTC, datetime

    from vockit.command_line import show_log

    from .demo import DemoOptions, run_demo

    show_log(logging.WARNING)
    year = year or datetime.now(UTC).year
    run_demo(DemoOptions(folder, year, once, host, port), click.echo)


@click.command()
@click.option(
    "--photos",
    "folder",
    required=True,
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="The photographs, with photos.csv next to them for what is known about them.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Its port; 0: a free one.")
@click.option(
    "--fault",
    "rules",
    multiple=True,
    metavar="[HOST:]KIND[@VALUE]=RATE",
    help="Let this share of the requests go wrong, e.g. image:429@30=0.1; may be repeated.",
)
@click.option("--seed", default=0, show_default=True, help="For all that is invented or drawn.")
@click.option(
    "--table",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the photographs, among made rows, as a table of YFCC100M into this new file.",
)
@click.option(
    "--rows",
    default=20_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="With --table: how many rows the table has.",
)
def standin(
    folder: Path,
    host: str,
    port: int,
    rules: tuple[str, ...],
    seed: int,
    table: Path | None,
    rows: int,
) -> None:
    """Serve a stand-in Flickr and Wikimedia Commons over a folder of photographs until Ctrl-C.

    It answers the calls that a collector makes and serves the images; whatever is not known about
    a photograph is invented. With --table, a party can also collect without any search.

    \b
    Example:
      vocparty standin --photos ~/pictures --port 8765 --fault api:503=0.05 --fault latency@200=0.3
    """
    from .flickr.faults import Faults, parse_rule
    from .flickr.folder import read_library
    from .flickr.server import StandIn

    stops = {signal.SIGINT, signal.SIGTERM}
    faults = Faults(tuple(parse_rule(rule) for rule in rules), seed)
    library = read_library(folder, seed=seed)
    if table is not None:
        _write_table(library, table, rows, seed)
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)  # before any thread starts
    with StandIn(library, faults=faults, host=host, port=port) as server:
        click.echo(
            f"A stand-in Flickr with {len(library)} photos runs at {server.base_url}; "
            "Ctrl-C stops it.\nIn party.toml:\n\n"
            f'[flickr]\nkey = "stand-in"\napi_url = "{server.api_url}"\n'
            f'image_hosts = ["{server.image_host}"]\n\n'
            f'[commons]\napi_url = "{server.commons_url}"\nimage_hosts = ["{server.image_host}"]\n'
            f'\n[table]\npictures_url = "http://{server.image_host}/"'
        )
        signal.sigwait(stops)
    click.echo("Stopped.")


def _write_table(library: Library, table: Path, rows: int, seed: int) -> None:
    """Write the table of YFCC100M; raises SettingsError where its file is there or cannot be."""
    import sqlite3

    from vockit.errors import SettingsError
    from vockit.format.own_files import refuse_in_tree

    from .flickr.yfcc import write_yfcc

    refuse_in_tree(table)
    if table.exists():
        raise SettingsError(f"{table} already exists. Name a new file.")
    try:
        count = write_yfcc(library, table, rows, seed)
    except sqlite3.Error as error:
        raise SettingsError(f"{table} cannot be written: {error}.") from error
    click.echo(f"Wrote {table}: {rows:,} rows, {count:,} of them photographs that are served.")
