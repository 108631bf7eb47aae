"""`vocparty release list`, `show` and `diff`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from catalog.command import with_party
from catalog.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party
    from export.recipe import Notes

MOST_LINES = 20
_json = click.option(
    "--json", "as_json", is_flag=True, help="One JSON document on standard output."
)


@click.group()
def release() -> None:
    """List the releases that were made, show one, tell how two differ."""


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
        rows = [
            {
                "name": it.release.name,
                "year": it.release.year,
                "created_at": it.release.created_at.isoformat(),
                "images": it.images,
                "withdrawn": it.withdrawn,
                **_origin(it.notes),
            }
            for it in releases
        ]
        click.echo(json.dumps({"releases": rows}, indent=2))
        return
    if not releases:
        click.echo("No release yet. Make one with `vocparty export`.")
    for it in releases:
        told = {
            f"{it.withdrawn} withdrawn since": it.withdrawn,
            f"extends {it.notes.extends}": it.notes.extends,
            f"corrects {it.notes.corrects}": it.notes.corrects,
            "blind": it.notes.blind_salt,
            "forced": it.notes.forced,
        }
        rest = "".join(f", {text}" for text, holds in told.items() if holds)
        images = format_count(it.images, "image")
        click.echo(f"{it.release.name}: {it.release.created_at:%Y-%m-%d}, {images}{rest}")


def _origin(notes: Notes) -> dict[str, object]:
    """How a release came about, for scripts."""
    return {
        "extends": notes.extends,
        "corrects": notes.corrects,
        "forced": list(notes.forced),
        "is_blind": notes.blind_salt is not None,
    }


@release.command()
@with_party
@click.argument("name", metavar="RELEASE")
@_json
def show(party: Party, name: str, as_json: bool) -> None:
    """Show what is in a release: its settings, its sets, what was withdrawn since.

    \b
    Example:
      vocparty release show VOC2026
    """
    from export.manifest import format_splits, iterate_lines
    from export.planning import get_plan

    with party.catalogue.reading() as session:
        plan = get_plan(session, name)
    if as_json:
        document = {
            "name": plan.name,
            "year": plan.year,
            "settings": plan.recipe.to_json(),
            **_origin(plan.notes),
            "images": len(plan.images),
            "objects": sum(len(image.row.objects) for image in plan.images),
            "withdrawn": list(plan.withdrawn),
            "splits": json.loads(format_splits(plan)),
        }
        click.echo(json.dumps(document, indent=2))
        return
    images = format_count(len(plan.images), "image")
    objects = format_count(sum(len(image.row.objects) for image in plan.images), "object")
    click.echo(f"{plan.name}: {images}, {objects}.")
    if plan.notes.extends:
        click.echo(f"Extends {plan.notes.extends}.")
    if plan.notes.corrects:
        images = format_count(len({it["image_id"] for it in plan.notes.corrections}), "image")
        click.echo(f"Corrects {plan.notes.corrects}: the annotation of {images} changed.")
    for open_point in plan.notes.forced:
        click.echo(f"Forced, although {open_point}.")
    if plan.notes.blind_salt:
        click.echo("The annotation of its test set is held back unless it is exported with --open.")
    if blind := sum(image.is_blind for image in plan.images):
        images = format_count(blind, "image")
        click.echo(f"It was imported without the annotation of {images} of test.")
    if plan.withdrawn:
        click.echo(f"Withdrawn since: {_name_some(plan.withdrawn)}.")
    for line in iterate_lines(plan):
        click.echo(line)
    if plan.withdrawn or plan.notes.groups:
        click.echo(party.settings.serve.how_to_open, err=True)


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

    from .difference import compare_releases

    with party.catalogue.reading() as session:
        found = compare_releases(get_plan(session, earlier), get_plan(session, later))
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
        return
    named = {"Added": found.added, "Withdrawn": found.withdrawn, "Left out": found.left_out}
    for word, names in named.items():
        if names:
            click.echo(f"{word}: {_name_some(names)}.")
    for change in found.changes[:MOST_LINES]:
        click.echo(str(change))
    if len(found.changes) > MOST_LINES:
        click.echo(f"{len(found.changes) - MOST_LINES} changes more; --json lists all.")
    if any(named.values()) or found.changes:
        click.echo(party.settings.serve.how_to_open, err=True)
    else:
        click.echo("No difference.")


def _name_some(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return f"{format_count(len(names), 'image')} ({shown})"
