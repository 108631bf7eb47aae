"""The campaigns of `vocparty images`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import click

from annotate_ui.work.leases import release_leases
from catalog.party import Party
from operate.campaigns import Wish, end_campaign, find_user, make_campaign

from .lookup import make_conditions, parse_filters


def stop_campaign(party: Party, name: str) -> str:
    """One sentence on the campaign that has ended."""
    at = datetime.now(UTC)
    with party.catalogue.writing() as session:
        return end_campaign(session, name, by=find_user(), at=at, release=release_leases)


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
    if not name or not fields:
        raise click.UsageError("--annotate-again needs --name and --fields.")
    known = parse_filters(filters, party.former_classes)
    if not known:
        raise click.UsageError("This would ask for every image of the party; add a filter.")
    words = [word.strip() for word in fields.split(",") if word.strip()]
    wish = Wish(name, words, guidelines, comment, known)
    at = datetime.now(UTC)
    with party.catalogue.writing() as session:
        return make_campaign(session, wish, make_conditions(known), by=find_user(), at=at)
