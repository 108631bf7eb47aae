"""`vocparty segment`: which images are segmented, and how far they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from catalog.command import ROW_ID, with_party

if TYPE_CHECKING:
    from catalog.party import Party


@click.group()
def segment() -> None:
    """Choose images of which people draw the pixels of every object, for masks in a release."""


@segment.command(short_help="Choose checked or released images, balanced by class")
@click.option("--images", "count", type=click.IntRange(1), required=True, help="How many more.")
@click.option("--class", "classes", multiple=True, metavar="NAME", help="Only of these classes.")
@click.option("--seed", default=0, show_default=True, help="The same seed repeats the choice.")
@with_party
def choose(party: Party, count: int, classes: tuple[str, ...], seed: int) -> None:
    """Choose checked or released images, balanced by class as far as they allow.

    All objects of a chosen image are drawn, on the page Segment. The share [qa] double_share of the
    images is drawn twice, to measure agreement. Boxes stay as they are.

    \b
    Example:
      vocparty segment choose --images 200 --class dog --class cat
    """
    from datetime import UTC, datetime

    from catalog.group_limits import refuse_masks
    from vockit.errors import SettingsError
    from vockit.format.plural import format_count

    from .choices import choose_images

    refuse_masks(party.preset)
    classes = party.name_today(classes)
    for name in classes:
        if name not in party.preset.class_names:
            known = ", ".join(party.preset.class_names)
            raise SettingsError(f"The party has no class {name!r}; it has {known}.")
    share = party.settings.qa.double_share
    at = datetime.now(UTC)
    with party.catalogue.writing() as session:
        chosen = choose_images(session, count, classes, seed=seed, twice_share=share, at=at)
    missing = count - len(chosen.image_ids)
    less = f" No more than that are checked or released; {missing} are missing." if missing else ""
    click.echo(f"Chose {format_count(len(chosen.image_ids), 'image')}.{less}")
    for name, images in chosen.counts.items():
        click.echo(f"{name:<24} {images:>8,}")


@segment.command(
    name="list", short_help="List the chosen images, what was drawn, and the time it took"
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def list_chosen(party: Party, as_json: bool) -> None:
    """List the chosen images, what was drawn of them, and the time it took.

    \b
    Example:
      vocparty segment list --json
    """
    from .listing import format_listing, load_listing

    with party.catalogue.reading() as session:
        listing = load_listing(session)
    click.echo(json.dumps(listing, indent=2) if as_json else "\n".join(format_listing(listing)))


@segment.command(short_help="Give up chosen images; by default those without drawings")
@click.argument("image_ids", metavar="[IMAGE]...", type=ROW_ID, nargs=-1)
@with_party
def drop(party: Party, image_ids: tuple[int, ...]) -> None:
    """Give up chosen images; without IMAGE those of which nothing was drawn.

    What was drawn stays, and counts again once the image is chosen again.

    \b
    Example:
      vocparty segment drop 17 18
    """
    from datetime import UTC, datetime

    from vockit.format.plural import format_count

    from .choices import drop_images

    with party.catalogue.writing() as session:
        dropped = drop_images(session, image_ids, at=datetime.now(UTC))
    click.echo(f"Dropped {format_count(dropped, 'image')}.")
