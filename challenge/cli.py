"""`vocparty challenge`: making a challenge, and what its organiser does without a browser."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

if TYPE_CHECKING:
    from .folder import Challenge

P = ParamSpec("P")
R = TypeVar("R")
_DATED = ("training", "images", "submissions", "closed", "rolling")
_OPENS = {
    "training": "When the training data are open.",
    "images": "When the test images are open.",
    "submissions": "When submissions open.",
    "closed": "When they close and the board opens.",
    "rolling": "When the rolling server begins.",
}
DEFAULT_URL = "http://127.0.0.1:8090"

challenge_option = click.option(
    "--challenge",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The challenge's folder [default: this one or one above it].",
)
reason_option = click.option(
    "--reason", required=True, help="Why; it stays in the log, so no names."
)


def with_challenge(command: Callable[Concatenate[Any, P], R]) -> Callable[..., R]:
    """The command with an option --challenge, called with the open Challenge first."""

    @challenge_option
    @functools.wraps(command)
    def opened(*args: Any, folder: Path | None, **kwargs: Any) -> R:
        from .folder import find_challenge_folder, open_challenge

        with open_challenge(folder or find_challenge_folder(Path.cwd())) as challenge:
            return command(challenge, *args, **kwargs)

    return opened


def date_options(command: Callable[P, R]) -> Callable[P, R]:
    """An option for the date of each phase."""
    for name in reversed(_DATED):
        command = click.option(f"--{name}", metavar="UTC", help=_OPENS[name])(command)
    return command


def now() -> datetime:
    """The time that a command writes down."""
    return datetime.now(UTC)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--truth",
    "release",
    required=True,
    metavar="RELEASE",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The open release, as `vocparty export --open` writes it; keep it private.",
)
@click.option("--name", help="What the challenge is called [default: the folder's name].")
@click.option("--set", "image_set", default="test", show_default=True, help="The image set.")
@click.option(
    "--competitions",
    metavar="comp3,comp4",
    default="",
    help="Which [default: all that the release can score].",
)
@click.option("--database", default="", metavar="URL", help="PostgreSQL [default: a file].")
@date_options
@click.option(
    "--per-week", default=2, show_default=True, type=click.IntRange(1), help="Results afterwards."
)
@click.option(
    "--public-share",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0, 0.9),
    help="Of the test images, which the board shows until the end.",
)
@click.option(
    "--step",
    type=click.FloatRange(0, 0.5),
    help="A shown score moves only by more [default: 0.01, more of fewer than 7 classes].",
)
def init(
    folder: Path,
    release: Path,
    name: str | None,
    image_set: str,
    competitions: str,
    database: str,
    per_week: int,
    public_share: float,
    step: float | None,
    **dates: str | None,
) -> None:
    """Make a challenge in the new folder DIR.

    Dates are such as 2026-09-30 or 2026-09-30T12:00Z, in UTC.

    \b
    Example:
      vocparty challenge init zoo-challenge --truth zoo-open --submissions 2026-09-01 \\
        --closed 2026-09-30
    """
    from vockit.report.progress import progress

    from .making import Order, make_challenge

    order = Order(
        name=name or folder.resolve().name,
        dates=_parse_dates(dates),
        image_set=image_set,
        competitions=tuple(filter(None, competitions.split(","))),
        database=database,
        per_week=per_week,
        public_share=public_share,
        step=step,
    )
    made = make_challenge(folder, release, order, now(), watch=progress)
    click.echo(f"Made the challenge {folder} with {', '.join(made)}. Its labels are sealed there.")
    click.echo(f"Next: `vocparty challenge team add NAME --challenge {folder}`, then")
    click.echo(f"`vocparty challenge serve --challenge {folder}`.")


def _parse_dates(dates: dict[str, str | None]) -> dict[Any, datetime]:
    from .phases import parse_moment
    from .values import Phase

    return {Phase(name): parse_moment(text) for name, text in dates.items() if text}


def format_time(moment: datetime | None) -> str:
    """The moment as commands print it."""
    from .phases import format_moment

    return format_moment(moment) if moment else "never"


def print_rows(rows: Iterable[dict[str, Any]], *, as_json: bool) -> None:
    """Print a line for each row, or one JSON document of them all."""
    if as_json:
        click.echo(json.dumps(list(rows), default=str))
        return
    for row in rows:
        click.echo("  ".join(str(value) for value in row.values() if value != ""))


@click.command()
@date_options
@with_challenge
def phases(challenge: Challenge, /, **dates: str | None) -> None:
    """Show the dates of the phases, or set some; each change is in the log.

    \b
    Example:
      vocparty challenge phases --closed 2026-10-07T23:59Z
    """
    from . import organiser
    from .phases import current, format_moment, load_dates

    if parsed := _parse_dates(dates):
        with challenge.catalogue.writing() as session:
            organiser.extend(session, parsed, now())
    with challenge.catalogue.reading() as session:
        for phase, begins_at in load_dates(session).items():
            click.echo(f"{phase.value:<12}{format_moment(begins_at)}")
        click.echo(f"Now: {current(session, now()).value}.")


@click.command("log")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@with_challenge
def show_log(challenge: Challenge, /, as_json: bool) -> None:
    """Show what organisers did, the oldest first.

    \b
    Example:
      vocparty challenge log
    """
    from .log import read_log

    with challenge.catalogue.reading() as session:
        rows = [asdict(line) | {"at": format_time(line.at)} for line in read_log(session)]
    print_rows(rows, as_json=as_json)


@click.command()
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path, file_okay=False))
@with_challenge
def publish(challenge: Challenge, /, target: Path) -> None:
    """End the challenge: write labels, published results and the board to the new folder OUT.

    \b
    Example:
      vocparty challenge publish zoo-published
    """
    from . import organiser

    files = organiser.publish_end(challenge, target, now())
    click.echo(f"Wrote {files:,} files to {target}. Nothing more is scored.")
