"""What a load of suggestions did, in sentences."""

from __future__ import annotations

import click

from vockit.format.plural import format_count

from .loading import describe_first
from .values import LoadReport


def show_report(report: LoadReport) -> None:
    """Tell what was left out, changed and stored."""
    for warning in report.warnings:
        click.echo(warning, err=True)
    for reason, count in report.left_out.most_common():
        click.echo(f"Left out {count:,}: {reason}{describe_first(report, reason)}.", err=True)
    for change, count in report.changed.most_common():
        click.echo(f"Changed {count:,}: {change}.", err=True)
    if report.blanks:
        click.echo(f"Found nothing in {format_count(report.blanks, 'more photograph')}.")
    click.echo(
        f"Loaded set {report.set_id}: {format_count(report.suggestions, 'suggestion')} for "
        f"{format_count(report.images, 'photograph')}. People see them now; "
        f"`vocparty suggest off {report.set_id}` hides them."
    )
