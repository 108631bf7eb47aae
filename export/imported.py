"""What images were imported with, which every new release keeps: sources, masks, sets, unknowns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.tables import Release, ReleaseImage
from voc import tree

from .form import FORMS, FileForm, make_record
from .recipe import IMPORTED, Recipe
from .rows import ImageRow

MASKS = 2


def load_imported(session: Session, party: Party | None = None) -> dict[int, tuple[int, FileForm]]:
    """For each image of an imported tree the revision and form that it came with, of the last one.

    With a party, classes have their names of today. Those whose annotation the tree held back are
    left out.
    """
    releases = session.execute(select(Release.id, Release.settings)).tuples()
    recipes = {key: settings["recipe"] for key, settings in releases if IMPORTED in settings}
    columns = select(
        *(ReleaseImage.image_id, ReleaseImage.annotation_id, ReleaseImage.form),
        ReleaseImage.release_id,
    )
    rows = session.execute(
        columns.where(ReleaseImage.release_id.in_(recipes)).order_by(ReleaseImage.id)
    )
    found: dict[int, tuple[int, FileForm]] = {}
    for image_id, revision, values, release_id in rows.tuples():
        form, recipe = FORMS.validate_python(values), recipes[release_id]
        if party and recipe.get("classes_number", 0) != party.classes_number:
            form = rename_form(form, recipe["classes"], party)
        if not form.is_blind:
            found[image_id] = revision, form
    return found


def rename_form(form: FileForm, classes: Sequence[str], party: Party) -> FileForm:
    """The form with today's names instead of those of `classes`, once in label order.

    Masks show labels as numbers, so they go where one of these is another class's by now.
    """
    if form.is_blind:
        return form
    labels = {name: number for number, name in enumerate(party.preset.class_names)}
    before = {name: number for number, name in enumerate(classes)}
    names = [item.name for item in form.record.objects]
    today = [party.former_classes.get(name, name) for name in names]
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
        if [(it.key, it.class_name) for it in before] != [
            (it.key, it.class_name) for it in row.objects
        ]:
            record, masks = replace(record, segmented=False), {}
            sets.pop(tree.LAYOUT, None)
            sets.pop(tree.ACTION, None)
    if len(masks) < MASKS:
        sets.pop(tree.SEGMENTATION, None)
    return replace(form, record=record, masks=masks, sets=sets or {tree.MAIN: ()}, splits={})
