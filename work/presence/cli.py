"""`vocparty questions`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party

    from .plans import Plan


@click.group()
def questions() -> None:
    """Ask which images show what, group by group: estimate and progress."""


@questions.command()
@click.option("--again", is_flag=True, help="Compute every image anew from its answers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def plan(party: Party, again: bool, as_json: bool) -> None:
    """Plan the questions and estimate the answers per image.

    How often images show each class is counted anew first. Images whose classes, groups or rules
    changed since the last plan are computed anew.

    \b
    Example:
      vocparty questions plan
    """
    from .outlook import describe_outlook, list_outlook_lines
    from .pages import list_stale, select_all
    from .plans import renew_plan

    with party.catalogue.writing() as session:
        made = renew_plan(session, party, datetime.now(UTC))
        stale = list(session.scalars(select_all() if again else list_stale(made)))
    if stale:
        _refresh(party, made, stale)
    with party.catalogue.reading() as session:
        outlook = describe_outlook(session, party, made)
    if as_json:
        click.echo(json.dumps(outlook, indent=2))
        return
    for line in list_outlook_lines(outlook):
        click.echo(line)


def _refresh(party: Party, plan: Plan, image_ids: list[int]) -> None:
    from catalog.locks import lock_images
    from catalog.session import in_parts
    from vockit.report.progress import progress

    from .empty import discard_empty
    from .states import refresh_states

    with progress("Images", len(image_ids), "images") as advance:
        for some in in_parts(image_ids, 500):
            with party.catalogue.writing() as session:
                outcomes = refresh_states(session, plan, lock_images(session, some))
                discard_empty(session, outcomes, at=datetime.now(UTC))
            advance(len(some))


@questions.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def status(party: Party, as_json: bool) -> None:
    """Show how many images are settled, and who often says yes wrongly.

    \b
    Example:
      vocparty questions status --json
    """
    from .outlook import describe_status, list_status_lines

    with party.catalogue.reading() as session:
        described = describe_status(session, party)
    if as_json:
        click.echo(json.dumps(described, indent=2))
        return
    for line in list_status_lines(described):
        click.echo(line)
