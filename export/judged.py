"""What organisers judged of released objects since a release froze them: difficult, or not.

What a release froze is never changed. So a release that is made later records these judgements in
its notes, and shows its objects with them; a release that is written again has those that it had.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import describe_looks
from catalog.tables import Difficulty, ReleaseImage

from .forms import FileForm
from .loading import iterate_rows
from .plan import LeftOut, PlannedImage, ReleasePlan, voids_difficult
from .rows import ImageRow

Judged = Mapping[int, Mapping[str, bool]]
"""Whether objects are difficult, by the ids of their images and their keys."""


def load_judged(session: Session, rows: Iterable[ImageRow]) -> dict[int, dict[str, bool]]:
    """The last judgements of objects that a release froze, as far as they look as they did then.

    Judgements of other objects are in their rows.
    """
    of_revision = {row.annotation_id: row for row in rows}
    column = ReleaseImage.annotation_id
    frozen = {
        of_revision[revision].id: of_revision[revision].objects
        for (revision,) in iterate_rows(session, select(column).distinct(), column, of_revision)
    }
    looks = {
        (image_id, item.key): describe_looks(item.class_id, item.box)
        for image_id, objects in frozen.items()
        for item in objects
        if not item.group_of  # which is difficult whatever was said before it was one
    }
    columns = (
        Difficulty.image_id,
        Difficulty.object_key,
        Difficulty.is_difficult,
        Difficulty.looks_sha256,
    )
    wanted = select(*columns).order_by(Difficulty.id)
    judged = dict[int, dict[str, bool]]()
    for image_id, key, is_difficult, looked in iterate_rows(
        session, wanted, Difficulty.image_id, frozen
    ):
        if looks.get((image_id, key)) == looked:
            judged.setdefault(image_id, {})[key] = is_difficult
    return judged


def apply_judged(row: ImageRow, judged: Judged) -> ImageRow:
    """The image with its released objects as they were judged."""
    if row.id not in judged:
        return row
    newest, *others = row.revisions
    words = judged[row.id]
    objects = tuple(
        replace(item, difficult=words.get(item.key, item.difficult)) for item in newest.objects
    )
    return replace(row, revisions=(newest._replace(objects=objects), *others))


def take_judgements(session: Session, plan: ReleasePlan) -> tuple[ReleasePlan, list[LeftOut]]:
    """A recorded release with what was judged since, and the images that it cannot take it for.

    An image with masks that show difficult objects as void keeps the objects that these show.
    """
    images = list[PlannedImage]()
    kept_back = list[LeftOut]()
    notes = dict(plan.notes.judged)
    shown = [image for image in plan.images if not image.is_blind]
    judged = load_judged(session, [image.row for image in shown])
    for image in plan.images:
        new = {} if image.is_blind else _find_new(plan, image, judged.get(image.row.id, {}))
        row = apply_judged(image.row, {image.row.id: new})
        if row != image.row and voids_difficult(image):
            reason = "objects were judged for difficulty since, and its masks show them as before"
            kept_back.append(LeftOut(image.row.id, reason))
        elif new:
            notes[image.row.id] = {**notes.get(image.row.id, {}), **new}
            image = replace(image, row=row, form=image.form and judge_form(image.form, row))
        images.append(image)
    judged_plan = replace(plan, images=tuple(images), notes=replace(plan.notes, judged=notes))
    return judged_plan, kept_back


def _find_new(
    plan: ReleasePlan, image: PlannedImage, judged: Mapping[str, bool]
) -> dict[str, bool]:
    """The judgements that change the release, or that it did not have."""
    numbers = plan.facts.get("judgements", {}).get(image.public_id, {}).get("difficult", ())
    known = set(plan.notes.judged.get(image.row.id, ()))
    new = dict[str, bool]()
    for number, item in enumerate(image.row.objects, start=1):
        if item.key not in judged:
            continue
        is_known = number in numbers or item.key in known
        if not is_known or judged[item.key] != item.difficult:
            new[item.key] = judged[item.key]
    return new


def judge_form(form: FileForm, row: ImageRow) -> FileForm:
    """The form of an imported image with its objects as they were judged."""
    pairs = zip(form.record.objects, row.objects, strict=True)
    objects = tuple(
        replace(shown, difficult=item.difficult)
        if item.difficult != bool(shown.difficult)
        else shown
        for shown, item in pairs
    )
    return replace(form, record=replace(form.record, objects=objects))
