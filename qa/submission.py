"""The checks at the moment when an image goes on to checking, or comes from it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from catalog.preset import Preset
from catalog.settings import Settings
from catalog.states import Source
from catalog.tables import Annotation, Image, Object, Photo

from .actions import asks_for_actions, marks_actions
from .check_list import enabled_checks
from .checks import run_image_checks, run_set_checks, sort_findings
from .finding_rows import keep_findings
from .findings import Finding, ImageCheck
from .load import LOADED_STATES, load_checked_images
from .subjects import CheckedImage
from .switches import apply_live_settings

SETTLED_BESIDE = ("same_hour_labels", "actions_missing")
"""Checks of many images for which those beside this one are all that matter."""
ADDED_BESIDE = ("identical_box",)
"""Checks that look at the author's own images here, and at everybody's in `vocparty qa`."""


def check_submission(
    session: Session, image_id: int, preset: Preset, settings: Settings, *, at: datetime
) -> list[Finding]:
    """What the checks say of the image's newest revision; its findings in the queue follow.

    Writes within the caller's transaction. Beside the image stand those of the same owner and hour,
    and those of its author that have a box in common with it. What is said of all images together,
    or of people, stays as the last `vocparty qa` left it.
    """
    settings = apply_live_settings(session, settings)
    images = load_checked_images(session, [image_id])
    findings = run_image_checks(images, preset, settings)
    for image in images:
        findings += _check_beside(session, image, preset, settings)
    ran = [
        check.name
        for check in enabled_checks(settings)
        if isinstance(check, ImageCheck) or check.name in SETTLED_BESIDE
    ]
    keep_findings(session, findings, ran=ran, at=at, image_ids=[image_id])
    return sort_findings(findings)


def _check_beside(
    session: Session, image: CheckedImage, preset: Preset, settings: Settings
) -> list[Finding]:
    """What is said of the image beside others; not what is said of the others."""
    beside = _find_of_hour(session, image) | _find_with_its_boxes(session, image)
    images = [image]
    if beside - {image.image_id}:
        images = load_checked_images(session, sorted(beside | {image.image_id}))
    is_marking = asks_for_actions(image, preset) and marks_actions(session)
    return [
        found
        for found in run_set_checks(images, preset, settings, marks_actions=is_marking)
        if found.image_id == image.image_id and found.check in (*SETTLED_BESIDE, *ADDED_BESIDE)
    ]


def _find_of_hour(session: Session, image: CheckedImage) -> set[int]:
    """The images that their owner took within the same hour."""
    if image.owner is None or image.taken_hour is None:
        return set()
    source, _, owner_id = image.owner.partition(":")
    rows = session.scalars(
        select(Photo.image_id).where(
            Photo.owner_id == owner_id,
            Photo.source == Source(source),
            Photo.taken_at_text.startswith(image.taken_hour, autoescape=True),
            Photo.image_id.is_not(None),
        )
    )
    return {one for one in rows if one is not None}


def _find_with_its_boxes(session: Session, image: CheckedImage) -> set[int]:
    """The author's images in which an object has the very box of one here."""
    if not image.objects:
        return set()
    author = select(Annotation.person_id).where(Annotation.id == image.annotation_id)
    rows = session.scalars(
        select(Image.id)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .join(Object, Object.annotation_id == Annotation.id)
        .where(
            Annotation.person_id == author.scalar_subquery(),
            Image.state.in_(LOADED_STATES),
            _has_box_of(image),
        )
    )
    return set(rows)


def _has_box_of(image: CheckedImage) -> ColumnElement[bool]:
    return or_(
        *(
            and_(
                Object.xmin == item.box.xmin,
                Object.ymin == item.box.ymin,
                Object.xmax == item.box.xmax,
                Object.ymax == item.box.ymax,
            )
            for item in image.objects
        )
    )
