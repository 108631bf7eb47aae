"""Training images come before everything else for new people, where the party asks for them."""

from __future__ import annotations

from sqlalchemy import select

from catalog.states import Role
from catalog.tables import Annotation
from qa.blind_rows import load_training_progress, take_training
from qa.switches import apply_live_settings

from .blind import BlindLease, renew_blind_task
from .visit import Visit


def is_in_training(visit: Visit) -> bool:
    """Whether the visitor has training images to pass before they begin.

    Annotators only, and nobody who has drawn in this party already.
    """
    person = visit.person
    if person.role is not Role.ANNOTATOR or person.trained_at is not None:
        return False
    qa = apply_live_settings(visit.session, visit.party.settings).qa
    if not qa.training_images or _has_drawn(visit):
        return False
    return not load_training_progress(visit.session, person.id, qa).is_done


def next_in_training(visit: Visit) -> BlindLease | None:
    """The training image that the visitor annotates next, or None where none is left to try."""
    secs = visit.party.settings.annotate.lease_secs
    task = take_training(visit.session, visit.person.id, at=visit.at, lease_secs=secs)
    return None if task is None else renew_blind_task(visit, task)


def note_trained(visit: Visit) -> None:
    """Write down that the visitor passed, once they have."""
    qa = apply_live_settings(visit.session, visit.party.settings).qa
    progress = load_training_progress(visit.session, visit.person.id, qa)
    if visit.person.trained_at is None and progress.is_done:
        visit.person.trained_at = visit.at
        visit.session.flush()


def _has_drawn(visit: Visit) -> bool:
    drawn = select(Annotation.id).where(
        Annotation.person_id == visit.person.id, Annotation.is_stale.is_(False)
    )
    return visit.session.scalar(drawn.limit(1)) is not None
