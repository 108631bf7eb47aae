"""Hints of the automatic checks, and remarks of other people; neither blocks anything."""

from __future__ import annotations

from sqlalchemy import Select, exists, func, select, true
from sqlalchemy.orm import Session, selectinload

from catalog.refusals import InvalidError, NotFoundError, refuse
from catalog.sentences import say
from catalog.states import ImageState
from catalog.tables import Annotation, Image, Object, Person, Remark
from qa.checks import asks_for_actions, find_revision_findings, marks_actions
from qa.findings import Finding
from qa.load import make_checked_image

from .visit import Visit

NOT_FOR_DRAFTS = frozenset({"no_objects", "short_time"})
"""Checks that ask whether the work is done, which a draft does not say."""
MAX_HINTS = 50
MAX_OBJECTS = 250
MAX_SHOWN = 20


def find_hints(visit: Visit, image: Image, annotation: Annotation) -> list[Finding]:
    """What the checks say of the revision by itself, the gravest first, at most MAX_HINTS.

    Nothing where there are more objects than MAX_OBJECTS: the checks compare every pair, and a save
    must not wait for them.
    """
    if annotation.discard_reason is not None or len(annotation.objects) > MAX_OBJECTS:
        return []
    preset = visit.party.preset
    is_finished = annotation.is_finished
    secs = None
    if is_finished:  # over all revisions that led to this one; of a blind answer, the person's own
        is_of_kind = Annotation.is_stale.is_(annotation.is_stale)
        is_author = (
            (Annotation.person_id == annotation.person_id) if annotation.is_stale else true()
        )
        spent = select(func.sum(Annotation.active_secs)).where(is_of_kind, is_author)
        secs = visit.session.scalar(spent.where(Annotation.image_id == image.id)) or 0.0
    subject = make_checked_image(visit.session, image, annotation, active_secs=secs)
    is_marking = asks_for_actions(subject, preset) and marks_actions(visit.session)
    findings = find_revision_findings(
        subject, preset, visit.settings, visit.party.words, marks_actions=is_marking
    )
    silent = frozenset() if is_finished else NOT_FOR_DRAFTS
    return [finding for finding in findings if finding.check not in silent][:MAX_HINTS]


def write_remark(visit: Visit, annotation_id: int, text: str, object_key: str | None) -> Remark:
    """The remark to the author of a revision, who sees it on the next heartbeat of the page.

    Raises NotFoundError without such a revision, InvalidError for an empty text or unknown object.
    """
    annotation = get_finished(visit.session, annotation_id)
    if not text.strip():
        raise InvalidError(say("The comment is missing. Write a few words."), field="text")
    has_it = exists().where(Object.annotation_id == annotation_id, Object.object_key == object_key)
    if object_key is not None and not visit.session.scalar(select(has_it)):
        refuse("object_key", say("no object has it"))
    remark = Remark(
        image_id=annotation.image_id,
        annotation_id=annotation.id,
        object_key=object_key,
        person_id=visit.person.id,
        to_person_id=annotation.person_id,
        text=text.strip(),
        written_at=visit.at,
    )
    visit.session.add(remark)
    visit.session.flush()
    return remark


RemarkRow = tuple[Remark, Image, Person]
"""A remark, its image, and who wrote it."""


def list_unseen(session: Session, person_id: int) -> list[RemarkRow]:
    """Remarks to the person that they have not acknowledged, the oldest first."""
    unseen = select_remarks(person_id).where(Remark.seen_at.is_(None))
    return list(session.execute(unseen.order_by(Remark.id).limit(MAX_SHOWN)).tuples())


def select_remarks(person_id: int) -> Select[RemarkRow]:
    """The remarks to the person that count, each with its image and who wrote."""
    return (
        select(Remark, Image, Person)
        .join(Image, Image.id == Remark.image_id)
        .join(Person, Person.id == Remark.person_id)
        .where(Remark.to_person_id == person_id, Remark.set_aside_at.is_(None))
        .where(Image.state != ImageState.TAKEN_DOWN)
    )


def acknowledge(visit: Visit, remark_id: int) -> None:
    """Note that the person saw the remark; raises NotFoundError where it is not theirs."""
    remark = visit.session.get(Remark, remark_id)
    if remark is None or remark.to_person_id != visit.person.id:
        raise NotFoundError(say("You have no comment {remark_id}.", remark_id=remark_id))
    remark.seen_at = remark.seen_at or visit.at


def get_finished(session: Session, annotation_id: int) -> Annotation:
    """The finished revision with its author; raises NotFoundError where there is none."""
    annotation = session.get(Annotation, annotation_id, options=[selectinload(Annotation.person)])
    if annotation is None or not annotation.is_finished:
        raise NotFoundError(
            say("Finished revision {annotation_id} does not exist.", annotation_id=annotation_id)
        )
    return annotation
