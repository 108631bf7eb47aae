"""Released images that were corrected since: an edition of their release, or a part of another.

An image is corrected where its newest revision passed checking and is not the one that the release
froze. All others stay as they are frozen, whatever people do with them meanwhile.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.tables import Image, Release
from voc import tree

from .errors import NothingCheckedError
from .form import find_fault
from .imported import rename_form
from .load import RELEASABLE
from .plan import LeftOut, PlannedImage, ReleasePlan
from .recipe import parse_notes
from .releases.difference import compare_releases
from .rows import ImageRow, iterate_rows, load_images
from .tree_files import find_sets

PENDING = "its correction has not passed checking yet"
_OF_OBJECTS = (tree.LAYOUT, tree.ACTION)
"""Folders whose lists name objects by their numbers."""


def find_edition(session: Session, name: str) -> tuple[str, str]:
    """The newest edition of a release, itself where there is none, and the next edition's name.

    `name` may be that of an edition: VOC2026 and VOC2026.1 both give VOC2026.1 and VOC2026.2.
    """
    rows = session.execute(select(Release.name, Release.settings).order_by(Release.id))
    corrects = {it.name: parse_notes(it.settings.get("notes", {})).corrects for it in rows}
    first = name
    while (earlier := corrects.get(first)) is not None:
        first = earlier
    editions = [first]
    for later, earlier in corrects.items():
        editions += [later] if earlier in editions else []
    numbers = (f"{first}.{number}" for number in range(len(editions), len(corrects) + 2))
    return editions[-1], next(it for it in numbers if it not in corrects)


def plan_edition(session: Session, plan: ReleasePlan, name: str, party: Party) -> ReleasePlan:
    """The recorded release `plan` once more, with all corrections that passed checking since.

    A class that was renamed or merged since is a change of its objects' labels. Raises
    NothingCheckedError where nothing changed.
    """
    today = follow_changed_classes(session, plan, party)
    images, kept_back = take_corrections(session, today)
    changes = list_changes(plan, images)
    if all(image.is_taken_over for image in images) and not changes:
        raise NothingCheckedError(
            f"No annotation of {plan.name} was corrected and checked since"
            f"{f'; {len(kept_back)} wait: {kept_back[0].reason}' if kept_back else ''}. An "
            "organiser reopens a released image on its page; check it, then run this again."
        )
    notes = replace(
        plan.notes, corrects=plan.name, corrections=changes, facts=None, kept={}, forced=()
    )
    told = replace(today, name=name, notes=notes, is_recorded=False, newer_images=0, withdrawn=())
    return replace(told, images=images, kept_back=kept_back)


def follow_changed_classes(session: Session, plan: ReleasePlan, party: Party) -> ReleasePlan:
    """The recorded release with today's classes; as it is where none changed since."""
    if plan.recipe.classes_number == party.classes_number:
        return plan
    frozen = {it.row.id: it.row.annotation_id for it in plan.images if not it.is_blind}
    rows = {row.id: row for row in load_images(session, frozen)}
    recipe = replace(
        plan.recipe,
        classes=party.preset.class_names,
        classes_number=party.classes_number,
        has_label_map=True,
        lists=(),
    )
    images = tuple(
        replace(
            image,
            row=rows.get(image.row.id, image.row),
            form=image.form and rename_form(image.form, plan.recipe.classes, party),
        )
        for image in plan.images
    )
    return replace(plan, recipe=recipe, images=images)


def take_corrections(
    session: Session, plan: ReleasePlan
) -> tuple[tuple[PlannedImage, ...], tuple[LeftOut, ...]]:
    """The images of a recorded release with their corrections, and those that wait for theirs."""
    frozen = {it.row.id: it.row.annotation_id for it in plan.images if not it.is_blind}
    columns = select(Image.id, Image.state, Image.annotation_id)
    now = {it.id: it for it in iterate_rows(session, columns, Image.id, frozen)}
    newer = {
        key: it.annotation_id
        for key, it in now.items()
        if it.state in RELEASABLE and it.annotation_id != frozen[key]
    }
    rows = {row.id: row for row in load_images(session, newer)}
    images, kept_back = [], []
    for image in plan.images:
        row, reason = rows.get(image.row.id), None
        if row is not None:
            fault = _find_fault(plan, image, row)
            reason = f"its correction cannot be released: {fault}" if fault else None
        elif not image.is_blind and now[image.row.id].state not in RELEASABLE:
            reason = PENDING
        kept_back += [LeftOut(image.row.id, reason)] if reason else []
        is_corrected = row is not None and reason is None
        images.append(
            _correct(plan, image, row)
            if row is not None and is_corrected
            else replace(image, is_taken_over=True)
        )
    return tuple(images), tuple(kept_back)


def list_changes(
    earlier: ReleasePlan, images: tuple[PlannedImage, ...]
) -> tuple[dict[str, Any], ...]:
    """What the corrections changed, object by object."""
    found = compare_releases(earlier, replace(earlier, images=images))
    return tuple(asdict(change) for change in found.changes)


def _find_fault(plan: ReleasePlan, image: PlannedImage, row: ImageRow) -> str | None:
    if image.form is not None and image.form.masks and not _has_same_objects(image.row, row):
        return "its segmentation masks show the objects as they were"
    return find_fault(row, plan.recipe)


def _correct(plan: ReleasePlan, image: PlannedImage, row: ImageRow) -> PlannedImage:
    """The image with its new revision; of an imported one, what else its files say stays."""
    corrected = replace(image, row=row, form=None)
    if image.form is None:
        return corrected
    sets = image.form.sets
    if not _has_same_objects(image.row, row):
        own = find_sets(plan, corrected)
        sets = {it: own.get(it, ()) for it in sets if it in own or it not in _OF_OBJECTS}
    record = replace(image.form.record, objects=plan.record(corrected).objects)
    return replace(corrected, form=replace(image.form, record=record, sets=sets))


def _has_same_objects(first: ImageRow, second: ImageRow) -> bool:
    objects = [[(it.key, it.class_name) for it in row.objects] for row in (first, second)]
    return objects[0] == objects[1]
