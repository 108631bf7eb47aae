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

from catalog.command import ROW_ID

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
_reason = click.option("--reason", required=True, help="Why; it stays in the log, so no names.")


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


def _now() -> datetime:
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
    made = make_challenge(folder, release, order, _now(), watch=progress)
    click.echo(f"Made the challenge {folder} with {', '.join(made)}. Its labels are sealed there.")
    click.echo(f"Next: `vocparty challenge team add NAME --challenge {folder}`, then")
    click.echo(f"`vocparty challenge serve --challenge {folder}`.")


def _parse_dates(dates: dict[str, str | None]) -> dict[Any, datetime]:
    from .phases import parse_moment
    from .values import Phase

    return {Phase(name): parse_moment(text) for name, text in dates.items() if text}


@click.group()
def team() -> None:
    """Add teams, list them, renew a link, erase a team."""


@team.command("add")
@click.argument("name")
@click.option("--contact", default="", help="How to reach the team.")
@with_challenge
def add_team(challenge: Challenge, /, name: str, contact: str) -> None:
    """Add the team NAME and print its personal link, which is not shown again.

    \b
    Example:
      vocparty challenge team add "Example Lab" --contact ann@example.org
    """
    from . import teams

    token = teams.make_token()
    with challenge.catalogue.writing() as session:
        teams.invite(session, name, contact, token=token, now=_now())
    _print_link(challenge, token)


def _print_link(challenge: Challenge, token: str) -> None:
    base = challenge.settings.url.rstrip("/") or DEFAULT_URL
    click.echo(f"{base}/enter/{token}")
    if not challenge.settings.url:
        click.echo(
            f"Set url in {challenge.folder}/challenge.toml, so that links lead there.", err=True
        )


@team.command("link")
@click.argument("name")
@with_challenge
def renew_link(challenge: Challenge, /, name: str) -> None:
    """Print a new personal link of the team NAME; the earlier one ends.

    \b
    Example:
      vocparty challenge team link "Example Lab"
    """
    from . import teams

    token = teams.make_token()
    with challenge.catalogue.writing() as session:
        found_team = teams.find_team(session, name)
        teams.renew_link(session, found_team.id, token=token, now=_now())
    _print_link(challenge, token)


@team.command("erase")
@click.argument("name")
@with_challenge
def erase_team(challenge: Challenge, /, name: str) -> None:
    """Erase the names of the team NAME and its people; its scores stay without them.

    \b
    Example:
      vocparty challenge team erase "Example Lab"
    """
    from . import methods, own_images, teams

    with challenge.catalogue.writing() as session:
        number = teams.find_team(session, name).id
        teams.erase(session, number, _now())
        erased = [method.id for method in methods.list_methods(session, number)]
    own_images.forget(challenge, erased)
    click.echo(f"Erased team {number}. Backups made before still hold its name: delete them.")


@team.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@with_challenge
def list_teams(challenge: Challenge, /, as_json: bool) -> None:
    """List the teams with their numbers.

    \b
    Example:
      vocparty challenge team list
    """
    from . import teams

    with challenge.catalogue.reading() as session:
        rows = [
            {"team": row.id, "name": row.name, "contact": row.contact, "seen": _tell(row.seen_at)}
            for row in teams.list_teams(session)
        ]
    _print_rows(rows, as_json=as_json)


def _tell(moment: datetime | None) -> str:
    from .phases import format_moment

    return format_moment(moment) if moment else "never"


def _print_rows(rows: Iterable[dict[str, Any]], *, as_json: bool) -> None:
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
            organiser.extend(session, parsed, _now())
    with challenge.catalogue.reading() as session:
        for phase, begins_at in load_dates(session).items():
            click.echo(f"{phase.value:<12}{format_moment(begins_at)}")
        click.echo(f"Now: {current(session, _now()).value}.")


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@with_challenge
def list_submissions(challenge: Challenge, /, as_json: bool) -> None:
    """List all submissions with their state, the newest last.

    \b
    Example:
      vocparty challenge list
    """
    from . import submissions

    with challenge.catalogue.reading() as session:
        rows = [
            {
                "submission": row.id,
                "team": row.team.name,
                "method": row.method.name,
                "state": row.state.value,
                "competitions": ",".join(row.competitions),
                "sent": _tell(row.began_at),
                "reason": row.reason or row.disqualified_for or "",
            }
            for row in submissions.list_all(session)
        ]
    _print_rows(rows, as_json=as_json)


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
        rows = [asdict(line) | {"at": _tell(line.at)} for line in read_log(session)]
    _print_rows(rows, as_json=as_json)


@click.command()
@click.argument("name", metavar="TEAM")
@click.option("--more", default=1, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--period", required=True, help="A week such as 2026-W40, or method-3.")
@_reason
@with_challenge
def quota(challenge: Challenge, /, name: str, more: int, period: str, reason: str) -> None:
    """Give TEAM more results in a week, or for a method.

    \b
    Example:
      vocparty challenge quota "Example Lab" --period 2026-W40 --reason "server was down"
    """
    from . import organiser, teams

    with challenge.catalogue.writing() as session:
        number = teams.find_team(session, name).id
        organiser.add_quota(session, number, period, more, reason, _now())
    click.echo(f"Team {number} has {more} more in {period}.")


@click.command()
@click.argument("submission", type=ROW_ID)
@_reason
@with_challenge
def hide(challenge: Challenge, /, submission: int, reason: str) -> None:
    """Take the entry SUBMISSION from the board; its team still sees it.

    \b
    Example:
      vocparty challenge hide 17 --reason "the team asked for a check"
    """
    from . import organiser

    with challenge.catalogue.writing() as session:
        organiser.hide(session, submission, reason, _now())
    click.echo(f"Entry {submission} is hidden. `vocparty challenge show` takes that back.")


@click.command()
@click.argument("submission", type=ROW_ID)
@_reason
@with_challenge
def show(challenge: Challenge, /, submission: int, reason: str) -> None:
    """Take back that SUBMISSION was hidden or disqualified.

    \b
    Example:
      vocparty challenge show 17 --reason "the check found nothing"
    """
    from . import organiser

    with challenge.catalogue.writing() as session:
        organiser.show(session, submission, reason, _now())
    click.echo(f"Entry {submission} is as its team published it.")


@click.command()
@click.argument("submission", type=ROW_ID)
@click.option("--reason", required=True, help="For all to read, on the board and in the log.")
@with_challenge
def disqualify(challenge: Challenge, /, submission: int, reason: str) -> None:
    """Show the reason in place of the numbers of SUBMISSION.

    \b
    Example:
      vocparty challenge disqualify 17 --reason "trained on the test set"
    """
    from . import organiser

    with challenge.catalogue.writing() as session:
        organiser.disqualify(session, submission, reason, _now())
    click.echo(f"Entry {submission} is disqualified. `vocparty challenge show` takes that back.")


@click.command()
@click.option(
    "--truth",
    metavar="RELEASE",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A corrected open release, or one without withdrawn images [default: the same labels].",
)
@_reason
@with_challenge
def rescore(challenge: Challenge, /, truth: Path | None, reason: str) -> None:
    """Score everything again, for a new edition of the board; the old one is kept.

    \b
    Example:
      vocparty challenge rescore --truth zoo-open-2 --reason "3 images were withdrawn"
    """
    from . import organiser

    number = organiser.rescore(challenge, reason, _now(), truth)
    click.echo(f"Edition {number} is scored by `vocparty challenge serve` and shown when complete.")


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

    files = organiser.publish_end(challenge, target, _now())
    click.echo(f"Wrote {files:,} files to {target}. Nothing more is scored.")
