"""`vocparty standin` and `vocparty demo`."""

from __future__ import annotations

import signal
from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--once", is_flag=True, help="Stop after the release instead of serving the party.")
@click.option("--year", type=click.IntRange(2007, 9999), help="The release's year; else this one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to serve the party.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535))
def demo(folder: Path, once: bool, year: int | None, host: str, port: int) -> None:
    """Run a whole party in DIR on this machine, without a Flickr key.

    It collects real photographs from a stand-in Flickr, removes near-duplicates, lets simulated
    people annotate and check, exports a release and verifies it, and then serves the party for you
    to go on by hand. Run again on the same DIR, it goes on where it was.

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
def standin(folder: Path, host: str, port: int, rules: tuple[str, ...], seed: int) -> None:
    """Serve a stand-in Flickr and Wikimedia Commons over a folder of photographs until Ctrl-C.

    It answers the calls that a collector makes and serves the images; whatever is not known about
    a photograph is invented.

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
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)  # before any thread starts
    with StandIn(library, faults=faults, host=host, port=port) as server:
        click.echo(
            f"A stand-in Flickr with {len(library)} photos runs at {server.base_url}; "
            "Ctrl-C stops it.\nIn party.toml:\n\n"
            f'[flickr]\nkey = "stand-in"\napi_url = "{server.api_url}"\n'
            f'image_hosts = ["{server.image_host}"]\n\n'
            f'[commons]\napi_url = "{server.commons_url}"\nimage_hosts = ["{server.image_host}"]'
        )
        signal.sigwait(stops)
    click.echo("Stopped.")
