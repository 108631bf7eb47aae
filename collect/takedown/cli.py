"""`vocparty takedown`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party

    from .withdraw import TakedownPlan

MOST_LINES = 20
MOST_REASON_CHARS = 1_000


@click.command()
@with_party
@click.argument("photos", metavar="[PHOTO]...", nargs=-1)
@click.option(
    "--owner", "owners", multiple=True, metavar="ID", help="All photos of this owner; repeatable."
)
@click.option("--reason", required=True, help="Why; it is kept with the photos and images.")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def takedown(
    party: Party,
    photos: tuple[str, ...],
    owners: tuple[str, ...],
    reason: str,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Withdraw photographs for good; they never enter a later release.

    PHOTO is the address of its page or of its picture, SOURCE:ID such as flickr:123, or the id
    alone. An image that another photo has too stays. Releases that hold an image list it as
    withdrawn when they are written again. There is no way back; try --dry-run first.

    \b
    Example:
      vocparty takedown flickr:3141592653 --reason "the owner asked on 4 May"
    """
    from catalog.errors import SettingsError

    from .job import TakedownOrder, plan_order, run_order

    reason = " ".join(reason.replace("\0", "").split())
    if not reason or len(reason) > MOST_REASON_CHARS:
        raise SettingsError(f"--reason: expected 1 to {MOST_REASON_CHARS} characters.")
    if not photos and not owners:
        raise SettingsError("Name the photographs to take down, or their owner with --owner.")
    order = TakedownOrder(photos, owners, reason)
    plan = plan_order(party, order) if dry_run else run_order(party, order)
    if as_json:
        click.echo(json.dumps({"dry_run": dry_run, **asdict(plan)}, indent=2))
    else:
        _show(plan, dry_run)


def _show(plan: TakedownPlan, dry_run: bool) -> None:
    for photo in plan.photos[:MOST_LINES]:
        where = photo.page_url or photo.title or ""
        click.echo(f"{photo.source.value}:{photo.source_id} {where}".rstrip())
    if len(plan.photos) > MOST_LINES:
        click.echo(f"... and {len(plan.photos) - MOST_LINES} more; --json lists all.")
    if plan.images_shared:
        ids = ", ".join(map(str, plan.images_shared))
        click.echo(f"Another photo has the same file, so these images stay: {ids}.")
    if plan.releases:
        click.echo(f"In these releases: {', '.join(plan.releases)}; write them again.")
    photos = _count(len(plan.photos), "photo")
    images = _count(len(plan.images_taken_down), "image")
    if dry_run:
        click.echo(f"Would withdraw {photos} and take down {images}.")
    else:
        click.echo(f"Withdrew {photos} and took down {images}.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
