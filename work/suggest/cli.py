"""`vocparty suggest`: boxes that a model suggests, which people accept, correct or reject."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import ROW_ID, with_party, word_options
from vockit.command_line import FOLDER, json_option
from work.detectors.cli import carry, run, train
from work.detectors.outlines_cli import outlines

if TYPE_CHECKING:
    from catalog.party import Party


@click.group()
def suggest() -> None:
    """Show people boxes that a model suggests, and measure what that saves."""


for command in (run, outlines, train, carry):
    suggest.add_command(command)


@suggest.command(short_help="Load a detector's results as a set of suggestions")
@click.argument("path", metavar="PATH", type=FOLDER)
@click.option("--model", required=True, metavar="NAME", help="Who suggests, as it is released.")
@click.option("--version", required=True, metavar="VERSION", help="Of the model.")
@click.option("--licence", metavar="LICENCE", help="Of the model.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Leave out what the model is less sure of.",
)
@word_options
@click.option("--classes", type=FOLDER, help="Of YOLO: the list of classes, or a data.yaml.")
@click.option(
    "--coco-ids",
    type=FOLDER,
    help="The instances file whose images the detector looked at, and whose ids COCO's results "
    "have, such as images.json of `suggest images`.",
)
@click.option(
    "--first-pixel",
    type=click.IntRange(0, 1),
    help="Of VOC: the number of the first pixel, where the files do not show it.",
)
@json_option
@with_party
def load(
    party: Party,
    path: Path,
    model: str,
    version: str,
    licence: str | None,
    min_confidence: float,
    pairs: tuple[str, ...],
    map_file: Path | None,
    classes: Path | None,
    coco_ids: Path | None,
    first_pixel: int | None,
    as_json: bool,
) -> None:
    """Load a detector's results as a set of suggestions, whole or not at all.

    PATH is COCO's results (with or without masks), VOC's comp3_det_SET_CLASS.txt or a folder of
    them, a folder of YOLO's text files, or one of VOC's XML files. Photographs are matched by the
    names that `vocparty suggest images` gave them, or that an import or a release had for them.
    What is left out is counted and named.

    \b
    Example:
      vocparty suggest load results.json --model yolox-s --version 0.1.1 --min-confidence 0.3
    """
    from export.importing.dataset_words import read_words, refuse_unknown_targets
    from vockit.evaluate.coco_results import NO_IDS, read_coco_ids
    from vockit.report.progress import progress

    from .job import LoadOrder, load_files
    from .show import show_report

    words = read_words(pairs, map_file)
    refuse_unknown_targets(party, words)
    order = LoadOrder(
        path=path,
        model=model,
        version=version,
        licence=licence,
        min_confidence=min_confidence,
        words=words,
        class_list=classes,
        ids=read_coco_ids(coco_ids) if coco_ids else NO_IDS,
        first_pixel=first_pixel,
    )
    report = load_files(party, order, watch=progress)
    if as_json:
        click.echo(json.dumps(asdict(report), indent=2))
    else:
        show_report(report)


@suggest.command(short_help="Write the photographs that wait to OUT, for a detector")
@click.argument("out", metavar="OUT", type=FOLDER)
@with_party
def images(party: Party, out: Path) -> None:
    """Write the photographs that wait for annotation into the new folder OUT, for a detector.

    Their names are those by which `vocparty suggest load` finds them again. OUT/images.json lists
    them with their ids and the party's classes, as COCO's instances files do.

    \b
    Example:
      vocparty suggest images waiting
    """
    from vockit.command_line import name_some
    from vockit.format.plural import format_count
    from vockit.report.progress import progress

    from .waiting import load_waiting, write_waiting

    waiting = load_waiting(party)
    with progress("Writing", len(waiting), "photographs") as advance:
        done = write_waiting(party, waiting, out, advance)
    if done.lost:
        lost = name_some([str(number) for number in done.lost])
        click.echo(f"The image store lacks {lost}; `vocparty doctor` tells more.", err=True)
    click.echo(f"Wrote {format_count(done.written, 'photograph')} into {out}.")


@suggest.command(name="list")
@json_option
@with_party
def list_sets(party: Party, as_json: bool) -> None:
    """List the sets of suggestions, and what people did with them.

    \b
    Example:
      vocparty suggest list --json
    """
    from .listing import format_sets, load_sets

    with party.catalogue.reading() as session:
        sets = load_sets(session)
    if as_json:
        click.echo(json.dumps(sets, indent=2))
    else:
        click.echo("\n".join(format_sets(sets)) if sets else "No set of suggestions is loaded.")


@suggest.command(name="on")
@click.argument("set_id", metavar="SET", type=ROW_ID)
@with_party
def switch_on(party: Party, set_id: int) -> None:
    """Show the suggestions of a set again.

    \b
    Example:
      vocparty suggest on 3
    """
    _switch(party, set_id, is_on=True)


@suggest.command(name="off")
@click.argument("set_id", metavar="SET", type=ROW_ID)
@with_party
def switch_off(party: Party, set_id: int) -> None:
    """Hide the suggestions of a set; what people accepted of it stays.

    \b
    Example:
      vocparty suggest off 3
    """
    _switch(party, set_id, is_on=False)


def _switch(party: Party, set_id: int, *, is_on: bool) -> None:
    from datetime import UTC, datetime

    from .listing import switch

    with party.catalogue.writing() as session:
        is_new = switch(session, set_id, is_on=is_on, at=datetime.now(UTC))
    now = "now" if is_new else "already"
    click.echo(f"Set {set_id} is {now} switched {'on' if is_on else 'off'}.")


@suggest.command(short_help="Withdraw a set for good, with what nobody has checked")
@click.argument("set_id", metavar="SET", type=ROW_ID)
@json_option
@with_party
def withdraw(party: Party, set_id: int, as_json: bool) -> None:
    """Withdraw a set for good: what was accepted as it was and is not checked yet goes back.

    What people corrected stays, and so does what a checker accepted. An image that loses boxes goes
    back to its author, and a drawing that loses outlines to who drew it.

    \b
    Example:
      vocparty suggest withdraw 3
    """
    from datetime import UTC, datetime

    from .withdrawal import format_withdrawal, withdraw_set

    done = withdraw_set(party, set_id, at=datetime.now(UTC))
    if as_json:
        click.echo(json.dumps(asdict(done), indent=2))
        return
    if done.is_unfinished:
        click.echo(f"Removed set {set_id}, which was never loaded whole.")
        return
    click.echo(f"Withdrew set {set_id} ({done.model} {done.version}).")
    click.echo("\n".join(format_withdrawal(done)))
