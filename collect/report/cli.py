"""`vocparty collected`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import with_party
from vockit.format.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party

    from .figures import Report

MOST_LINES = 5
_FOLDER = click.Path(path_type=Path)


@click.command()
@with_party
@click.option("--html", type=_FOLDER, metavar="OUT", help="Write a page with plots to this file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option(
    "--against", type=_FOLDER, metavar="DIR", help="Compare with another party's collection."
)
def report(party: Party, html: Path | None, as_json: bool, against: Path | None) -> None:
    """Say what was collected: queries, dates, owners, licences, sizes, losses.

    Whether photographs, annotated and released images are more recent than uniform dates would be,
    with an interval, and which years a query has too few of. The page needs nothing from elsewhere.

    \b
    Example:
      vocparty collected --html collected.html --against ../without-dates
    """
    from datetime import UTC, datetime

    from catalog.party import open_party
    from collect.strata import find_span
    from vockit.errors import SettingsError
    from vockit.format.own_files import write_own_page

    from .dates import compare_recent
    from .load import load_report

    if html is not None:
        party.store.refuse_inside(html)
    now = datetime.now(UTC)
    span = find_span(party.settings.collect, now)
    comparison = None
    reports = [load_report(party, now, span)]
    if against is not None:
        with open_party(against) as other:
            reports.append(load_report(other, now, span))
        first, second = reports
        names = first.party, second.party
        comparison = compare_recent(names, first.recent[0], second.recent[0])
    if html is not None:
        from .page import format_page  # imports matplotlib

        try:
            write_own_page(html, format_page(reports, comparison).encode())
        except OSError as error:
            raise SettingsError(f"{html} cannot be written: {error.strerror}.") from error
    if as_json:
        document = {"parties": [asdict(figures) for figures in reports], "comparison": comparison}
        click.echo(json.dumps(document, indent=2))
        return
    for figures in reports:
        show_report(figures)
    if comparison is not None:
        click.echo(comparison)
    if html is not None:
        click.echo(f"Wrote {html}.")


def show_report(figures: Report) -> None:
    """Print the figures in lines."""
    from catalog.stats import FIRST_STEP
    from collect.errors import format_reason
    from vockit.report.intervals import describe_recent

    from .dates import describe_shortage
    from .figures import describe_kind, format_verdicts

    if figures.kept:
        for line in format_verdicts(figures.verdicts):
            click.echo(line)
        owners = f"{figures.top_owners_have} {figures.top_owners_share:.1%} of them"
        kept = format_count(figures.kept, "photograph")
        owners_text = owners if figures.owners else "no owner is known"
        click.echo(f"{figures.party}: {kept} kept; {owners_text}.")
        for of_kind in figures.kinds:
            click.echo(f"  queries, {describe_kind(of_kind)}")
        for recent in figures.recent:
            click.echo(f"  {describe_recent(recent)}")
        for shortage in figures.shortages[:MOST_LINES]:
            click.echo(f"  {describe_shortage(shortage)}")
        if (more := len(figures.shortages) - MOST_LINES) > 0:
            short = format_count(more, "more stretch of years is", "more stretches of years are")
            click.echo(f"  {short} short; --html and --json list all.")
    else:
        click.echo(f"{figures.party}: no photographs yet. {FIRST_STEP}")
    for table in figures.tables:
        click.echo(f"  {table.text}")
    for reason, count in figures.lost.items():
        click.echo(f"  {format_reason(reason)}: {count}")
    for reason, count in figures.left_out.items():
        click.echo(f"  left out of searches: {reason}: {count}")
