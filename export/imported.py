"""What images were imported with, which every new release keeps: sources, masks, sets, unknowns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.tables import Release, ReleaseImage
from voc import tree

from .form import FORMS, FileForm, make_record
from .recipe import IMPORTED, Recipe
from .rows import ImageRow

MASKS = 2


def load_imported(session: Session) -> dict[int, tuple[int, FileForm]]:
    """For each image of an imported tree the revision and form that it came with, of the last one.

    Without those whose annotation the tree held back.
    """
    releases = session.execute(select(Release.id, Release.settings)).tuples()
    ids = [release_id for release_id, settings in releases if IMPORTED in settings]
    columns = select(ReleaseImage.image_id, ReleaseImage.annotation_id, ReleaseImage.form)
    rows = session.execute(
        columns.where(ReleaseImage.release_id.in_(ids)).order_by(ReleaseImage.id)
    )
    forms = ((it.image_id, it.annotation_id, FORMS.validate_python(it.form)) for it in rows)
    return {image_id: (revision, form) for image_id, revision, form in forms if not form.is_blind}


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
