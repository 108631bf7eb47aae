"""`vocparty queries`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.party import Party
    from catalog.preset import ClassSpec
    from collect.report.short_classes import Stock

    from .keywords import Suggestion

MOST_SHORT = 20
"""Classes that are short and get suggestions at once; a preset may have a thousand classes."""
MOST_OF_KIND = 8
"""Suggestions of one kind that a line has."""


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


@queries.command("suggest", short_help="Suggest queries for CLASS, or for classes that are short")
@with_party
@click.argument("class_name", metavar="[CLASS]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def suggest(party: Party, class_name: str | None, as_json: bool) -> None:
    """Suggest queries for a class: plurals, synonyms, its groups, pairs, translations.

    Without CLASS, for the classes that are short: that have nothing, or less than half as much of
    their target as the class in the middle. Nothing is added: choose, and add what you want.

    \b
    Example:
      vocparty queries suggest zebra
      vocparty queries suggest
    """
    from .keywords import get_class
    from .keywords import suggest as run

    if class_name is None:
        _suggest_for_short(party, as_json=as_json)
        return
    spec = get_class(party.preset, class_name)
    suggestions = run(party.preset, spec)
    if as_json:
        click.echo(json.dumps([asdict(suggestion) for suggestion in suggestions], indent=2))
        return
    for suggestion in suggestions:
        click.echo(f"  {suggestion.keyword}  ({suggestion.why})")
    _tell_unknown_words(spec)
    click.echo(f"Nothing was added. To add some: vocparty queries add {class_name} QUERY ...")


def _tell_unknown_words(spec: ClassSpec) -> None:
    from .keywords import has_words

    if not has_words(spec):
        click.echo(
            f"The word lists have no synonyms and no translations of {spec.name}: a dictionary "
            "or Wikipedia's languages have them."
        )


def _suggest_for_short(party: Party, *, as_json: bool) -> None:
    """Say which classes are short and why, with queries for each, and what each kind brought."""
    from collect.report.figures import describe_kind
    from collect.report.load import load_queries, sum_kinds
    from collect.report.short_classes import load_stock

    from .keywords import get_class
    from .keywords import suggest as run

    stock = load_stock(party)
    suggested = {
        short.class_name: run(party.preset, get_class(party.preset, short.class_name))
        for short in stock.short
    }
    if as_json:
        document = [
            {
                "class": short.class_name,
                "expected": round(short.expected, 1),
                "target": round(short.target, 1),
                "queries": [asdict(suggestion) for suggestion in suggested[short.class_name]],
            }
            for short in stock.short
        ]
        click.echo(json.dumps(document, indent=2))
        return
    if not stock.short:
        click.echo(describe_none_short(stock))
        return
    for short in stock.short[:MOST_SHORT]:
        click.echo(
            f"{short.display} is short: it has {short.expected:,.0f} of the {short.target:,.0f} "
            f"images of its target ({short.filled:.1%}), with those expected of waiting ones; the "
            f"class in the middle has {stock.middle:.1%}."
        )
        for line in list_lines(suggested[short.class_name]):
            click.echo(f"  {line}")
        _tell_unknown_words(get_class(party.preset, short.class_name))
    if (more := len(stock.short) - MOST_SHORT) > 0:
        click.echo(f"{more:,} more classes are short, each by less; --json has all.")
    with party.catalogue.reading() as session:
        for of_kind in sum_kinds(load_queries(session, party.preset)):
            click.echo(f"So far, all of one kind, {describe_kind(of_kind)}")
    click.echo("Nothing was added. To add some: vocparty queries add CLASS QUERY ...")


def describe_none_short(stock: Stock) -> str:
    """Why no class is called short, and which has least."""
    if not stock.is_clear:
        return (
            f"With {stock.images:,.0f} images of classes it cannot be told which are short. Name a "
            "class: vocparty queries suggest CLASS."
        )
    least = stock.classes[0]
    return (
        f"No class is short. {least.display} has least: {least.filled:.1%} of its target; the "
        f"class in the middle has {stock.middle:.1%}."
    )


def list_lines(suggestions: Sequence[Suggestion]) -> list[str]:
    """The suggestions of a class by kind, with a few of the pairs, which are many."""
    by_kind = dict[str, list[str]]()
    for suggestion in suggestions:
        by_kind.setdefault(suggestion.kind, []).append(suggestion.keyword)
    lines = []
    for kind, words in by_kind.items():
        more = f" and {len(words) - MOST_OF_KIND} more" if len(words) > MOST_OF_KIND else ""
        lines.append(f"{kind}: {', '.join(words[:MOST_OF_KIND])}{more}")
    return lines
