"""`vocparty queries`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party


@click.group()
def queries() -> None:
    """List the queries of the classes with their yield, add some, or have some suggested."""


@queries.command("list")
@with_party
@click.option("--class", "class_name", metavar="NAME", help="Of this class only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def list_queries(party: Party, class_name: str | None, as_json: bool) -> None:
    """List each query, what it brought, and which brought nothing.

    \b
    Example:
      vocparty queries list --class zebra
    """
    from collect.query_yield import recount_yields
    from collect.report.figures import describe_kind
    from collect.report.load import load_queries, sum_kinds

    recount_yields(party)
    with party.catalogue.reading() as session:
        rows = [
            query
            for query in load_queries(session, party.preset)
            if class_name in (None, query.class_name)
        ]
    if as_json:
        click.echo(json.dumps([asdict(query) for query in rows], indent=2))
        return
    asked = {(query.class_name, query.keyword) for query in rows}
    for query in rows:
        click.echo(f"{query.display or 'no class'}: {query.keyword}  {describe_kind(query)}")
    for of_kind in sum_kinds(rows):
        click.echo(f"All of one kind, {describe_kind(of_kind)}")
    empty = [
        f"{query.display}: {query.keyword}" for query in rows if query.searches and not query.drawn
    ]
    if empty:
        click.echo(f"Searched for, and nothing found: {', '.join(empty)}.")
    classes = [spec for spec in party.preset.classes if class_name in (None, spec.name)]
    new = sum((spec.name, word) not in asked for spec in classes for word in spec.queries)
    click.echo(f"Not yet searched for: {new}. Next: `vocparty queries suggest CLASS`.")


@queries.command("add")
@with_party
@click.argument("class_name", metavar="CLASS")
@click.argument("keywords", metavar="QUERY...", nargs=-1, required=True)
def add(party: Party, class_name: str, keywords: tuple[str, ...]) -> None:
    """Add queries to a class, in party.toml.

    \b
    Example:
      vocparty queries add zebra "zebra herd" zebras
    """
    from .keywords import add_queries

    new = add_queries(party, class_name, keywords)
    had = len(set(keywords)) - len(new)
    click.echo(f"Added to {class_name}: {', '.join(new) or 'nothing'}; {had} it had already.")
    click.echo("Next: `vocparty collect`.")


@queries.command("suggest")
@with_party
@click.argument("class_name", metavar="CLASS")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def suggest(party: Party, class_name: str, as_json: bool) -> None:
    """Suggest queries for a class: plurals, synonyms, its groups, pairs, translations.

    Nothing is added: choose, and add what you want.

    \b
    Example:
      vocparty queries suggest zebra
    """
    from .keywords import get_class, has_words
    from .keywords import suggest as run

    spec = get_class(party.preset, class_name)
    suggestions = run(party.preset, spec)
    if as_json:
        click.echo(json.dumps([asdict(suggestion) for suggestion in suggestions], indent=2))
        return
    for suggestion in suggestions:
        click.echo(f"  {suggestion.keyword}  ({suggestion.why})")
    if not has_words(spec):
        click.echo(
            f"The word lists have no synonyms and no translations of {class_name}: a dictionary "
            "or Wikipedia's languages have them."
        )
    click.echo(f"Nothing was added. To add some: vocparty queries add {class_name} QUERY ...")
