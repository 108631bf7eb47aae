"""`verify`: every rule of the format, asked of the trees of a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vockit.command_line import FOLDER, json_option, name_some, tree_argument
from vockit.format.plural import format_count
from vockit.report.comparison import NOTHING_COMPARED

if TYPE_CHECKING:
    from .check import TreeReport

MOST_NAMES = 20
"""Of images that are passed over for one reason, so many are named."""

opens_option = click.option(
    "--opens",
    "blind",
    type=FOLDER,
    metavar="BLIND",
    help="Check that TREE matches the sealed blind release in BLIND.",
)


@click.command()
@tree_argument
@opens_option
@json_option
@click.pass_context
def verify(ctx: click.Context, tree: Path, blind: Path | None, as_json: bool) -> None:
    """Read a VOC tree back and name every violation of the format.

    TREE is a release's folder such as VOC2012, the VOCdevkit folder above it, or the folder around
    both, as `vocparty export` writes it. Exits with 1 where there is any violation that is no
    warning, or where nothing could be checked.

    \b
    Example:
      vockit verify VOCdevkit/VOC2012
    """
    verify_folder(ctx, tree, blind, as_json=as_json)


def verify_folder(
    ctx: click.Context,
    folder: Path,
    blind: Path | None,
    *,
    as_json: bool,
    add_rules: Callable[[list[TreeReport]], list[TreeReport]] | None = None,
) -> None:
    """Show what the folder's trees hold and violate; exits with 1 where there is an error.

    `blind` is the blind release that the folder opens. `add_rules` adds to the reports on the trees
    what others know of them, such as a party. Raises TreeNotFoundError.
    """
    from .check import check_folder

    reports = check_folder(folder)
    if add_rules is not None:
        reports = add_rules(reports)
    praise_of = [(report, "every rule of the format holds") for report in reports]
    if blind is not None:
        praise_of.append(_check_opening(folder, blind))
        reports = [report for report, _ in praise_of]
    if as_json:
        click.echo(_format_json(reports))
    else:
        for report, praise in praise_of:
            _show_report(report, praise)
    ctx.exit(max(report.compared.exit_status for report in reports))


def _check_opening(folder: Path, blind: Path) -> tuple[TreeReport, str]:
    """The report on the opened release, and what is said where it has no violation."""
    from .opening import check_opening

    opening = check_opening(folder, blind)
    which = "the other" if opening.passed_over else "all"
    return opening, f"{which} sealed annotations match"


def _format_json(reports: Sequence[TreeReport]) -> str:
    """The reports as one JSON document."""
    trees = [
        {
            "tree": str(report.root),
            "images": report.images,
            "objects": report.objects,
            "violations": list(map(asdict, report.violations)),
            "passed_over": report.passed_over,
            "compared": report.compared.as_json(),
        }
        for report in reports
    ]
    return json.dumps({"trees": trees}, indent=2)


def _show_report(report: TreeReport, praise: str) -> None:
    """Name each violation and each image passed over, then count what there is."""
    for violation in report.violations:
        click.echo(str(violation).encode("utf-8", "replace").decode())
    for reason, names in report.passed_over.items():
        click.echo(f"Passed over {name_some(names, MOST_NAMES)}: {reason}.")
    content = f"{format_count(report.images, 'image')}, {format_count(report.objects, 'object')}"
    if not report.compared.compared:
        click.echo(f"{report.root}: {content}; {NOTHING_COMPARED}.", err=True)
    elif report.violations:
        errors = format_count(len(report.errors), "violation")
        warnings = format_count(len(report.violations) - len(report.errors), "warning")
        click.echo(f"{report.root}: {content}, {errors}, {warnings}.", err=True)
    else:
        click.echo(f"{report.root}: {content}, {praise}.")
