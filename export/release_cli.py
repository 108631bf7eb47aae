"""`vocparty release`: the releases that were made, and how two of them differ."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from catalog.command import with_party
from vockit.command_line import json_option, name_some
from vockit.format.plural import format_count

from .cli import MOST_LINES

if TYPE_CHECKING:
    from catalog.party import Party

    from .plan import ReleasePlan


@click.group()
def release() -> None:
    """List the releases that were made, show one, tell how two differ."""


@release.command("list")
@with_party
@json_option
def list_command(party: Party, as_json: bool) -> None:
    """List the releases of the party, the earliest first.

    \b
    Example:
      vocparty release list
    """
    from .releases import list_releases

    with party.catalogue.reading() as session:
        releases = list_releases(session)
    if as_json:
        click.echo(json.dumps({"releases": releases}, indent=2))
    elif not releases:
        click.echo("No release yet. Make one with `vocparty export`.")
    for release_row in [] if as_json else releases:
        extras = {
            f"{release_row['withdrawn']} withdrawn since": release_row["withdrawn"],
            f"extends {release_row['extends']}": release_row["extends"],
            f"corrects {release_row['corrects']}": release_row["corrects"],
            "blind": release_row["is_blind"],
            "forced": release_row["forced"],
        }
        applying = [extra for extra, applies in extras.items() if applies]
        rest = ", ".join([format_count(release_row["images"], "image"), *applying])
        click.echo(f"{release_row['name']}: {release_row['created_at'][:10]}, {rest}")


@release.command(short_help="Show settings and sets of a release, and what was withdrawn")
@with_party
@click.argument("name", metavar="RELEASE")
@json_option
def show(party: Party, name: str, as_json: bool) -> None:
    """Show what is in a release: its settings, its sets, what was withdrawn since.

    \b
    Example:
      vocparty release show VOC2026
    """
    from .recorded import get_plan
    from .split_report import iterate_lines

    with party.catalogue.reading() as session:
        plan = get_plan(session, name)
    if as_json:
        click.echo(json.dumps(_make_document(plan), indent=2))
        return
    for line in (*_describe(plan), *iterate_lines(plan)):
        click.echo(line)
    if plan.withdrawn or plan.notes.groups:
        click.echo(party.settings.serve.how_to_open, err=True)


def _make_document(plan: ReleasePlan) -> dict[str, Any]:
    """What is in the release, as JSON."""
    from .split_report import format_splits

    return {
        "name": plan.name,
        "year": plan.year,
        "settings": plan.recipe.to_json(),
        "extends": plan.notes.extends,
        "corrects": plan.notes.corrects,
        "forced": list(plan.notes.forced),
        "is_blind": plan.notes.blind_salt is not None,
        "images": len(plan.images),
        "objects": _count_objects(plan),
        "withdrawn": list(plan.withdrawn),
        "splits": json.loads(format_splits(plan)),
    }


def _describe(plan: ReleasePlan) -> list[str]:
    """What is in the release, and what it was made of, in sentences."""
    from .difference import count_corrected

    notes = plan.notes
    blind = sum(image.is_blind for image in plan.images)
    images = format_count(len(plan.images), "image")
    objects = format_count(_count_objects(plan), "object")
    changed = format_count(count_corrected(notes.corrections), "image")
    hidden = "The annotation of its test set is held back unless it is exported with --open."
    sentences = {
        f"{plan.name}: {images}, {objects}.": True,
        f"Extends {notes.extends}.": notes.extends,
        f"Corrects {notes.corrects}: the annotation of {changed} changed.": notes.corrects,
        **{f"Forced, although {open_point}.": True for open_point in notes.forced},
        hidden: notes.blind_salt,
        f"It was imported without the annotation of {format_count(blind, 'image')} of test.": blind,
        f"Withdrawn since: {name_some(plan.withdrawn)}.": plan.withdrawn,
    }
    return [sentence for sentence, applies in sentences.items() if applies]


def _count_objects(plan: ReleasePlan) -> int:
    """Of all images whose annotation the release shows."""
    return sum(len(image.row.objects) for image in plan.annotated)


@release.command(short_help="Tell what release B has otherwise than release A")
@with_party
@click.argument("earlier", metavar="A")
@click.argument("later", metavar="B")
@json_option
def diff(party: Party, earlier: str, later: str, as_json: bool) -> None:
    """Tell what release B has otherwise than release A: images, objects, fields.

    \b
    Example:
      vocparty release diff VOC2026 VOC2027
    """
    from .difference import Difference, compare_releases
    from .recorded import get_plan

    with party.catalogue.reading() as session:
        difference = compare_releases(get_plan(session, earlier), get_plan(session, later))
    if as_json:
        click.echo(json.dumps(asdict(difference), indent=2))
        return
    lists = {
        "Added": difference.added,
        "Withdrawn": difference.withdrawn,
        "Left out": difference.left_out,
    }
    for word, image_ids in lists.items():
        if image_ids:
            click.echo(f"{word}: {name_some(image_ids)}.")
    if difference.facts:
        click.echo(f"Facts of [release] that changed: {', '.join(difference.facts)}.")
    for change in difference.changes[:MOST_LINES]:
        click.echo(str(change))
    if len(difference.changes) > MOST_LINES:
        click.echo(f"{len(difference.changes) - MOST_LINES} changes more; --json lists all.")
    if difference == Difference((), (), (), ()):
        click.echo("No difference.")
    else:
        click.echo(party.settings.serve.how_to_open, err=True)
