"""The commands that keep a challenge: backup, restore, move and doctor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .cli import challenge_option, with_challenge

if TYPE_CHECKING:
    from .folder import Challenge


@click.command()
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@with_challenge
def backup(challenge: Challenge, /, target: Path) -> None:
    """Back up the whole challenge into FILE while it runs: labels, uploads and names are in it.

    \b
    Example:
      vocparty challenge backup zoo-challenge.tar
    """
    from .keeping import write_backup

    files = write_backup(challenge, target)
    click.echo(f"Wrote {files:,} files to {target}. Keep it private: the labels are in it.")


@click.command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path, exists=True))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def restore(source: Path, folder: Path) -> None:
    """Restore the backup FILE into the new folder DIR, with a database that is a file.

    \b
    Example:
      vocparty challenge restore zoo-challenge.tar zoo-challenge
    """
    from .keeping import restore_backup

    files = restore_backup(source, folder)
    click.echo(f"Restored {files:,} files to {folder}. Next: `vocparty challenge doctor`.")


@click.command()
@click.option("--to", "url", required=True, metavar="URL", help="An empty database.")
@with_challenge
def move(challenge: Challenge, /, url: str) -> None:
    """Copy the database to the empty one at URL, which the challenge has from then on.

    Stop the server before. The old database is only read, and stays.

    \b
    Example:
      vocparty challenge move --to postgresql+psycopg://voc@db/challenge
    """
    from .keeping import move_database

    rows = move_database(challenge, url)
    click.echo(f"Copied and compared {rows:,} rows; challenge.toml names the new database.")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@challenge_option
@click.pass_context
def doctor(context: click.Context, /, folder: Path | None, as_json: bool) -> None:
    """Look for faults: the database, uploads, quotas, and who may read the labels.

    \b
    Example:
      vocparty challenge doctor
    """
    from .folder import find_challenge_folder
    from .keeping import examine

    checks = list(examine((folder or find_challenge_folder(Path.cwd())).resolve()))
    if as_json:
        click.echo(json.dumps({"checks": [check.as_json() for check in checks]}))
    else:
        for check in checks:
            click.echo(f"{check.state:<8}{check.name}: {check.text}")
    if any(check.state == "error" for check in checks):
        context.exit(1)
