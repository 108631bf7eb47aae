"""`vocparty challenge serve` and `vocparty challenge organiser`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

_challenge = click.option(
    "--challenge",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The challenge's folder [default: this one or one above it].",
)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 for the network.")
@click.option("--port", default=8090, show_default=True, type=click.IntRange(0, 65_535))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1), help="Processes.")
@click.option("--threads", default=8, show_default=True, type=click.IntRange(1))
@click.option("--proxy", metavar="ADDRESS", help="A proxy whose X-Forwarded headers are believed.")
@_challenge
def serve(folder: Path | None, **options: Any) -> None:
    """Serve the challenge to browsers and score what is sent, until Ctrl-C.

    \b
    Example:
      vocparty challenge serve --challenge zoo-challenge --host 0.0.0.0
    """
    from challenge.folder import find_challenge_folder, open_challenge
    from web.serving import ServeOptions

    from .serving import serve as serve_challenge

    with open_challenge(folder or find_challenge_folder(Path.cwd())) as challenge:

        def announce(base_url: str) -> None:
            click.echo(f"Serving {challenge.settings.name} on {base_url}; Ctrl-C stops.")
            click.echo("Your personal link: vocparty challenge organiser NAME")

        serve_challenge(challenge, ServeOptions(**options), announce)
    click.echo("Stopped; everything that was sent is in the challenge's folder.")


@click.command()
@click.argument("name")
@click.option("--end", is_flag=True, help="Let the link of NAME open nothing.")
@_challenge
def organiser(name: str, end: bool, folder: Path | None) -> None:
    """Print a personal link of the organiser NAME; an earlier one ends.

    \b
    Example:
      vocparty challenge organiser olga --challenge zoo-challenge
    """
    from datetime import UTC, datetime

    from challenge import organisers
    from challenge.cli import DEFAULT_URL
    from challenge.folder import find_challenge_folder, open_challenge
    from challenge.teams import make_token

    with open_challenge(folder or find_challenge_folder(Path.cwd())) as challenge:
        if end:
            with challenge.catalogue.writing() as session:
                organisers.end(session, name)
            click.echo(f"The link of {name} opens nothing any more.")
            return
        token = make_token()
        with challenge.catalogue.writing() as session:
            organisers.add(session, name, token=token, now=datetime.now(UTC))
        base = challenge.settings.url.rstrip("/") or DEFAULT_URL
        click.echo(f"{base}/enter/{token}")
