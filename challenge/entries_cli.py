"""The commands of `vocparty challenge` about what teams sent: list, hide, show, score again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import ROW_ID

from .cli import format_time, now, print_rows, reason_option, with_challenge

if TYPE_CHECKING:
    from .folder import Challenge


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
                "sent": format_time(row.began_at),
                "reason": row.reason or row.disqualified_for or "",
            }
            for row in submissions.list_all(session)
        ]
    print_rows(rows, as_json=as_json)


@click.command()
@click.argument("submission", type=ROW_ID)
@reason_option
@with_challenge
def hide(challenge: Challenge, /, submission: int, reason: str) -> None:
    """Take the entry SUBMISSION from the board; its team still sees it.

    \b
    Example:
      vocparty challenge hide 17 --reason "the team asked for a check"
    """
    from . import organiser

    with challenge.catalogue.writing() as session:
        organiser.hide(session, submission, reason, now())
    click.echo(f"Entry {submission} is hidden. `vocparty challenge show` takes that back.")


@click.command()
@click.argument("submission", type=ROW_ID)
@reason_option
@with_challenge
def show(challenge: Challenge, /, submission: int, reason: str) -> None:
    """Take back that SUBMISSION was hidden or disqualified.

    \b
    Example:
      vocparty challenge show 17 --reason "the check found nothing"
    """
    from . import organiser

    with challenge.catalogue.writing() as session:
        organiser.show(session, submission, reason, now())
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
        organiser.disqualify(session, submission, reason, now())
    click.echo(f"Entry {submission} is disqualified. `vocparty challenge show` takes that back.")


@click.command()
@click.option(
    "--truth",
    metavar="RELEASE",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A corrected open release, or one without withdrawn images [default: the same labels].",
)
@reason_option
@with_challenge
def rescore(challenge: Challenge, /, truth: Path | None, reason: str) -> None:
    """Score everything again, for a new edition of the board; the old one is kept.

    \b
    Example:
      vocparty challenge rescore --truth zoo-open-2 --reason "3 images were withdrawn"
    """
    from . import organiser

    number = organiser.rescore(challenge, reason, now(), truth)
    click.echo(f"Edition {number} is scored by `vocparty challenge serve` and shown when complete.")
