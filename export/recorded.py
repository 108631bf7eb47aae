"""Loads recorded releases as plans, to write them again as before, without withdrawn images."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.at_rest import rests_in
from catalog.states import ImageState
from catalog.tables import Annotation, Image, Release, ReleaseImage

from . import releases
from .drawings import load_drawings
from .errors import ReleaseNameError
from .forms import FORMS
from .groups import OWNER, share_owner
from .judged import apply_judged
from .loading import load_images
from .notes import BoundGroup, Notes
from .order import ReleaseOrder
from .plan import PlannedImage, ReleasePlan


def get_plan(session: Session, name: str, purpose: str = "") -> ReleasePlan:
    """A recorded release in full, also of a held-back test set; raises ReleaseNameError."""
    return replace(plan_recorded(session, get_release(session, name, purpose)), is_blind=False)


def get_release(session: Session, name: str, purpose: str = "") -> Release:
    """The row of a release; raises ReleaseNameError where there is none."""
    if release := find_release(session, name):
        return release
    raise ReleaseNameError(
        f"There is no release {name}{purpose}; `vocparty release list` names those there are."
    )


def find_release(session: Session, name: str) -> Release | None:
    """The row of a release, None where there is none."""
    return session.scalar(select(Release).where(Release.name == name))


def plan_recorded(session: Session, frozen: Release, year: int | None = None) -> ReleasePlan:
    """The release as it was recorded; raises ReleaseNameError where its year is another one."""
    if year not in (None, frozen.year):
        raise ReleaseNameError(
            f"The release {frozen.name} is of {frozen.year}; write it again with "
            f"--year {frozen.year}, or make another one with --name."
        )
    recipe, encoded, notes = releases.parse_settings(frozen.settings)
    gone = set(session.scalars(select(Image.id).where(Image.state == ImageState.TAKEN_DOWN)))
    wanted = {
        image.image_id: image.annotation_id for image in frozen.images if image.image_id not in gone
    }
    frozen_rows = load_images(session, wanted, recipe.classes_number, known_at=frozen.created_at)
    rows = {row.id: apply_judged(row, notes.judged) for row in frozen_rows}
    withdrawn = tuple(image.public_id for image in frozen.images if image.image_id not in rows)
    images = [
        PlannedImage(
            public_id=image.public_id,
            split=image.split,
            row=row,
            jpeg_sha256=encoded.get(row.sha256, row.sha256),
            form=None if image.form is None else FORMS.validate_python(image.form),
        )
        for image in frozen.images
        if (row := rows.get(image.image_id)) is not None
    ]
    released = select(ReleaseImage.image_id).join(
        Annotation, Annotation.id == ReleaseImage.annotation_id
    )
    released = released.where(Annotation.is_finished)  # an imported one may have the picture alone
    is_new = rests_in([ImageState.CHECKED]), Image.id.not_in(released)
    unreleased = select(func.count()).where(*is_new)
    return ReleasePlan(
        name=frozen.name,
        year=frozen.year,
        recipe=recipe,
        images=tuple(images),
        withdrawn=withdrawn,
        is_recorded=True,
        newer_images=session.scalar(unreleased) or 0,
        notes=_keep_bound(notes.without(withdrawn), images) if withdrawn else notes,
        is_blind=notes.blind_salt is not None,
        drawings=load_drawings(session, images),
    )


def _keep_bound(notes: Notes, images: Iterable[PlannedImage]) -> Notes:
    """The notes without groups, and words for them, that only a withdrawn image made.

    An owner binds only images that the release has; other bonds may lead over images that it lacks.
    """
    row_of = {image.public_id: image.row for image in images}

    def keep(groups: Iterable[BoundGroup]) -> tuple[BoundGroup, ...]:
        """Those of the groups that something binds still."""
        kept = list[BoundGroup]()
        for group in groups:
            relations = set(group.relations)
            if not share_owner(row_of[public_id] for public_id in group.images):
                relations.discard(OWNER)
            kept.append(replace(group, relations=tuple(sorted(relations))))
        return tuple(group for group in kept if group.relations)

    return replace(notes, groups=keep(notes.groups), parted=keep(notes.parted))


def refuse_other_order(frozen: Release, order: ReleaseOrder) -> None:
    """A recorded release is never made otherwise."""
    recipe, _, notes = releases.parse_settings(frozen.settings)
    is_blind = notes.blind_salt is not None or any(
        (image.form or {}).get("is_blind") for image in frozen.images
    )
    others = "with other images than --class, --limit and --unbind choose"
    differences = {
        f"in the style {recipe.style}": order.style not in (None, recipe.style),
        others: order.part and order.part != notes.part,
        f"with {recipe.test2 or 'no source'} in test2": order.test2 not in (None, recipe.test2),
        "without extending that release": order.extends not in (None, notes.extends),
        "with its test set's annotation": order.is_blind and not is_blind,
    }
    if wrong := [words for words, is_so in differences.items() if is_so]:
        raise ReleaseNameError(
            f"The release {frozen.name} is recorded {' and '.join(wrong)}; "
            "make another one with --name."
        )
