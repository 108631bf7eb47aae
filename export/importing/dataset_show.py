"""What an import of a dataset did, in sentences and as JSON."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, replace
from typing import Any

import click

from export.cli import MOST_LINES
from vockit.format.plural import format_count

from .dataset_image import DatasetReport


def make_document(report: DatasetReport) -> dict[str, Any]:
    """The report as plain values of JSON."""
    document = asdict(
        replace(report, objects=Counter(), converted=Counter(), counts=Counter(), sets=Counter())
    )
    document["objects"] = dict(report.objects)
    document["converted"] = dict(report.converted)
    document["sets"] = dict(report.sets)
    document["counts"] = [
        {"kind": kind, "rule": rule, "count": count}
        for (kind, rule), count in sorted(report.counts.items())
    ]
    document["skipped"] = [{"place": place, "reason": reason} for place, reason in report.skipped]
    return document


def show(report: DatasetReport) -> None:
    """Tell what was skipped, changed and imported."""
    click.echo(f"Read as {report.form}: {format_count(report.found, 'image')}.")
    _show_skipped(report)
    _show_notes(report)
    if left := [theirs for theirs, ours in report.words.items() if ours is None]:
        click.echo(f"Left out, because they are mapped to nothing: {', '.join(left)}.", err=True)
    if report.unused_words:
        listed = ", ".join(report.unused_words[:MOST_LINES])
        click.echo(f"The map names classes that no object of the dataset has: {listed}.", err=True)
    if report.sets:
        listed = ", ".join(f"{name} {count:,}" for name, count in report.sets.most_common())
        click.echo(
            f"Its sets are not kept ({listed}): a release of the party draws its own.", err=True
        )
    if report.is_accepted and report.lacking:
        listed = ", ".join(report.lacking[:MOST_LINES])
        more = ", ..." if len(report.lacking) > MOST_LINES else ""
        click.echo(
            "No list of the dataset says that its images were searched for "
            f"{format_count(len(report.lacking), 'class', 'classes')} of the party "
            f"({listed}{more}). Unless people check the images here, a release does not say "
            "whether they show these.",
            err=True,
        )
    if report.converted:
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(report.converted.items()))
        click.echo(f"Stored as JPEG: {listed}.")
    if report.unlicensed:
        have = format_count(report.unlicensed, "image has", "images have")
        click.echo(
            f"{have} no licence. Make sure that you may use them; --licence sets one, and "
            "--require-licence skips such images.",
            err=True,
        )
    click.echo(_summarise(report))


def _summarise(report: DatasetReport) -> str:
    """What came in, or would."""
    total = sum(report.objects.values())
    would = "Would import" if report.is_dry else "Imported"
    extras = {"outlines": report.outlines, "other attributes": report.attributed}
    with_extras = [f"{count:,} with {extra}" for extra, count in extras.items() if count]
    of_them = f" ({', '.join(with_extras)})" if with_extras else ""
    negatives = f" ({report.negatives:,} without objects)" if report.negatives else ""
    were = "was" if report.were_there == 1 else "were"
    there = f"; {report.were_there:,} {were} there already" if report.were_there else ""
    end = _describe_rest(report) if report.imported else ""
    if report.is_dry:
        end = " Nothing was written."
    return (
        f"{would} {format_count(report.imported, 'image')}{negatives} with "
        f"{format_count(total, 'object')}{of_them}{there}; skipped {len(report.skipped):,}.{end}"
    )


def _describe_rest(report: DatasetReport) -> str:
    """What becomes of the imported annotations, as party.toml says."""
    is_one = report.imported == 1
    if report.is_accepted:
        count = "It counts" if is_one else "They count"
        return f" {count} as checked, as qa.imported of party.toml says."
    return f" {'It waits' if is_one else 'They wait'} for a check."


def _show_skipped(report: DatasetReport) -> None:
    """Tell how many images were skipped for each reason, and the first of them.

    Reasons that differ in their numbers alone are of one sort.
    """
    sorts: dict[str, list[tuple[str, str]]] = {}
    for place, reason in report.skipped:
        sorts.setdefault(re.sub("[0-9]+", "0", reason), []).append((place, reason))
    ordered = sorted(sorts.values(), key=len, reverse=True)
    for skips in ordered[:MOST_LINES]:
        images = format_count(len(skips), "image")
        place, reason = skips[0]
        if len({reason for _place, reason in skips}) == 1:
            click.echo(f"Skipped {images}: {reason} ({place}).", err=True)
        else:
            click.echo(f"Skipped {images}; the first is {place}: {reason}.", err=True)
    if more := sum(map(len, ordered[MOST_LINES:])):
        click.echo(f"Skipped {more:,} more for other reasons; --json lists all.", err=True)


def _show_notes(report: DatasetReport) -> None:
    """Tell how many values were changed or left out by each rule, and the first of them."""
    firsts = {(note.kind.value, note.rule): note for note in reversed(report.notes)}
    for rule, count in report.counts.most_common():
        kind, name = rule
        first = firsts[rule]
        click.echo(
            f"{kind.capitalize()}, {name}: {count:,}; the first: {first.place}: {first.message}.",
            err=True,
        )
