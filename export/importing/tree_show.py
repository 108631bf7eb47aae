"""What an import of a VOC tree did, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from export.cli import MOST_LINES, iterate_metadata
from vockit.command_line import name_some
from vockit.format.image_sets import BALANCED, Split
from vockit.format.plural import format_count

from .tree_image import ImportReport


def show(report: ImportReport) -> None:
    """Tell what was left out, changed and imported."""
    click.echo(f"Read as {report.form}; its sets are kept, its annotations count as checked.")
    _show_skipped(report)
    _show_corrections(report)
    unused = ", ".join(report.unused_words[:MOST_LINES])
    sentences = {
        f"Imported, but not in the release {report.name}, because no set lists them or it was "
        f"recorded before: {_name_some(report.unreleased)}.": report.unreleased,
        f"{format_count(report.blind, 'image')} of test came without annotation: the tree holds it "
        "back. Import the tree again with another --name when it is released.": report.blind,
        f"{format_count(report.unlicensed, 'image has', 'images have')} no licence, because VOC "
        "trees record none. Make sure that you may use them; --licence sets "
        "one.": report.unlicensed,
        f"The map names classes that no object of the tree has: {unused}.": report.unused_words,
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
    click.echo(_summarise(report))


def _summarise(report: ImportReport) -> str:
    """What came in, or would."""
    counts = {split.value: count for split, count in report.splits.items()}
    names = [split for split in Split if split in BALANCED or split in counts]
    sets = ", ".join(f"{counts.get(name, 0)} {name}" for name in names)
    there = f", {report.were_there} were there already" if report.were_there else ""
    has = "would have" if report.is_dry else "has"
    release = (
        f"The release {report.name} {has} {sets}." if counts else "There is no release of them."
    )
    with_masks = f" and segmentation masks of {format_count(report.masks, 'image')}"
    return (
        f"{'Would import' if report.is_dry else 'Imported'} "
        f"{format_count(report.imported, 'image')}{there}; skipped {len(report.skipped)}. "
        f"They have {format_count(report.objects, 'object')}"
        f"{with_masks if report.masks else ''}. {release}"
        f"{' Nothing was written.' if report.is_dry else ''}"
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
