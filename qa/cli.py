"""`vocparty qa`, `vocparty agreement` and `vocparty tables`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party

_FOLDER = click.Path(path_type=Path, file_okay=False)
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
    from vockit.format.own_files import write_own_page

    from .jobs import check_party
    from .report import format_document, format_page, format_report

    if html is not None:
        party.store.refuse_inside(html)
    report = check_party(party, datetime.now(UTC))
    if html is not None:
        with _telling_of_disks(html):
            write_own_page(html, format_page(report, party).encode())
    if as_json:
        click.echo(json.dumps(format_document(report), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(format_report(report)))
        if report.findings:
            click.echo(party.settings.serve.how_to_open, err=True)
    if report.has_errors:
        click.get_current_context().exit(1)


def check_first(party_folder: Path | None) -> None:
    """Run every automatic check before another command, and tell in one line what is open."""
    _check_and_tell(party_folder=party_folder)


@with_party
def _check_and_tell(party: Party) -> None:
    from .jobs import check_party
    from .report import format_counts

    report = check_party(party, datetime.now(UTC))
    if report.findings:
        click.echo(f"Checks: {format_counts(report)} `vocparty qa` lists them.", err=True)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def agreement(party: Party, as_json: bool) -> None:
    """Say how well people agree, what they miss, and what checkers fixed.

    Compares images that two people annotated without seeing each other's work: pair by pair, class
    by class, field by field, with intervals of 95 %. A summary is kept for the datasheet of the
    next release.

    \b
    Example:
      vocparty agreement --party zoo --json
    """
    from .agreement_document import format_document
    from .agreement_report import format_agreement
    from .jobs import measure_party

    report = measure_party(party, datetime.now(UTC))
    if as_json:
        click.echo(json.dumps(format_document(report), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(format_agreement(report)))


@click.command()
@click.option("--release", metavar="NAME", help="Of a release, by its sets (default: all work).")
@click.option("--all-objects", is_flag=True, help="Count difficult objects in tables 1 and 2 too.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv", "latex", "json"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option("--json", "form", flag_value="json", help="As --format json.")
@click.option("--out", type=_FOLDER, metavar="DIR", help="Write everything and pictures there.")
@with_party
def statistics(
    party: Party, release: str | None, all_objects: bool, form: str, out: Path | None
) -> None:
    """Print the statistics that the papers print: images and objects by class and set.

    Tables 1 to 4 of the development kit (2 counts images with masks), the histogram by class,
    chance performance of localisation, sizes and aspects of boxes, and which classes come together.

    \b
    Example:
      vocparty tables --release VOC2026 --out statistics
    """
    from vockit.format.own_files import write_own_files

    from . import statistics_files as forms
    from .statistics import count_party

    if out is not None:
        party.store.refuse_inside(out)
    counted = count_party(party, release=release, all_objects=all_objects)
    if out is not None:
        files = forms.make_files(counted)
        with _telling_of_disks(out):
            write_own_files(out, files, kind="tables")
        click.echo(f"Wrote {len(files)} files to {out}.")
    elif form == "json":
        click.echo(json.dumps(forms.format_document(counted), indent=2, ensure_ascii=False))
    elif form == "text":
        click.echo(forms.format_all_text(counted), nl=False)
    else:
        format_all = forms.format_all_csv if form == "csv" else forms.format_all_latex
        click.echo("\n".join(format_all(counted).values()), nl=False)


@contextmanager
def _telling_of_disks(path: Path) -> Iterator[None]:
    from vockit.errors import UserError

    try:
        yield
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from error
