"""An image that goes on to checking or comes from it: its checks, and who settles it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, Text, cast, func, select, tuple_
from sqlalchemy.orm import Session, aliased

from catalog.preset import Preset
from catalog.settings import Settings
from catalog.states import Role, Source, Verdict
from catalog.tables import Annotation, Image, Object, Person, Photo, Review

from .check_list import enabled_checks
from .checks import run_image_checks, run_set_checks, sort_findings
from .finding_rows import keep_findings
from .findings import CheckedImage, Finding, ImageCheck
from .load import LOADED_STATES, load_checked_images

SETTLED_TOGETHER = ("same_hour_labels", "actions_missing")
"""Checks of many images for which the images found with this one are all that matter."""
ADDED_TOGETHER = ("identical_box",)
"""Checks that look at the author's own images here, and at everybody's in `vocparty qa`."""


def check_submission(
    session: Session, image_id: int, preset: Preset, settings: Settings, *, at: datetime
) -> list[Finding]:
    """What the checks say of the image's newest revision; its findings in the queue follow.

    `settings` are those in force. Writes within the caller's transaction. Compared are the images
    of the same owner and hour, and those of its author that have a box in common with it. What is
    said of all images together, or of people, stays as the last `vocparty qa` left it.
    """
    images = load_checked_images(session, [image_id])
    findings = run_image_checks(images, preset, settings)
    for image in images:
        near = _find_of_hour(session, image) | _find_with_its_boxes(session, image) | {image_id}
        together = load_checked_images(session, sorted(near)) if len(near) > 1 else images
        is_marking = asks_for_actions(image, preset) and marks_actions(session)
        findings += [
            found
            for found in run_set_checks(together, preset, settings, marks_actions=is_marking)
            if found.image_id == image_id and found.check in (*SETTLED_TOGETHER, *ADDED_TOGETHER)
        ]
    ran = [
        check.name
        for check in enabled_checks(settings)
        if isinstance(check, ImageCheck) or check.name in SETTLED_TOGETHER
    ]
    keep_findings(session, findings, ran=ran, at=at, image_ids=[image_id])
    return sort_findings(findings)


def asks_for_actions(image: CheckedImage, preset: Preset) -> bool:
    """Whether an object of the image lacks an action that its class could have."""
    able = {spec.name for spec in preset.classes if spec.has_actions}
    return any(item.class_name in able and not item.actions for item in image.objects)


def marks_actions(session: Session) -> bool:
    """Whether an object in the newest revision of any finished image has an action."""
    marked = (
        select(Object.id)
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Image.state.in_(LOADED_STATES), cast(Object.actions, Text) != "[]")
        .order_by(Object.id.desc())
        .limit(1)
    )
    return session.scalar(marked) is not None


def may_check(session: Session, image_id: int, role: Role, most_returns: int) -> bool:
    """Whether a person of this role may give the next verdict on the image."""
    is_theirs = select(Image.id).where(Image.id == image_id, is_for_organiser(most_returns))
    return role is Role.ORGANISER or session.scalar(is_theirs) is None


def is_for_organiser(most_returns: int) -> ColumnElement[bool]:
    """A condition on Image: it was returned as often as allowed since an organiser's last word."""
    review, drawn, judge = aliased(Review), aliased(Annotation), aliased(Person)
    counts = Review.set_aside_at.is_(None)
    last_word = (
        select(func.coalesce(func.max(review.id), 0))
        .join(drawn, drawn.id == review.annotation_id)
        .join(judge, judge.id == review.person_id)
        .where(drawn.image_id == Annotation.image_id, judge.role == Role.ORGANISER)
        .correlate(Annotation)
        .scalar_subquery()
    )
    return Image.id.in_(
        select(Annotation.image_id)
        .join(Review, Review.annotation_id == Annotation.id)
        .where(Review.verdict == Verdict.RETURNED, Review.id > last_word, counts)
        .group_by(Annotation.image_id)
        .having(func.count() >= most_returns)
    )


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
        )
    )
    return {one for one in rows if one is not None}


def _find_with_its_boxes(session: Session, image: CheckedImage) -> set[int]:
    """The author's images in which an object has the very box of one here."""
    if not image.objects:
        return set()
    boxes = [item.box.xyxy for item in image.objects]
    author = select(Annotation.person_id).where(Annotation.id == image.annotation_id)
    rows = session.scalars(
        select(Image.id)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .join(Object, Object.annotation_id == Annotation.id)
        .where(
            Annotation.person_id == author.scalar_subquery(),
            Image.state.in_(LOADED_STATES),
            tuple_(Object.xmin, Object.ymin, Object.xmax, Object.ymax).in_(boxes),
        )
    )
    return set(rows)
