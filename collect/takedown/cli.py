"""`vocparty takedown`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from catalog.command import with_data
from vockit.format.plural import format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.party import PartyData

    from .job import TakedownPlan

MOST_LINES = 20
MOST_IDS = 3
MOST_REASON_CHARS = 1_000
NAMED_STILL = (
    "The catalogue keeps the name of the owner, so that the photograph is not collected again. "
    "Backups, releases and report pages written before have it, too; replace or delete those "
    "yourself."
)


@click.command()
@with_data  # an owner does not wait for the preset
@click.argument("photos", metavar="[PHOTO]...", nargs=-1)
@click.option(
    "--owner",
    "owners",
    multiple=True,
    metavar="ID",
    help="All photos of this owner, now and in future; repeatable.",
)
@click.option("--reason", help="The reason; it is recorded with the photos and images.")
@click.option(
    "--erase",
    is_flag=True,
    help="Also delete the files; without PHOTO, of everything already taken down.",
)
@click.option("--blocked", is_flag=True, help="Only list the excluded owners, with reasons.")
@click.option("--dry-run", is_flag=True, help="Only show what would be withdrawn.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def takedown(
    party: PartyData, /, blocked: bool, dry_run: bool, as_json: bool, **asked: Any
) -> None:
    """Withdraw photographs for good; they never enter a later release.

    PHOTO is the address of its page or of its picture, SOURCE:ID such as flickr:123, or the id
    alone. An image that another photo has too stays. Releases that hold an image list it as
    withdrawn when they are written again. There is no way back; try --dry-run first.

    \b
    Example:
      vocparty takedown flickr:3141592653 --reason "the owner asked on 4 May"
      vocparty takedown --owner 27182818@N04 --erase --reason "the owner asked on 4 May"
    """
    from collect.source_table.keeping import find_listed
    from vockit.errors import SettingsError

    from .job import TakedownOrder, plan_order, run_order

    if blocked:
        _show_blocked(party, as_json=as_json)
        return
    if asked["erase"] and not (asked["photos"] or asked["owners"] or dry_run):
        _erase_all(party, as_json=as_json)
        return
    reason = " ".join((asked["reason"] or "").replace("\0", "").split())
    if not reason or len(reason) > MOST_REASON_CHARS:
        raise SettingsError(f"--reason: expected 1 to {MOST_REASON_CHARS} characters.")
    if not asked["photos"] and not asked["owners"]:
        raise SettingsError("Name the photographs to take down, or their owner with --owner.")
    owners = tuple(map(str.strip, asked["owners"]))
    order = TakedownOrder(
        photos=asked["photos"],
        owners=owners,
        reason=reason,
        erase=asked["erase"],
        listed_owners=find_listed(party, owners),
    )
    plan = plan_order(party, order) if dry_run else run_order(party, order)
    listed, fault = (0, "") if dry_run else _forget_owners(party, owners)
    if as_json:
        counts = {"dry_run": dry_run, "photographs_taken_out_of_tables": listed}
        click.echo(json.dumps({**counts, **asdict(plan)}, indent=2))
    else:
        _show(plan, dry_run)
        if listed:
            photographs = format_count(listed, "photograph")
            click.echo(f"Took {photographs} of theirs out of the samples of tables.")
        if plan.images_shared:
            click.echo(party.settings.serve.how_to_open, err=True)
    _tell_listed_still(fault)
    if plan.erase_fault:
        click.echo(
            "Error: The photographs are withdrawn, but not all of their files could be deleted; "
            f"run `vocparty takedown --erase` once they can. {plan.erase_fault}",
            err=True,
        )
    _tell_absent(plan.images_absent)
    if fault or plan.erase_fault or plan.images_absent:
        click.get_current_context().exit(1)


def _erase_all(party: PartyData, *, as_json: bool) -> None:
    """Delete the files of all that is taken down, and tell what was deleted, also before an error.

    Exits with 1 where a file was not there.
    """
    from datetime import UTC, datetime

    from .erase import Erasure, erase_files

    erasure = Erasure()
    try:
        erase_files(party, None, at=datetime.now(UTC), erasure=erasure)
    finally:
        if erasure.images_erased or not sys.exc_info()[1]:
            images = format_count(len(erasure.images_erased), "image")
            summary = f"Deleted the files of {images} taken down. {NAMED_STILL}"
            click.echo(json.dumps(asdict(erasure), indent=2) if as_json else summary)
            _tell_absent(erasure.images_absent)
    if erasure.images_absent:
        click.get_current_context().exit(1)


def _show_blocked(party: PartyData, *, as_json: bool) -> None:
    from sqlalchemy import select

    from catalog.tables import BlockedOwner

    with party.catalogue.reading() as session:
        blocks = [
            {
                "owner": blocked.owner_id,
                "since": f"{blocked.blocked_at:%Y-%m-%d}",
                "reason": blocked.reason,
            }
            for blocked in session.scalars(select(BlockedOwner).order_by(BlockedOwner.owner_id))
        ]
    if as_json:
        click.echo(json.dumps({"blocked": blocks}, indent=2))
        return
    for block in blocks:
        click.echo("{owner}  since {since}  {reason}".format(**block))
    if not blocks:
        click.echo("No owner is excluded.")


def _show(plan: TakedownPlan, dry_run: bool) -> None:
    for photo in plan.photos[:MOST_LINES]:
        where = photo.page_url or photo.title or ""
        click.echo(f"{photo.source.value}:{photo.source_id} {where}".rstrip())
    if len(plan.photos) > MOST_LINES:
        click.echo(f"... and {len(plan.photos) - MOST_LINES} more; --json lists all.")
    if plan.images_shared:
        ids = ", ".join(map(str, plan.images_shared))
        click.echo(f"These images stay, because another photo has the same file: {ids}.")
    if plan.releases:
        names = ", ".join(plan.releases)
        click.echo(f"Released in {names}. Export again, and replace published copies.")
    would = "Would leave" if dry_run else "Leaves"
    for owner in plan.owners_blocked:
        click.echo(f"{would} out what {owner} has or uploads later.")
    photos = format_count(len(plan.photos), "photo")
    images = format_count(len(plan.images_taken_down), "image")
    if dry_run:
        click.echo(f"Would withdraw {photos} and take down {images}.")
        return
    click.echo(f"Withdrew {photos} and took down {images}.")
    if plan.images_erased:
        click.echo(f"Deleted the files of {format_count(len(plan.images_erased), 'image')}.")
        click.echo(NAMED_STILL)


def _forget_owners(party: PartyData, owners: Sequence[str]) -> tuple[int, str]:
    """How many photographs were taken out of samples of tables, or what kept it from being done."""
    from collect.source_table.errors import TableError
    from collect.source_table.keeping import forget_owners

    try:
        return forget_owners(party, owners), ""
    except TableError as error:
        return 0, str(error)


def _tell_listed_still(fault: str) -> None:
    """Say that samples still list the owners who are left out, and why; nothing for no fault."""
    if fault:
        click.echo(
            "Error: The owners are left out from now on, but samples of tables may still list "
            f"their photographs; run the same command again. {fault}",
            err=True,
        )


def _tell_absent(image_ids: Sequence[int]) -> None:
    """Say of which images a file to be erased was not there; nothing for none."""
    if not image_ids:
        return
    ids = ", ".join(map(str, image_ids[:MOST_IDS])) + (", ..." if len(image_ids) > MOST_IDS else "")
    click.echo(
        f"Error: Files of {format_count(len(image_ids), 'image')} ({ids}) were not in the image "
        "store; perhaps an erasure that was stopped had deleted them. The store holds nothing of "
        "these images now, and they are recorded as erased. Delete the files yourself where they "
        "may still be: on another disk, or in a backup.",
        err=True,
    )
