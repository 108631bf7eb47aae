"""Older drafts of an image: one of each minute is kept, the others are deleted."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.tables import Annotation, Image, Object, Part, SuggestionRejection
from work.visit import Visit

DRAFTS_KEPT_SECS = 600
"""Younger drafts are all kept."""


def thin_drafts(visit: Visit, image: Image) -> None:
    """Delete older drafts but the first of each minute; the next takes their parent and seconds."""
    is_ours = (Annotation.image_id == image.id, Annotation.person_id == visit.person.id)
    drafts = (Annotation.is_finished.is_(False), Annotation.is_stale.is_(False))
    is_old = Annotation.saved_at < visit.at - timedelta(seconds=DRAFTS_KEPT_SECS)
    old_drafts = select(Annotation.id, Annotation.saved_at).where(*is_ours, *drafts, is_old)
    minutes = set()
    for draft_id, saved_at in visit.session.execute(old_drafts.order_by(Annotation.id)).all():
        minute = saved_at.replace(second=0, microsecond=0)
        if minute not in minutes:
            minutes.add(minute)
            continue
        with suppress(IntegrityError), visit.session.begin_nested():  # another row names it
            _delete_draft(visit.session, draft_id)


def _delete_draft(session: Session, draft_id: int) -> None:
    """Delete a draft; the revision made from it takes over its parent, seconds and inputs."""
    columns = select(Annotation.parent_id, Annotation.active_secs, Annotation.inputs)
    draft = session.execute(columns.where(Annotation.id == draft_id)).one()
    follows = (Annotation.parent_id == draft_id, Annotation.is_stale.is_(False))
    taken_over = {
        "parent_id": draft.parent_id,
        "active_secs": Annotation.active_secs + draft.active_secs,
        "inputs": Annotation.inputs + draft.inputs,
    }
    objects = select(Object.id).where(Object.annotation_id == draft_id)
    for statement in (
        update(Annotation).where(*follows).values(taken_over),
        delete(SuggestionRejection).where(SuggestionRejection.annotation_id == draft_id),
        delete(Part).where(Part.object_id.in_(objects)),
        delete(Object).where(Object.annotation_id == draft_id),
        delete(Annotation).where(Annotation.id == draft_id),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})
