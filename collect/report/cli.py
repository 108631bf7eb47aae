"""`vocparty report`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import with_party
from catalog.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party

    from .figures import Comparison, Report

_FOLDER = click.Path(path_type=Path)


@click.command()
@with_party
@click.option("--html", type=_FOLDER, metavar="OUT", help="Write a page with plots to this file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option(
    "--against", type=_FOLDER, metavar="DIR", help="Lay another party's collection next to it."
)
def report(party: Party, html: Path | None, as_json: bool, against: Path | None) -> None:
    """Say what was collected: queries, dates, owners, licences, sizes, losses.

    Photographs by year, month, weekday and hour are held against an even spread. The page needs
    nothing from elsewhere and holds no script.

    \b
    Example:
      vocparty report --html collected.html --against ../without-dates
    """
    from datetime import UTC, datetime

    from catalog.party import open_party

    from .load import load_report

    with ExitStack() as stack:
        parties = [party]
        if against is not None:
            parties.append(stack.enter_context(open_party(against)))
        reports = [load_report(one, datetime.now(UTC)) for one in parties]
    comparison = _compare(reports)
    if html is not None:
        _write_page(html, reports, comparison)
    if as_json:
        document = {
            "parties": [asdict(one) for one in reports],
            "comparison": asdict(comparison) if comparison else None,
        }
        click.echo(json.dumps(document, indent=2))
        return
    for one in reports:
        _show(one)
    if html is not None:
        click.echo(f"The page is in {html}.")


def _compare(reports: Sequence[Report]) -> Comparison | None:
    if len(reports) < 2:
        return None
    from .figures import Comparison
    from .spreads import adjust_holm, compare_spreads

    first, second = reports
    tests = [compare_spreads(it, second.spreads[name]) for name, it in first.spreads.items()]
    adjusted = zip(first.spreads, adjust_holm(tests), strict=True)
    return Comparison(first.party, second.party, dict(adjusted))


def _write_page(path: Path, reports: Sequence[Report], comparison: Comparison | None) -> None:
    from catalog.errors import SettingsError
    from catalog.image_store import write_whole

    from .page import format_page

    try:
        write_whole(path, format_page(reports, comparison).encode())
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}.") from error


def _show(figures: Report) -> None:
    from catalog.stats import FIRST_STEP
    from collect.errors import format_reason

    from .page import describe_test, name_top_owners

    if figures.kept:
        owners = f"{name_top_owners(figures)} {figures.top_owners_share:.1%} of them"
        kept = format_count(figures.kept, "photograph")
        told = owners if figures.owners else "no owner is known"
        click.echo(f"{figures.party}: {kept} kept; {told}")
        for name, spread in figures.spreads.items():
            click.echo(f"  {name}: {describe_test(spread.test)}")
    else:
        click.echo(f"{figures.party}: no photographs are kept yet. {FIRST_STEP}")
    for reason, count in figures.lost.items():
        click.echo(f"  {format_reason(reason)}: {count}")
