"""`vocparty challenge team` and `quota`: who takes part, and how much they may send."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .cli import DEFAULT_URL, format_time, now, print_rows, reason_option, with_challenge

if TYPE_CHECKING:
    from .folder import Challenge


@click.group()
def team() -> None:
    """Add teams, list them, renew a link, erase a team."""


@team.command("add", short_help="Add the team NAME and print its personal link")
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
        teams.invite(session, name, contact, token=token, now=now())
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
        teams.renew_link(session, found_team.id, token=token, now=now())
    _print_link(challenge, token)


@team.command("erase", short_help="Erase the names of a team and its people; scores stay")
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
        teams.erase(session, number, now())
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
            {
                "team": row.id,
                "name": row.name,
                "contact": row.contact,
                "seen": format_time(row.seen_at),
            }
            for row in teams.list_teams(session)
        ]
    print_rows(rows, as_json=as_json)


@click.command()
@click.argument("name", metavar="TEAM")
@click.option("--more", default=1, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--period", required=True, help="A week such as 2026-W40, or method-3.")
@reason_option
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
        organiser.add_quota(session, number, period, more, reason, now())
    click.echo(f"Team {number} has {more} more in {period}.")
