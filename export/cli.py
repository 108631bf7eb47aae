"""`vocparty export` and `vocparty verify`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from catalog.command import with_party
from vockit.command_line import (
    FOLDER,
    MOST_REASONS,
    json_option,
    name_some,
    show_some,
    tree_argument,
)
from vockit.format.plural import format_count, is_or_are
from vockit.verify.cli import opens_option, verify_folder

if TYPE_CHECKING:
    from catalog.party import Party

    from .order import ReleaseOrder
    from .plan import ReleasePlan

MOST_LINES = 20

_HELP = {
    "year": "The year in the names of the release and its images. Required, except with "
    "--corrects.",
    "name": "The release's name (default: VOC and the year).",
    "style": "The VOC year whose file layout the annotations follow.",
    "extend": "Take over the images of an earlier release.",
    "corrects": "Make an edition of a release: the same images, with the annotations corrected "
    "since.",
    "blind": "Withhold the annotation of the test sets, sealed.",
    "test2": "Hold the images of this source apart as a second test set, test2: commons, flickr, "
    "table:NAME, ...",
    "open": "Write a blind release with its annotation.",
    "class": "Only images with this class; repeatable.",
    "limit": "At most this many images.",
    "unbind": "Leave out one image of each pair of near-duplicates that binds owners into large "
    "groups.",
    "strip": "With --corrects or --extend: remove EXIF, XMP, IPTC and comments from the pictures "
    "taken over. Every pixel stays.",
    "dry": "Show what the release would contain. Writes nothing.",
    "party": "Also check that no owner and no near-duplicate of this party is in two sets.",
    "force": "Export even if errors are open or images are unchecked (recorded in release.json).",
}
_PARTY = click.Path(path_type=Path, file_okay=False)
_YEARS = click.IntRange(1000, 9999)
_STYLES = click.Choice(["2007", "2008", "2012"])


def _check_source(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    """The source of test2 as it is; raises BadParameter where there is none of that name."""
    from catalog.states import Source

    source, mark, table = (text or "").partition(":")
    is_known = source in list(Source) and (table if mark else True)
    if text is not None and not (is_known and (not mark or source == Source.TABLE)):
        raise click.BadParameter(
            f"{text!r} is no source; expected {', '.join(Source)}, or table:NAME as `vocparty "
            "source list` names a table."
        )
    return text


@click.command()
@with_party
@click.argument("out", metavar="OUT", type=FOLDER, required=False)
@click.option("--year", type=_YEARS, help=_HELP["year"])
@click.option("--name", help=_HELP["name"])
@click.option("--style", type=_STYLES, help=_HELP["style"])
@click.option("--extend", "extends", metavar="RELEASE", help=_HELP["extend"])
@click.option("--corrects", metavar="RELEASE", help=_HELP["corrects"])
@click.option("--test2", callback=_check_source, metavar="SOURCE", help=_HELP["test2"])
@click.option("--blind", "is_blind", is_flag=True, help=_HELP["blind"])
@click.option("--open", "is_open", is_flag=True, help=_HELP["open"])
@click.option("--class", "classes", metavar="NAME", multiple=True, help=_HELP["class"])
@click.option("--limit", type=click.IntRange(1), help=_HELP["limit"])
@click.option("--strip-metadata", "is_stripped", is_flag=True, help=_HELP["strip"])
@click.option("--unbind", "is_unbound", is_flag=True, help=_HELP["unbind"])
@click.option("--dry-run", "is_dry", is_flag=True, help=_HELP["dry"])
@click.option("--force", "is_forced", is_flag=True, help=_HELP["force"])
def export(party: Party, /, out: Path | None, is_open: bool, **chosen: Any) -> None:
    """Write a release of everything that passed checking to the new folder OUT.

    The VOC tree is OUT/VOCdevkit/VOC<year>; OUT/release.json says where each image came from and
    who annotated and checked it. A release that was made before is written again as it was.

    \b
    Example:
      vocparty export zoo-2026 --year 2026
    """
    from datetime import UTC, datetime

    from vockit.report.progress import progress

    from .party_check import iterate_report, iterate_warnings
    from .planning import plan_release
    from .release import write_release
    from .tree_files import tree_path

    year, name, style = (chosen.pop(option) for option in ("year", "name", "style"))
    order = _read_order(party, style, chosen, is_open=is_open)
    if out is None and not order.is_dry:
        raise click.UsageError("Missing argument 'OUT'.")
    plan = plan_release(party, year=year, name=name, order=order)
    if is_open:
        plan = _open_plan(plan)
    _report_plan(party, plan)
    for sentence in iterate_warnings(party, plan):
        click.echo(sentence, err=True)
    if order.is_dry or out is None:
        for line in iterate_report(party, plan):
            click.echo(line)
        return
    with progress("Writing", len(plan.images), "images") as advance:
        metadata = write_release(party, plan, out, at=datetime.now(UTC), advance=advance)
    _report_written(plan, metadata)
    click.echo(_summary(plan, out / tree_path(plan)))
    if plan.newer_images:
        newer = format_count(plan.newer_images, "image")
        click.echo(
            f"{newer} passed checking since and {is_or_are(plan.newer_images)} not in it; "
            "--name makes a release with what is checked now."
        )


def _read_order(
    party: Party, style: str | None, chosen: Mapping[str, Any], *, is_open: bool
) -> ReleaseOrder:
    """The order with today's names of classes; raises UsageError where options exclude others."""
    from dataclasses import replace

    from catalog.preset import AnnotationStyle

    from .order import ReleaseOrder

    order = ReleaseOrder(AnnotationStyle(f"voc{style}") if style else None, **chosen)
    if order.is_blind and is_open:
        raise click.UsageError("--blind and --open exclude each other.")
    if order.corrects and (order.extends or style or order.is_blind or is_open or order.chooses):
        raise click.UsageError("An edition keeps style, sets and images: give --corrects alone.")
    if order.is_stripped and not (order.corrects or order.extends):
        raise click.UsageError(
            "New images are released without metadata; give --strip-metadata with --corrects or "
            "--extend."
        )
    classes = party.name_today(order.classes)
    known = {*party.preset.class_names, *party.classes.retired.values()}
    if unknown := sorted(set(classes) - known):
        raise click.UsageError(
            f"Unknown class {unknown[0]!r}. The preset has {', '.join(party.preset.class_names)}."
        )
    return replace(order, classes=classes)


def _open_plan(plan: ReleasePlan) -> ReleasePlan:
    """The blind release with the annotation of its test set; UsageError where it is not blind."""
    from dataclasses import replace

    if plan.notes.blind_salt is None:
        raise click.UsageError(
            f"There is no blind release {plan.name} to open; `vocparty release list` names "
            "those there are."
        )
    return replace(plan, is_blind=False)


def _report_plan(party: Party, plan: ReleasePlan) -> None:
    """Say what is left out and why, what left the preset, what was corrected, and what stays."""
    from .recipe import list_retired

    show_some(
        [f"Skipped image {image.image_id}: {image.reason}." for image in plan.left_out],
        "Skipped {}.",
    )
    if retired := list_retired(plan.recipe):
        click.echo(f"Kept, although it left the preset: {name_some(retired)}.", err=True)
    earlier = plan.notes.corrects or plan.notes.extends
    if not plan.is_recorded:
        for line in (*_iterate_corrections(plan, earlier), *_iterate_facts(party, plan, earlier)):
            click.echo(line, err=True)
    kept = [
        f"Image {image.image_id} stays as in {earlier}: {image.reason}." for image in plan.kept_back
    ]
    show_some(kept, f"{{}} stay as in {earlier}.")
    if plan.left_out or plan.kept_back:
        click.echo(party.settings.serve.how_to_open, err=True)


def _iterate_corrections(plan: ReleasePlan, earlier: str | None) -> Iterator[str]:
    """How many annotations and pictures changed since the earlier release."""
    from .difference import PICTURE_FIELD

    corrections = plan.notes.corrections
    listed = "CHANGELOG.md lists them"
    if plan.is_blind:
        listed = "release.json lists those of images whose annotation it shows"
    corrected = [change for change in corrections if change["field"] != PICTURE_FIELD]
    if corrected:
        changes = format_count(len(corrected), "change")
        images = format_count(len({change["image_id"] for change in corrected}), "image")
        yield f"Corrected since {earlier}: {changes} in {images}; {listed}."
    if stripped := len(corrections) - len(corrected):
        yield f"Without metadata since {earlier}: {format_count(stripped, 'picture')}."


def _iterate_facts(party: Party, plan: ReleasePlan, earlier: str | None) -> Iterator[str]:
    """Which facts about the dataset are others than in the earlier release."""
    from .notes import list_changed_facts, parse_notes
    from .recorded import get_release

    if earlier is None:
        return
    with party.catalogue.reading() as session:
        before = parse_notes(get_release(session, earlier).settings).about
    if facts := list_changed_facts(before, plan.notes.about):
        yield f"Facts of [release] that changed since {earlier}: {', '.join(facts)}."


def _report_written(plan: ReleasePlan, metadata: Mapping[str, Sequence[str]]) -> None:
    """Say how the sets are balanced, and which pictures may name people or places."""
    from .split_report import iterate_lines

    for line in (*iterate_lines(plan), *iterate_metadata(metadata)):
        click.echo(line, err=True)
    if metadata:
        click.echo(
            f"An edition without them: `vocparty export OUT --corrects {plan.name} "
            "--strip-metadata`; every pixel stays.",
            err=True,
        )


@click.command()
@tree_argument
@click.option("--party", "party_folder", type=_PARTY, metavar="DIR", help=_HELP["party"])
@opens_option
@json_option
@click.pass_context
def verify(
    ctx: click.Context, tree: Path, party_folder: Path | None, blind: Path | None, as_json: bool
) -> None:
    """Read a VOC tree back and name every violation of the format.

    TREE is a release's folder such as VOC2012, the VOCdevkit folder above it, or what `vocparty
    export` wrote. Exits with 1 where there is any violation that is no warning.

    \b
    Example:
      vocparty verify zoo-2026
    """
    from functools import partial

    from .party_check import check_party

    add_rules = None if party_folder is None else partial(check_party, party_folder)
    verify_folder(ctx, tree, blind, as_json=as_json, add_rules=add_rules)


def iterate_metadata(kinds_of: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A line for each kind of metadata that may name people or places, with its pictures."""
    pictures: dict[str, list[str]] = {}
    for image_id, kinds in kinds_of.items():
        for kind in kinds:
            pictures.setdefault(kind, []).append(image_id)
    if pictures:
        yield f"{format_count(len(kinds_of), 'picture')} may name people or places:"
    for kind, image_ids in sorted(pictures.items()):
        yield f"  {kind}: {name_some(image_ids, MOST_REASONS)}"


def _summary(plan: ReleasePlan, tree: Path) -> str:
    sets = Counter(image.split.value for image in plan.images)
    counts = ", ".join(f"{sets[name]} {name}" for name in plan.splits)
    objects = sum(len(image.row.objects) for image in plan.annotated)
    again = " as it was recorded" if plan.is_recorded else ""
    withdrawn = f", {len(plan.withdrawn)} taken down since" if plan.withdrawn else ""
    lost = plan.notes.images_without_file
    without = f"; {format_count(lost, 'image')} left out, without a whole file" if lost else ""
    is_blind = plan.is_blind or any(image.is_blind for image in plan.images)
    tests = " and ".join(split for split in plan.splits if split.is_test)
    blind = f"; the annotation of {tests} is held back" if is_blind else ""
    return (
        f"Wrote the release {plan.name}{again}: {format_count(len(plan.images), 'image')} "
        f"({counts}), {format_count(objects, 'object')}{withdrawn}{without}{blind}. "
        f"It is in {tree}."
    )
