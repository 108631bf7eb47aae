"""`vocparty collect`."""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from catalog.command import with_data, with_party
from catalog.licences import LICENCES
from vockit.command_line import get_loudness, show_log
from vockit.errors import SettingsError

if TYPE_CHECKING:
    from catalog.party import Party, PartyData


_COUNT = click.IntRange(min=1)
_LICENCES = "\n".join(
    ["\b", "Licences:", *(f"  {licence.id:>2}  {licence.name}" for licence in LICENCES.values())]
)


@click.command(epilog=_LICENCES)
@with_data  # a recheck does not wait for the preset
@click.option("--target", type=_COUNT, help="Stop when the party has this many images.")
@click.option(
    "--class",
    "classes",
    multiple=True,
    metavar="NAME",
    help="Collect only this class; several classes share the target.",
)
@click.option("--workers", type=_COUNT, help="Number of parallel downloads.")
@click.option("--seed", type=int, help="Random seed; the same seed repeats the same draws.")
@click.option("--plan", is_flag=True, help="Show what the run will take. Fetches nothing.")
@click.option(
    "--recheck",
    is_flag=True,
    help="Check all kept photos at the source again; withdraw those deleted, private or "
    "relicensed. Fetches nothing.",
)
@click.option("--retry-broken", is_flag=True, help="Try broken photographs once more.")
@click.option("--json", "as_json", is_flag=True, help="With --plan: one JSON document.")
def collect(data: PartyData, /, plan: bool, recheck: bool, as_json: bool, **chosen: Any) -> None:
    """Fetch photographs from Flickr, Wikimedia Commons or a table until the party has enough.

    Each photograph comes from a random class, a random query of it, a random window of dates and a
    random page. The same command goes on where it stopped. Options not given are those of
    party.toml.

    \b
    Example:
      vocparty collect --target 5000 --class cat --class sofa
      vocparty collect --target 500000 --plan
    """
    from catalog.party import load_classes, read_preset
    from vockit.report.progress import progress

    from .forecast import describe
    from .job import Order, count_to_fetch, load_forecast, run_collect
    from .tally import Tally, format_left_out, format_summary

    show_log(logging.WARNING)
    if as_json and not plan:
        raise click.UsageError("--json needs --plan.")
    if plan and recheck:
        raise click.UsageError("Use either --plan or --recheck.")
    if recheck:
        sys.exit(_recheck(data))
    party = load_classes(read_preset(data))
    chosen["classes"] = party.name_today(chosen["classes"])
    order = Order(**chosen)
    tally = Tally()
    if plan:
        forecast = load_forecast(party, order)
        click.echo(json.dumps(asdict(forecast), indent=2) if as_json else describe(forecast))
        sys.exit(forecast.exit_status)
    try:
        with progress("Collecting", count_to_fetch(party, order), "images") as advance:
            run_collect(party, order, tally=tally, on_fetched=advance)
    finally:
        if not isinstance(sys.exc_info()[1], SettingsError):
            click.echo(format_summary(tally))
            if skipped := format_left_out(tally):
                click.echo(skipped)
    if get_loudness() >= 0:
        click.echo("Next: `vocparty dedup`.")
    if reason := tally.describe_main_reason():
        click.echo(reason)


def _recheck(party: PartyData) -> int:
    """The exit status of a recheck, which says what became of the photographs."""
    from vockit.report.progress import progress

    from .recheck import (
        RecheckDoubtError,
        compare_checked,
        count_due,
        describe_doubts,
        format_recheck,
        recheck_photos,
    )

    checked = Counter[str]()
    passed_over = dict[str, str]()
    try:
        with progress("Asking for", count_due(party, datetime.now(UTC)), "photos") as advance:
            recheck_photos(party, on_asked=advance, counts=checked, passed_over=passed_over)
    finally:
        compared = compare_checked(checked, passed_over)
        if checked or not sys.exc_info()[1]:
            click.echo(format_recheck(checked))
        if passed_over:
            click.echo(compared.sentence)
    if doubts := describe_doubts(party):
        raise RecheckDoubtError(doubts)
    return compared.exit_status if compared.total else 0


@click.group()
def key() -> None:
    """Try the key of Flickr, or that Wikimedia Commons answers without one."""


@key.command("test", short_help="Ask the source for one search and one picture")
@with_party
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def test_key(party: Party, as_json: bool) -> None:
    """Ask the party's source for one search and one picture, and say whether both come.

    \b
    Example:
      vocparty key test
    """
    import threading
    from contextlib import closing

    from .future_times import set_times_back
    from .job import open_source
    from .pauses import Pauses, real_clock
    from .probe import probe_source

    clock = real_clock(threading.Event())
    set_times_back(party, clock.now())
    pauses = Pauses(clock, most_in_a_row=2, catalogue=party.catalogue)
    with closing(open_source(party, clock, pauses)) as source:
        probe = probe_source(party, source)
    calls_left = source.budget.load_left() if source.budget else None
    if as_json:
        document = {"source": source.name, **asdict(probe), "calls_left": calls_left}
        click.echo(json.dumps(document, indent=2))
        return
    calls = "" if calls_left is None else f"; {calls_left} calls may be made at once"
    click.echo(
        f"{source.name} answers: {probe.matches} photographs match {probe.query!r}; a picture of "
        f"{probe.width} x {probe.height} pixels came from {probe.host}{calls}. "
        "Next: `vocparty collect --plan`."
    )
