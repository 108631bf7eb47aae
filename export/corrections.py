"""Images that were released or imported before, and what people corrected in them since.

An image is corrected where its newest revision passed checking and is not the one that the release
froze. All others stay as they are frozen, whatever people do with them meanwhile. Of an imported
image every new release keeps sources, masks, sets, and what only its files say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.class_changes import load_names_since
from catalog.party import Party
from catalog.preset import Preset
from catalog.tables import Image, Release, ReleaseImage
from voc import tree

from .errors import NothingCheckedError
from .form import FORMS, FileForm, find_fault, make_record
from .load import RELEASABLE
from .plan import LeftOut, PlannedImage, ReleasePlan
from .recipe import IMPORTED, Recipe, parse_notes
from .releases.difference import compare_releases
from .rows import ImageRow, iterate_rows, load_images
from .tree_files import find_sets

MASKS = 2
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
    found = take_corrections(session, plan, party)
    if all(image.is_taken_over for image in found.images) and not found.notes.corrections:
        waiting = found.kept_back
        raise NothingCheckedError(
            f"No annotation of {plan.name} was corrected and checked since"
            f"{f'; {len(waiting)} wait: {waiting[0].reason}' if waiting else ''}. An "
            "organiser reopens a released image on its page; check it, then run this again."
        )
    notes = replace(found.notes, corrects=plan.name, facts=None, kept={}, forced=())
    return replace(found, name=name, notes=notes, is_recorded=False, newer_images=0, withdrawn=())


def follow_changed_classes(session: Session, plan: ReleasePlan, party: Party) -> ReleasePlan:
    """The recorded release with today's classes; as it is where none changed since."""
    if plan.recipe.classes_number == party.classes_number:
        return plan
    frozen = {it.row.id: it.row.annotation_id for it in plan.images if not it.is_blind}
    rows = {row.id: row for row in load_images(session, frozen)}
    names = load_names_since(session, plan.recipe.classes_number)
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
            form=image.form and rename_form(image.form, plan.recipe.classes, names, party.preset),
        )
        for image in plan.images
    )
    return replace(plan, recipe=recipe, images=images)


def take_corrections(session: Session, plan: ReleasePlan, party: Party) -> ReleasePlan:
    """The recorded release with its corrections and today's classes.

    Its `kept_back` are the images whose correction is not taken; its notes have what changed.
    """
    earlier, plan = plan, follow_changed_classes(session, plan, party)
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
        if row is not None and (fault := _find_fault(plan, image, row)):
            reason = f"its correction cannot be released: {fault}"
        elif row is None and not image.is_blind and now[image.row.id].state not in RELEASABLE:
            reason = PENDING
        kept_back += [LeftOut(image.row.id, reason)] if reason else []
        if row is None or reason is not None:
            images.append(replace(image, is_taken_over=True))
        else:
            images.append(_correct(plan, image, row))
    found = compare_releases(earlier, replace(earlier, images=tuple(images)))
    notes = replace(plan.notes, corrections=tuple(asdict(change) for change in found.changes))
    return replace(plan, images=tuple(images), kept_back=tuple(kept_back), notes=notes)


def freeze_form(plan: ReleasePlan, image: PlannedImage) -> PlannedImage:
    """The image with the form that gives it the same files in another release."""
    if image.form is not None:
        return image
    form = FileForm(plan.recipe.style, plan.record(image), find_sets(plan, image))
    return replace(image, form=form)


def load_imported(session: Session, party: Party | None = None) -> dict[int, tuple[int, FileForm]]:
    """For each image of an imported tree the revision and form that it came with, of the last one.

    With a party, classes have their names of today. Those whose annotation the tree held back are
    left out.
    """
    releases = session.execute(select(Release.id, Release.settings)).tuples()
    recipes = {key: settings["recipe"] for key, settings in releases if IMPORTED in settings}
    columns = ReleaseImage.image_id, ReleaseImage.annotation_id, ReleaseImage.form
    found: dict[int, tuple[int, FileForm]] = {}
    for release_id, recipe in sorted(recipes.items()):
        number = recipe.get("classes_number", 0)
        is_older = party is not None and number != party.classes_number
        names = load_names_since(session, number) if is_older else {}
        rows = select(*columns).where(ReleaseImage.release_id == release_id)
        for image_id, revision, values in session.execute(rows).tuples():
            form = FORMS.validate_python(values)
            if party is not None and is_older:
                form = rename_form(form, recipe["classes"], names, party.preset)
            if not form.is_blind:
                found[image_id] = revision, form
    return found


def rename_form(
    form: FileForm, classes: Sequence[str], names_today: Mapping[str, str], preset: Preset
) -> FileForm:
    """The form with today's names instead of those of `classes`, once in label order.

    Masks show labels as numbers, so they go where one of these is another class's by now.
    """
    if form.is_blind:
        return form
    labels = {name: number for number, name in enumerate(preset.class_names)}
    before = {name: number for number, name in enumerate(classes)}
    names = [item.name for item in form.record.objects]
    today = [names_today.get(name, name) for name in names]
    renamed = zip(form.record.objects, today, strict=True)
    objects = tuple(replace(item, name=name) for item, name in renamed)
    record, masks, sets = replace(form.record, objects=objects), form.masks, dict(form.sets)
    if masks and [before.get(it) for it in names] != [labels.get(it) for it in today]:
        record, masks = replace(record, segmented=False), {}
        sets.pop(tree.SEGMENTATION, None)
    return replace(form, record=record, masks=masks, sets=sets)


def keep_forms(
    imported: Mapping[int, tuple[int, FileForm]],
    images: Iterable[ImageRow],
    recipe: Recipe,
    year: int,
) -> dict[int, FileForm]:
    """The forms of imported images in a new release of that year, by image.

    Where people changed an image since, its objects are theirs; its masks stay while they show the
    same objects.
    """
    return {it.id: _keep(*imported[it.id], it, recipe, year) for it in images if it.id in imported}


def _keep(revision: int, form: FileForm, row: ImageRow, recipe: Recipe, year: int) -> FileForm:
    record, masks, sets = replace(form.record, folder=f"VOC{year}"), form.masks, dict(form.sets)
    if row.annotation_id != revision:
        record = replace(record, objects=make_record(row, recipe, year, "").objects)
        before = next((it.objects for it in row.revisions if it.id == revision), ())
        if not _are_same(before, row.objects):
            record, masks = replace(record, segmented=False), {}
            sets = {folder: it for folder, it in sets.items() if folder not in _OF_OBJECTS}
    if len(masks) < MASKS:
        sets.pop(tree.SEGMENTATION, None)
    return replace(form, record=record, masks=masks, sets=sets or {tree.MAIN: ()}, splits={})


def _find_fault(plan: ReleasePlan, image: PlannedImage, row: ImageRow) -> str | None:
    has_masks = image.form is not None and image.form.masks
    if has_masks and not _are_same(image.row.objects, row.objects):
        return "its segmentation masks show the objects as they were"
    return find_fault(row, plan.recipe)


def _correct(plan: ReleasePlan, image: PlannedImage, row: ImageRow) -> PlannedImage:
    """The image with its new revision; of an imported one, what else its files say stays."""
    corrected = replace(image, row=row, form=None)
    if image.form is None:
        return corrected
    sets = image.form.sets
    if not _are_same(image.row.objects, row.objects):
        own = find_sets(plan, corrected)
        sets = {it: own.get(it, ()) for it in sets if it in own or it not in _OF_OBJECTS}
    record = replace(image.form.record, objects=plan.record(corrected).objects)
    return replace(corrected, form=replace(image.form, record=record, sets=sets))


def _are_same(first: Iterable[AnnotatedObject], second: Iterable[AnnotatedObject]) -> bool:
    """Whether both are the same objects in the same order, wherever their boxes are."""
    return [(it.key, it.class_name) for it in first] == [(it.key, it.class_name) for it in second]
