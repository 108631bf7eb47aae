"""`vocparty import dataset`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from catalog.command import with_party, word_options
from vockit.command_line import FOLDER, json_option
from vockit.foreign.datasets.forms import FORM_NAMES

if TYPE_CHECKING:
    from catalog.party import Party

    from .dataset_image import DatasetOrder


@click.command("dataset")
@with_party
@click.argument("path", metavar="PATH", type=FOLDER)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORM_NAMES),
    help="The form of the labels; without it, the one that the files show.",
)
@word_options
@click.option(
    "--name",
    help="The name of the import; without it, PATH's, or VOC and the year.",
)
@click.option(
    "--licence", metavar="LICENCE", help="The licence (id or name) of photographs without one."
)
@click.option("--require-licence", is_flag=True, help="Skip photographs without a licence.")
@click.option(
    "--year",
    type=click.IntRange(1000, 9999),
    help="Of a VOC tree: the year of its rules; without it, that of its folder's name.",
)
@click.option(
    "--only-known",
    is_flag=True,
    help="Of a VOC tree: leave out classes, parts and actions that the preset does not know.",
)
@click.option(
    "--no-owners",
    is_flag=True,
    help="Of a VOC tree: the owners that its files name did not take the photographs.",
)
@click.option("--dry-run", "is_dry", is_flag=True, help="Check and count; write nothing.")
@json_option
def import_dataset(
    party: Party,
    /,
    path: Path,
    pairs: tuple[str, ...],
    map_file: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Import labels of other tools with their pictures; people check them afterwards.

    PATH is a folder, or a file of labels. The form is found by the files. Whatever is changed,
    left out or not kept is counted and named. The same command goes on where it stopped.

    A VOC tree with its ImageSets comes in whole: identifiers, sets and masks are kept, and its
    annotations count as checked.

    \b
    Example:
      vocparty import dataset coco-2017 --map automobile=car --dry-run
      vocparty import dataset VOCdevkit/VOC2012
    """
    from .dataset_image import DatasetOrder
    from .dataset_words import read_words

    order = DatasetOrder(path=path, words=read_words(pairs, map_file), **options)
    if order.is_of_tree():
        _import_tree(party, order, as_json=as_json)
    else:
        _import_labels(party, order, as_json=as_json)


def _import_tree(party: Party, order: DatasetOrder, *, as_json: bool) -> None:
    from vockit.report.progress import progress

    from .job import import_tree
    from .tree_show import show

    report = import_tree(party, order, watch=progress)
    if as_json:
        click.echo(json.dumps(asdict(report), indent=2))
    else:
        show(report)


def _import_labels(party: Party, order: DatasetOrder, *, as_json: bool) -> None:
    from export.errors import ExportError
    from vockit.report.progress import progress

    from .dataset_job import import_dataset as run
    from .dataset_show import make_document, show

    report = run(party, order, watch=progress)
    if as_json:
        click.echo(json.dumps(make_document(report), indent=2))
    else:
        show(report)
    if not report.imported and not report.were_there:
        raise ExportError(f"No image of {order.path} could be imported, as said above.")
