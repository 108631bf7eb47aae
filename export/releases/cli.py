"""`vocparty release list` and `diff`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from catalog.command import with_party
from catalog.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party

MOST_LINES = 20
_json = click.option(
    "--json", "as_json", is_flag=True, help="One JSON document on standard output."
)


@click.group()
def release() -> None:
    """List the releases that were made, tell how two differ."""


@release.command("list")
@with_party
@_json
def list_command(party: Party, as_json: bool) -> None:
    """List the releases of the party, the earliest first.

    \b
    Example:
      vocparty release list
    """
    from export.load import list_releases

    with party.catalogue.reading() as session:
        releases = list_releases(session)
    if as_json:
        click.echo(json.dumps({"releases": releases}, indent=2))
    elif not releases:
        click.echo("No release yet. Make one with `vocparty export`.")
    for it in [] if as_json else releases:
        told = {
            f"{it['withdrawn']} withdrawn since": it["withdrawn"],
            f"extends {it['extends']}": it["extends"],
            f"corrects {it['corrects']}": it["corrects"],
            "blind": it["is_blind"],
            "forced": it["forced"],
        }
        rest = ", ".join([format_count(it["images"], "image"), *filter(told.get, told)])
        click.echo(f"{it['name']}: {it['created_at'][:10]}, {rest}")


@release.command()
@with_party
@click.argument("earlier", metavar="A")
@click.argument("later", metavar="B")
@_json
def diff(party: Party, earlier: str, later: str, as_json: bool) -> None:
    """Tell what release B has otherwise than release A: images, objects, fields.

    \b
    Example:
      vocparty release diff VOC2026 VOC2027
    """
    from export.planning import get_plan

    from .difference import Difference, compare_releases

    with party.catalogue.reading() as session:
        found = compare_releases(get_plan(session, earlier), get_plan(session, later))
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
        return
    for word, names in (
        ("Added", found.added),
        ("Withdrawn", found.withdrawn),
        ("Left out", found.left_out),
    ):
        if names:
            shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            click.echo(f"{word}: {format_count(len(names), 'image')} ({shown}).")
    for change in found.changes[:MOST_LINES]:
        click.echo(str(change))
    if len(found.changes) > MOST_LINES:
        click.echo(f"{len(found.changes) - MOST_LINES} changes more; --json lists all.")
    if found == Difference((), (), (), ()):
        click.echo("No difference.")
    else:
        click.echo(party.settings.serve.how_to_open, err=True)
