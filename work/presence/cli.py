"""`vocparty questions`."""

from __future__ import annotations

import json
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party


@click.group()
def questions() -> None:
    """Ask which images show what, group by group: what that costs, and how far it is."""


@questions.command()
@click.option("--again", is_flag=True, help="Compute every image anew from its answers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def plan(party: Party, again: bool, as_json: bool) -> None:
    """Say which questions come first and how many answers an image takes; count anew first.

    Images whose classes, groups or rules changed are computed anew, with a line for each part.

    \b
    Example:
      vocparty questions plan
    """
    from catalog.locks import lock_images
    from catalog.session import in_parts
    from vockit.report.progress import progress

    from .empty import discard_empty
    from .outlook import describe_outlook, list_outlook_lines
    from .pages import list_stale, select_all
    from .plans import renew_plan
    from .states import refresh_states

    with party.catalogue.writing() as session:
        made = renew_plan(session, party, datetime.now(UTC))
        stale = list(session.scalars(select_all() if again else list_stale(made)))
    parts = list(in_parts(stale, 500))
    shown = progress("Images", len(stale), "images") if parts else nullcontext(lambda _: None)
    with shown as advance:
        for some in parts:
            with party.catalogue.writing() as session:
                outcomes = refresh_states(session, made, lock_images(session, some))
                discard_empty(session, outcomes, at=datetime.now(UTC))
            advance(len(some))
    with party.catalogue.reading() as session:
        outlook = describe_outlook(session, party, made)
    if as_json:
        click.echo(json.dumps(outlook, indent=2))
        return
    for line in list_outlook_lines(outlook):
        click.echo(line)


@questions.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def status(party: Party, as_json: bool) -> None:
    """Say how many images are settled, with how many answers, and of whom to take a closer look.

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
