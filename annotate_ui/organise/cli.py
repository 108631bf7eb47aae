"""`vocparty classes`, and the campaigns of `vocparty images`: changes of what is drawn already."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from catalog.party import Party


@click.group()
def classes() -> None:
    """List, rename, merge or split the classes, also while people draw."""


@classes.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def list_classes(party: Party, as_json: bool) -> None:
    """List the classes with their objects, and every change of them.

    \b
    Example:
      vocparty classes list
    """
    from annotate_ui.api.answers import format_moment, pick
    from annotate_ui.organise.classes import list_changes
    from catalog.stats import load_standing

    with party.catalogue.reading() as session:
        drawn = dict(load_standing(session).classes)
        changes = [
            pick(one, by="made_by", change="kind", to="new_names")
            | {"at": format_moment(one.made_at), "from": one.old_name}
            for one in list_changes(session)
        ]
    counts = {name: drawn.get(name, 0) for name in party.preset.class_names}
    if as_json:
        click.echo(json.dumps({"classes": counts, "changes": changes}, indent=2))
        return
    for name, count in counts.items():
        click.echo(f"{name:<24} {count:>10,}")
    for one in changes:
        names = ", ".join(one["to"])
        click.echo(f"{one['at']}  {one['by']}: {one['change']} {one['from']} to {names}")


@classes.command()
@click.argument("old")
@click.argument("new")
@with_party
def rename(party: Party, old: str, new: str) -> None:
    """Call the class OLD by the name NEW from now on; earlier releases stay as they are.

    \b
    Example:
      vocparty classes rename sofa couch
    """
    from annotate_ui.organise.classes import rename_class

    _change(party, rename_class, old, new)


@classes.command()
@click.argument("old")
@click.argument("into")
@with_party
def merge(party: Party, old: str, into: str) -> None:
    """Make every object of the class OLD one of the class INTO, and give OLD up.

    \b
    Example:
      vocparty classes merge sofa chair
    """
    from annotate_ui.organise.classes import merge_classes

    _change(party, merge_classes, old, into)


@classes.command()
@click.argument("old")
@click.option("--into", required=True, metavar="A,B", help="The new classes; OLD may be one.")
@with_party
def split(party: Party, old: str, into: str) -> None:
    """Split the class OLD; its images are annotated again to tell the new ones apart.

    \b
    Example:
      vocparty classes split chair --into chair,stool
    """
    from annotate_ui.organise.classes import split_class

    _change(party, split_class, old, _split(into))


def stop_campaign(party: Party, name: str) -> str:
    """One sentence on the campaign that has ended."""
    from datetime import UTC, datetime

    from annotate_ui.organise.campaigns import end_campaign

    with party.catalogue.writing() as session:
        return end_campaign(session, name, by=_find_user(), at=datetime.now(UTC))


def annotate_again(
    party: Party,
    filters: Mapping[str, str],
    *,
    name: str | None,
    fields: str | None,
    guidelines: int | None,
    comment: str,
) -> str:
    """One sentence on the new campaign of all images that the filters find."""
    from datetime import UTC, datetime

    from annotate_ui.organise.campaigns import Wish, make_campaign
    from annotate_ui.organise.lookup import make_conditions, parse_filters

    if not name or not fields:
        raise click.UsageError("--annotate-again needs --name and --fields.")
    known = parse_filters(filters, party.former_classes)
    if not known:
        raise click.UsageError("This would ask for every image of the party; add a filter.")
    wish = Wish(name, _split(fields), guidelines, comment, known)
    by, at = _find_user(), datetime.now(UTC)
    with party.catalogue.writing() as session:
        return make_campaign(session, wish, make_conditions(known), by=by, at=at)


def _change(party: Party, change: Callable[..., str], *words: object) -> None:
    from datetime import UTC, datetime

    with party.catalogue.writing() as session:
        said = change(session, party, *words, by=_find_user(), at=datetime.now(UTC))
    click.echo(said)


def _split(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(",") if word.strip())


def _find_user() -> str:
    """The account that runs the command."""
    import getpass

    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):  # an account without a name, as in some containers
        return "command line"
