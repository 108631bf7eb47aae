"""What the organiser of a new release should know: what it holds, leaves out and gives away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.plural import format_count, is_or_are
from catalog.settings import ReleaseSettings
from catalog.states import ImageState
from catalog.tables import Image
from voc import tree

from .corrections import load_imported
from .groups import describe_bridges
from .load import RELEASABLE, find_open_errors, load_held_back, load_public_ids
from .manifest import iterate_lines
from .plan import ReleasePlan, has_masks
from .recipe import PERSON
from .tree_files import find_sets

MOST_NAMES = 10
_REASONS = {
    ImageState.ANNOTATED: "annotated, and not checked yet",
    ImageState.CHECKING: "being checked",
    ImageState.RETURNED: "returned to its annotator",
    ImageState.DISCARDED: "discarded",
    ImageState.TAKEN_DOWN: "taken down",
}


def iterate_report(party: Party, plan: ReleasePlan) -> Iterator[str]:
    """What a release would hold and leave out, by reason."""
    yield f"{plan.name} would hold {format_count(len(plan.images), 'image')}:"
    yield from iterate_lines(plan)
    for sentence in plan.notes.forced:
        yield f"It would need --force: {sentence}."
    reasons = {it.image_id: re.sub("[0-9]+", "N", it.reason) for it in plan.left_out}
    known = {image.row.id for image in plan.images}
    with party.catalogue.reading() as session:
        columns = select(Image.id, Image.state).where(Image.annotation_id.is_not(None))
        for key, state in session.execute(columns).tuples():
            if state in _REASONS:
                reasons.setdefault(key, _REASONS[state])
            elif state in RELEASABLE and key not in known:
                reasons.setdefault(key, "not chosen by --class and --limit")
    yield f"Left out: {format_count(len(reasons), 'annotated image')}."
    for reason, count in sorted(Counter(reasons.values()).items()):
        yield f"  {format_count(count, 'image')}: {reason}"


def iterate_warnings(party: Party, plan: ReleasePlan) -> Iterator[str]:
    """A sentence for each thing that the organiser of a new release should know; mostly none."""
    if plan.is_recorded:
        return
    yield from _warn_of_shares(plan, party.settings.export.most_off_points)
    yield from _warn_of_unlisted(plan)
    with party.catalogue.reading() as session:
        yield from _warn_of_blind(session, plan)
        yield from _warn_of_findings(session, plan)
        imported = load_imported(session)
    lost = sum(
        bool(imported[it.row.id][1].masks) and not has_masks(it)
        for it in plan.images
        if it.row.id in imported
    )
    for it in plan.unmasked:
        yield f"The drawing of image {it.image_id} gives no masks: {it.reason}. Draw it again."
    if lost:
        yield (
            f"The masks of {format_count(lost, 'image')} are left out, because people "
            "changed the objects since."
        )
    if plan.notes.renamed:
        yield (
            f"{format_count(len(plan.notes.renamed), 'image')} got new names, as the kit does not "
            "read those that they were imported with; release.json has both."
        )
    keys = [it.name for it in fields(ReleaseSettings)]
    if missing := [key.replace("_", " ") for key in keys if key not in plan.notes.about]:
        yield (
            f"The datasheet does not say: {', '.join(missing)}. Fill in [release] in party.toml "
            "before you make the release that you publish."
        )


def _warn_of_shares(plan: ReleasePlan, most_off_points: float) -> Iterator[str]:
    """Sets whose size misses the goal by more than the setting, and what binds images."""
    sizes, total = Counter(image.split for image in plan.images), len(plan.images)
    for split, wanted in plan.recipe.shares.items():
        share = sizes[split] / total
        is_off = abs(sizes[split] - wanted * total) >= 1  # less is a matter of rounding
        if is_off and 100 * abs(share - wanted) > most_off_points:
            yield (
                f"Warning: {split} has {sizes[split]:,} of {total:,} images ({share:.0%}), but "
                f"{wanted:.0%} are wanted (export.{split}_share)."
            )
    yield from describe_bridges(plan.bridges, {it.row.id: it.public_id for it in plan.images})


def _warn_of_unlisted(plan: ReleasePlan) -> Iterator[str]:
    """People with actions or parts whose image the kit could not read in Action or Layout."""
    lists = [(image.row.objects, find_sets(plan, image)) for image in plan.images]
    people = [(it, sets) for it, sets in lists if {item.class_name for item in it} == {PERSON}]
    without = sum(
        tree.ACTION not in sets and all(it.actions for it in items) for items, sets in people
    )
    if tree.ACTION in plan.recipe.tasks and without:
        yield (
            f"{format_count(without, 'image')} of people with actions {is_or_are(without)} not in "
            "Action: a person there has no point. Mark it on the annotation page."
        )
    unlisted = sum(
        tree.LAYOUT not in sets and any(it.class_name == PERSON and it.parts for it in items)
        for items, sets in lists
    )
    if tree.LAYOUT in plan.recipe.tasks and unlisted:
        word = "without" if plan.layout_has_points else "with"
        yield (
            f"{format_count(unlisted, 'image')} {word} points {is_or_are(unlisted)} not in Layout, "
            "because the kit reads points in all of its files or in none."
        )


def _warn_of_blind(session: Session, plan: ReleasePlan) -> Iterator[str]:
    """Images whose annotation two releases show and hold back; they keep their names."""
    secret = load_held_back(session)
    given = {image_id for _, image_id, _ in load_public_ids(session)} - secret.keys()
    held_back = [image.row.id for image in plan.images if plan.hides(image)]
    if known := sum(image_id in given for image_id in held_back):
        yield (
            f"{known} of {format_count(len(held_back), 'test image')} were already public in an "
            "earlier release, so their annotations are not secret."
        )
    shown = Counter(secret[it.row.id] for it in plan.annotated if it.row.id in secret)
    for name, count in sorted(shown.items()):
        yield (
            f"The annotation of {format_count(count, 'image')} that the blind release {name} holds "
            "back is shown by this one; do not give it away before that one is opened."
        )


def _warn_of_findings(session: Session, plan: ReleasePlan) -> Iterator[str]:
    """Findings on released images, which block no release: those are corrected in an edition."""
    released = {
        it.row.id: it.public_id for it in plan.images if it.row.state is ImageState.RELEASED
    }
    if errors := find_open_errors(session, released):
        names = sorted({released[it] for it in errors})
        shown = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
        yield (
            f"{format_count(len(errors), 'finding')} of severity error {is_or_are(len(errors))} "
            f"open on images that are released already ({shown}); reopen and check them, then make "
            "an edition with `vocparty export --corrects RELEASE`."
        )
