"""`vocparty import voc` and `vocparty import dataset`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from catalog.command import with_party
from export.cli import MOST_LINES, iterate_metadata
from vockit.command_line import FOLDER, json_option, name_some, tree_argument
from vockit.foreign.datasets.forms import FORM_NAMES
from vockit.format.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party

    from .tree_image import ImportReport


@click.command("voc")
@with_party
@tree_argument
@click.option("--name", help="The release's name in this party; without it, VOC and the year.")
@click.option(
    "--year",
    type=click.IntRange(1000, 9999),
    help="The year of the tree's rules; without it, that of its folder's name.",
)
@click.option(
    "--only-known",
    is_flag=True,
    help="Leave out classes, parts and actions that the preset does not know.",
)
@click.option(
    "--require-licence", is_flag=True, help="Import nothing without a licence; VOC trees name none."
)
@json_option
def import_voc(party: Party, /, tree: Path, as_json: bool, **options: Any) -> None:
    """Import an existing VOC tree: images with checked annotations, identifiers and sets.

    TREE is a release's folder such as VOC2012, or a folder that holds one, from any program. Each
    value that had to be corrected is listed. The same command goes on where it stopped.

    \b
    Example:
      vocparty import voc VOCdevkit/VOC2012
    """
    from vockit.report.progress import progress

    from .job import import_tree

    report = import_tree(party, tree, **options, watch=progress)
    if as_json:
        document = asdict(report)
        document["mends"] = document.pop("corrections")  # the name that scripts read
        click.echo(json.dumps(document, indent=2))
    else:
        _show(report)


@click.command("dataset")
@with_party
@click.argument("path", metavar="PATH", type=FOLDER)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORM_NAMES),
    help="The form of the labels; without it, the one that the files show.",
)
@click.option(
    "--map",
    "pairs",
    multiple=True,
    metavar="THEIRS=OURS",
    help="The party's class of one of the dataset's; nothing behind = leaves it out. Repeatable.",
)
@click.option("--map-file", type=FOLDER, help="A text file with one THEIRS=OURS on each line.")
@click.option("--name", help="The name of the import; without it, that of PATH.")
@click.option(
    "--licence", metavar="LICENCE", help="The licence (id or name) of photographs without one."
)
@click.option("--require-licence", is_flag=True, help="Skip photographs without a licence.")
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

    \b
    Example:
      vocparty import dataset coco-2017 --map automobile=car --dry-run
    """
    from vockit.report.progress import progress

    from .dataset_image import DatasetOrder
    from .dataset_job import import_dataset as run
    from .dataset_show import make_document, show
    from .dataset_words import read_words

    order = DatasetOrder(path=path, words=read_words(pairs, map_file), **options)
    report = run(party, order, watch=progress)
    if as_json:
        click.echo(json.dumps(make_document(report), indent=2))
    else:
        show(report)


def _show(report: ImportReport) -> None:
    """Tell what was left out, changed and imported."""
    _show_skipped(report)
    _show_corrections(report)
    has_or_have = "has" if report.imported == 1 else "have"
    sentences = {
        f"Imported, but not in the release {report.name}, because no set lists them or it was "
        f"recorded before: {_name_some(report.unreleased)}.": report.unreleased,
        f"{format_count(report.blind, 'image')} of test came without annotation: the tree holds it "
        "back. Import the tree again with another --name when it is released.": report.blind,
        f"{format_count(report.imported, 'image')} {has_or_have} no licence, because VOC trees "
        "record none. Make sure that you may use them.": report.imported,
    }
    for sentence, applies in sentences.items():
        if applies:
            click.echo(sentence, err=True)
    for line in iterate_metadata(report.metadata):
        click.echo(line, err=True)
    if report.metadata:
        click.echo(
            f"The release {report.name} keeps them. `vocparty export OUT --corrects {report.name} "
            "--strip-metadata` makes an edition without; every pixel stays.",
            err=True,
        )
    counts = {split.value: count for split, count in report.splits.items()}
    sets = ", ".join(f"{counts.get(name, 0)} {name}" for name in ("train", "val", "test"))
    there = f", {report.were_there} were there already" if report.were_there else ""
    release = f"The release {report.name} has {sets}." if counts else "There is no release of them."
    with_masks = f" and segmentation masks of {format_count(report.masks, 'image')}"
    click.echo(
        f"Imported {format_count(report.imported, 'image')}{there}; skipped "
        f"{len(report.skipped)}. They have {format_count(report.objects, 'object')}"
        f"{with_masks if report.masks else ''}. {release}"
    )


def _show_skipped(report: ImportReport) -> None:
    """Tell which images were left out, by reason."""
    groups: dict[str, list[str]] = {}
    for skip in report.skipped:
        groups.setdefault(skip.reason, []).append(skip.image_id)
    for reason, image_ids in list(groups.items())[:MOST_LINES]:
        click.echo(f"Skipped {_name_some(image_ids)}: {reason}.", err=True)
    if more := sum(map(len, list(groups.values())[MOST_LINES:])):
        click.echo(f"Skipped {more} more for other reasons; --json lists all.", err=True)


def _show_corrections(report: ImportReport) -> None:
    """Tell what was changed in the files of the images that came in, by rule."""
    skipped = {skip.image_id for skip in report.skipped}
    corrections = [
        correction for correction in report.corrections if Path(correction.file).stem not in skipped
    ]
    firsts = {correction.rule: correction for correction in reversed(corrections)}
    ruled_files = dict.fromkeys((correction.rule, correction.file) for correction in corrections)
    files = Counter(rule for rule, _ in ruled_files)
    for rule, count in files.most_common():
        where = f"{Path(firsts[rule].file).name}:{firsts[rule].line}"
        of_files = format_count(count, "file")
        click.echo(f"Changed in {of_files}: {rule}: {where}: {firsts[rule].message}", err=True)


def _name_some(image_ids: Sequence[str]) -> str:
    return ", ".join(image_ids) if len(image_ids) <= 3 else name_some(image_ids)
