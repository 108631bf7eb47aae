"""`vocparty qa`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def qa(party: Party, as_json: bool) -> None:
    """Run the automatic checks over everything that was annotated.

    Looks at the newest revision of each annotated or checked image and changes nothing. Exits with
    status 1 where a finding is an error; warnings and hints are worth a look.

    \b
    Example:
      vocparty qa --party zoo --json
    """
    from .jobs import check_party
    from .report import format_document, format_report

    report = check_party(party)
    if as_json:
        click.echo(json.dumps(format_document(report), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(format_report(report)))
    if report.has_errors:
        click.get_current_context().exit(1)
