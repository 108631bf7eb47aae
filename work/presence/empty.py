"""Images of which people agree that they show no class at all are discarded, with a record."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.decisions import decide
from catalog.image_store import digest_of
from catalog.preset import UNWANTED_REASON
from catalog.session import in_parts
from catalog.states import DecisionKind, ImageState
from catalog.tables import Annotation, Image, Person, Presence
from catalog.transitions import move_head

from .eligible import is_asked
from .states import Outcome, counts


def discard_empty(session: Session, outcomes: Mapping[int, Outcome], *, at: datetime) -> list[int]:
    """The images that these outcomes let be discarded, whom the caller has locked.

    Each is discarded by the person whose answer that counts came last.
    """
    empty = sorted(image_id for image_id, outcome in outcomes.items() if outcome.is_empty)
    authors = _load_last_people(session, empty)
    waiting = [
        image
        for some in in_parts(empty)
        for image in session.scalars(
            select(Image).where(Image.id.in_(some), is_asked()).order_by(Image.id),
            execution_options={"populate_existing": True},
        )
    ]
    for image in waiting:
        _discard(session, image, session.get_one(Person, authors[image.id]), at)
    return [image.id for image in waiting]


def _load_last_people(session: Session, image_ids: Sequence[int]) -> dict[int, int]:
    people = dict[int, int]()
    answers = select(Presence.image_id, Presence.person_id).where(*counts()).order_by(Presence.id)
    for some in in_parts(image_ids):
        chosen = answers.where(Presence.image_id.in_(some))
        people |= dict(session.execute(chosen).tuples().all())
    return people


def _discard(session: Session, image: Image, person: Person, at: datetime) -> None:
    revision = Annotation(
        image_id=image.id,
        person_id=person.id,
        saved_at=at,
        save_key=digest_of(secrets.token_bytes(16)),
        is_finished=True,
        discard_reason=UNWANTED_REASON,
        taster=image.taster,
    )
    session.add(revision)
    session.flush()
    is_moved = move_head(
        session,
        image.id,
        ImageState.POOL,
        ImageState.DISCARDED,
        parent_id=None,
        head_id=revision.id,
        at=at,
        reason=UNWANTED_REASON,
    )
    assert is_moved, "the image is locked"
    decide(
        session,
        image.id,
        DecisionKind.DISCARDED,
        at=at,
        person=person,
        annotation_id=revision.id,
        reason=UNWANTED_REASON,
    )
    session.refresh(image)
