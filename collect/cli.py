"""`vocparty collect`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

from catalog.command import show_log, with_party
from catalog.errors import SettingsError

from .licences import LICENCES

if TYPE_CHECKING:
    from catalog.party import Party

    from .job import Order
    from .tally import Tally

_COUNT = click.IntRange(min=1)
_LICENCES = "\n".join(
    ["\b", "Licences:", *(f"  {one.id:>2}  {one.name}" for one in LICENCES.values())]
)


@click.command(epilog=_LICENCES)
@with_party
@click.option("--target", type=_COUNT, help="Stop when the party has so many images.")
@click.option(
    "--class", "classes", multiple=True, metavar="NAME", help="Draw from this class; repeatable."
)
@click.option("--workers", type=_COUNT, help="How many downloads at once.")
@click.option("--seed", type=int, help="Repeat the draws of an earlier run with this seed.")
def collect(
    party: Party,
    target: int | None,
    classes: tuple[str, ...],
    workers: int | None,
    seed: int | None,
) -> None:
    """Fetch photographs from Flickr until the party has enough images.

    Each photograph comes from a random class, a random query of it, a random window of dates and a
    random page. The same command goes on where it stopped. Options not given are those of
    party.toml.

    \b
    Example:
      vocparty collect --target 5000 --class cat --class sofa
    """
    from .job import Order
    from .tally import Tally, format_summary

    show_log(logging.WARNING)
    tally = Tally()
    try:
        _collect(party, Order(target, classes, workers, seed), tally)
    except SettingsError:
        raise
    except BaseException:
        click.echo(format_summary(tally.summary()))
        raise
    click.echo(format_summary(tally.summary()))


def _collect(party: Party, order: Order, tally: Tally) -> None:
    from catalog.progress import progress

    from .job import load_progress, load_target, run_collect

    before = load_progress(party)
    with progress("Collecting", load_target(party, order), "images") as advance:
        advance(before)
        run_collect(party, order, tally=tally, on_fetched=advance)
