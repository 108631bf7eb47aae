"""`vocparty qa` and `vocparty agreement`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party

    from .report import Report

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option("--html", type=_FILE, metavar="OUT", help="Write a page with pictures to this file.")
@with_party
def qa(party: Party, as_json: bool, html: Path | None) -> None:
    """Run the automatic checks over everything that was annotated.

    Looks at the newest revision of each annotated or checked image and keeps what is found in a
    queue, where people judge it on the board. Exits with status 1 where a finding of severity error
    is open; warnings and hints are worth a look.

    \b
    Example:
      vocparty qa --party zoo --html findings.html
    """
    from datetime import UTC, datetime

    from .jobs import check_party
    from .report import format_document, format_report

    report = check_party(party, datetime.now(UTC))
    if html is not None:
        _write_page(party, report, html)
    if as_json:
        click.echo(json.dumps(format_document(report), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(format_report(report)))
    if report.has_errors:
        click.get_current_context().exit(1)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def agreement(party: Party, as_json: bool) -> None:
    """Say how well people agree, what they miss, and what checkers mended.

    Compares images that two people annotated without seeing each other's work: pair by pair, class
    by class, field by field, with intervals of 95 % by bootstrap over images. Changes nothing.

    \b
    Example:
      vocparty agreement --party zoo --json
    """
    from .agreement_report import format_agreement, format_document
    from .jobs import measure_party

    report = measure_party(party)
    if as_json:
        click.echo(json.dumps(format_document(report), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(format_agreement(report)))


def _write_page(party: Party, report: Report, path: Path) -> None:
    from catalog.errors import VocpartyError
    from catalog.image_store import write_whole

    from .files import make_fetch
    from .report_page import format_page

    page = format_page(report, party.settings.name, make_fetch(party))
    try:
        write_whole(path, page.encode())
    except OSError as error:
        raise VocpartyError(f"{path} cannot be written: {error.strerror}.") from error
