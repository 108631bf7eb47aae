"""How the automatic checks are run, on all images or one that was handed in, and who settles it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from heapq import nlargest
from operator import attrgetter

from sqlalchemy import ColumnElement, Text, bindparam, cast, func, select, tuple_
from sqlalchemy.orm import Session, aliased

from catalog.annotated import AnnotatedObject
from catalog.at_rest import rests_in
from catalog.image_store import digest_of
from catalog.preset import Preset
from catalog.settings import Settings
from catalog.states import Role, Source, Verdict
from catalog.tables import Annotation, Image, Object, Photo, Review
from catalog.tables import Finding as FindingRow
from catalog.words import NO_WORDS, WordsOfKinds

from .check_list import CHECKS, enabled_checks
from .finding_rows import keep_findings
from .findings import (
    Check,
    CheckedImage,
    Complaint,
    Finding,
    Frame,
    ImageCheck,
    PartyWork,
    PersonCheck,
    SetCheck,
)
from .load import LOADED_STATES, load_checked_images

ANSWERED_ALONE = ("actions_missing",)  # checks of many images that can speak of one by itself
SETTLED_TOGETHER = ("same_hour_labels", "actions_missing", "seen_by_another", "suggested_otherwise")
"""Checks of many images for which the images found with this one are all that matter."""
ADDED_TOGETHER = ("identical_box",)
"""Checks that look at the author's own images here, and at everybody's in `vocparty qa`."""
MOST_OF_ONE_CHECK = 50  # three hundred boxes on one another are 44,850 pairs, and tell no more


def run_image_checks(
    images: Iterable[CheckedImage],
    preset: Preset,
    settings: Settings,
    words: WordsOfKinds = NO_WORDS,
) -> list[Finding]:
    """What the checks of single images say; of one image a check says MOST_OF_ONE_CHECK at most.

    `words` know the last names of words that left the preset.
    """
    frame = Frame(preset, settings, words=words)
    checks = [check for check in enabled_checks(settings) if isinstance(check, ImageCheck)]
    return sort_findings(
        _make_finding(check, image, complaint)
        for image in images
        for check in checks
        for complaint in nlargest(MOST_OF_ONE_CHECK, check.find(image, frame), key=_badness)
    )


def run_set_checks(
    images: Sequence[CheckedImage],
    preset: Preset,
    settings: Settings,
    *,
    marks_actions: bool = False,
) -> list[Finding]:
    """What the checks of many images say of them together, the gravest first."""
    frame = Frame(preset, settings, marks_actions)
    return sort_findings(
        _make_finding(check, images[place], complaint)
        for check in enabled_checks(settings)
        if isinstance(check, SetCheck)
        for place, complaint in check.find(images, frame)
    )


def run_person_checks(work: PartyWork, preset: Preset, settings: Settings) -> list[Finding]:
    """What the checks of people say of everybody's work, the gravest first."""
    frame = Frame(preset, settings)
    return sort_findings(
        _make_person_finding(check, person_id, complaint)
        for check in enabled_checks(settings)
        if isinstance(check, PersonCheck)
        for person_id, complaint in check.find(work, frame)
    )


def find_revision_findings(
    image: CheckedImage,
    preset: Preset,
    settings: Settings,
    words: WordsOfKinds = NO_WORDS,
    *,
    marks_actions: bool = False,
) -> list[Finding]:
    """All that the checks say of one revision by itself, the gravest first."""
    alone = run_set_checks((image,), preset, settings, marks_actions=marks_actions)
    answered = [finding for finding in alone if finding.check in ANSWERED_ALONE]
    return sort_findings(run_image_checks((image,), preset, settings, words) + answered)


@dataclass(frozen=True)
class Submission:
    """What the checks say of an image's newest revision.

    `annotation_id` is None without finished work. `ran` names the checks that looked. `is_changed`
    where the queue may have to follow.
    """

    image_id: int
    annotation_id: int | None
    findings: tuple[Finding, ...]
    ran: tuple[str, ...]
    is_changed: bool


def find_in_submission(
    session: Session,
    image_id: int,
    preset: Preset,
    settings: Settings,
    words: WordsOfKinds = NO_WORDS,
) -> Submission:
    """What the checks say of the image's newest revision; a read-only operation.

    `settings` are those in force. Compared are the images of the same owner and hour, and those of
    its author that have a box in common with it. What is said of all images together, or of people,
    stays as the last `vocparty qa` left it.
    """
    images = load_checked_images(session, [image_id])
    findings = run_image_checks(images, preset, settings, words)
    for image in images:
        near = _find_of_hour(session, image) | _find_with_its_boxes(session, image) | {image_id}
        together = load_checked_images(session, sorted(near)) if len(near) > 1 else images
        is_marking = asks_for_actions(image, preset) and marks_actions(session)
        findings += [
            finding
            for finding in run_set_checks(together, preset, settings, marks_actions=is_marking)
            if finding.image_id == image_id
            and finding.check in (*SETTLED_TOGETHER, *ADDED_TOGETHER)
        ]
    ran = tuple(
        check.name
        for check in enabled_checks(settings)
        if isinstance(check, ImageCheck) or check.name in SETTLED_TOGETHER
    )
    has_rows = session.scalar(select(FindingRow.id).where(FindingRow.image_id == image_id).limit(1))
    return Submission(
        image_id=image_id,
        annotation_id=images[0].annotation_id if images else None,
        findings=tuple(sort_findings(findings)),
        ran=ran,
        is_changed=bool(findings) or has_rows is not None,
    )


def keep_submission(session: Session, submission: Submission, *, at: datetime) -> bool:
    """Whether the findings in the queue follow: not where another revision is the newest by now.

    Writes within the caller's transaction.
    """
    image_id = submission.image_id
    image = session.get_one(Image, image_id, populate_existing=True)
    is_finished = submission.annotation_id is not None
    if is_finished and image.annotation_id != submission.annotation_id:
        return False
    keep_findings(session, submission.findings, ran=submission.ran, at=at, image_ids=[image_id])
    return True


def asks_for_actions(image: CheckedImage, preset: Preset) -> bool:
    """Whether an object of the image lacks an action that its class could have."""
    able = {spec.name for spec in preset.classes if spec.has_actions}
    return any(item.class_name in able and not item.actions for item in image.objects)


def marks_actions(session: Session) -> bool:
    """Whether an object in the newest revision of any finished image has an action."""
    marked = (
        select(Object.id)
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(rests_in(LOADED_STATES), cast(Object.actions, Text) != "[]")
        .order_by(Object.id.desc())
        .limit(1)
    )
    return session.scalar(marked) is not None


def may_check(session: Session, image_id: int, role: Role, most_returns: int) -> bool:
    """Whether a person of this role may give the next verdict on the image."""
    is_theirs = select(Image.id).where(Image.id == image_id, is_for_organiser(most_returns))
    return role is Role.ORGANISER or session.scalar(is_theirs) is None


@cache
def is_for_organiser(most_returns: int) -> ColumnElement[bool]:
    """A condition on Image: it was returned as often as allowed since an organiser's last word."""
    review = aliased(Review)
    drawn = aliased(Annotation)
    counts = Review.set_aside_at.is_(None)
    last_word = (
        select(func.coalesce(func.max(review.id), 0))
        .join(drawn, drawn.id == review.annotation_id)
        .where(drawn.image_id == Annotation.image_id, review.role == Role.ORGANISER)
        .where(review.set_aside_at.is_(None))
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


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """The gravest first, then by check, badness, image and object."""

    def place(finding: Finding) -> tuple[object, ...]:
        of_check = finding.severity.rank, _RANKS[finding.check], -finding.badness
        return *of_check, finding.image_id or 0, finding.object_number or 0, finding.message

    return sorted(findings, key=place)


_badness = attrgetter("badness")
_RANKS = {check.name: rank for rank, check in enumerate(CHECKS)}


def _make_finding(check: Check, image: CheckedImage, complaint: Complaint) -> Finding:
    about = complaint.about
    key = None if about is None else about.key
    return Finding(
        image_id=image.image_id,
        check=check.name,
        severity=check.severity,
        object_number=about.number if about else None,
        object_key=key,
        message=complaint.message,
        annotation_id=image.annotation_id,
        key=_digest((check.name, "image", image.image_id, key, complaint.detail)),
        subject_sha256=describe_subject(image, about or complaint.lacking, complaint.other),
        badness=complaint.badness,
        other_key=complaint.other.key if complaint.other else None,
    )


def describe_subject(
    image: CheckedImage, about: AnnotatedObject | None, other: AnnotatedObject | None = None
) -> str:
    """The digest of what a check looked at: one object, a pair, or all of the image."""
    if about is not None and other is not None:
        return _digest([_identify(replace(item, number=0)) for item in (other, about)])
    if about is not None:
        return _digest(_identify(replace(about, number=0)))
    return _digest(tuple(_identify(item) for item in image.objects))


def _identify(item: AnnotatedObject) -> AnnotatedObject:
    """The object without today's name of its class, which a rename changes."""
    return replace(item, class_name="") if item.class_id else item


def _make_person_finding(check: Check, person_id: int, complaint: Complaint) -> Finding:
    return Finding(
        image_id=None,
        check=check.name,
        severity=check.severity,
        object_number=None,
        object_key=None,
        message=complaint.message,
        person_id=person_id,
        key=_digest((check.name, "person", person_id, complaint.detail)),
        subject_sha256=_digest(()),
        badness=complaint.badness,
    )


def _digest(value: object) -> str:
    """The SHA-256 of a plain value; the same in every process."""
    return digest_of(repr(value).encode())


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
    return {person_id for person_id in rows if person_id is not None}


def _find_with_its_boxes(session: Session, image: CheckedImage) -> set[int]:
    """The author's images in which an object has the very box of one here."""
    if not image.objects:
        return set()
    boxes = [item.box.xyxy for item in image.objects]
    values = {"annotation_id": image.annotation_id, "boxes": boxes}
    return set(session.scalars(_WITH_BOXES, values))


_OF_AUTHOR = select(Annotation.person_id).where(Annotation.id == bindparam("annotation_id"))
_WITH_BOXES = (
    select(Image.id)
    .join(Annotation, Annotation.id == Image.annotation_id)
    .join(Object, Object.annotation_id == Annotation.id)
    .where(
        Annotation.person_id == _OF_AUTHOR.scalar_subquery(),
        rests_in(LOADED_STATES),
        tuple_(Object.xmin, Object.ymin, Object.xmax, Object.ymax).in_(
            bindparam("boxes", expanding=True)
        ),
    )
)
