"""How far the questions about images are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.states import Said
from catalog.tables import Image, Person, Presence, PresenceState, PresentClass
from qa.verifiers import Verifier, measure_verifier

from .eligible import is_asked
from .states import counts


@dataclass(frozen=True)
class Status:
    """How many images are asked about, how many are settled, the answers that count, and people.

    An image that was annotated, discarded or taken down before its questions ended is none of them.
    `shown` has by the id of a class how many images show it. `gold` answers are about gold images.
    """

    images: int
    done: int
    answers: int
    gold: int
    people: int
    answers_of_done: int
    shown: Mapping[str, int]

    @property
    def answers_an_image(self) -> float | None:
        """How many answers an image took that is settled, None before the first."""
        return self.answers_of_done / self.done if self.done else None


def load_status(session: Session) -> Status:
    """The status of all questions of the party."""
    has_state = select(PresenceState.image_id)
    is_done = PresenceState.next_kind.is_(None)
    settled = select(func.count(), func.coalesce(func.sum(PresenceState.answers), 0))
    done, answers_of_done = session.execute(settled.where(is_done)).one()
    new = select(func.count(Image.id)).where(is_asked(), Image.id.not_in(has_state))
    begun = select(func.count()).select_from(PresenceState).join(Image).where(is_asked(), ~is_done)
    standing = select(func.count(Presence.id)).where(Presence.set_aside_at.is_(None))
    people = select(func.count(Presence.person_id.distinct())).where(
        Presence.set_aside_at.is_(None)
    )
    shown = select(PresentClass.class_id, func.count()).group_by(PresentClass.class_id)
    return Status(
        images=done + (session.scalar(begun) or 0) + (session.scalar(new) or 0),
        done=done,
        answers=session.scalar(select(func.count(Presence.id)).where(*counts())) or 0,
        gold=session.scalar(standing.where(Presence.known.is_not(None))) or 0,
        people=session.scalar(people) or 0,
        shown=dict(session.execute(shown).tuples().all()),
        answers_of_done=answers_of_done,
    )


def load_people(session: Session) -> list[tuple[Person, Verifier]]:
    """Everybody who answered, measured by gold images as on the page Verify."""
    rows = session.execute(
        select(
            Presence.person_id,
            Presence.known,
            Presence.is_yes,
            func.count(),
            func.coalesce(func.sum(Presence.took_ms), 0).label("took_ms"),
        )
        .where(Presence.set_aside_at.is_(None))
        .group_by(Presence.person_id, Presence.known, Presence.is_yes)
        .order_by(Presence.person_id)
    )
    words = {None: None, True: Said.RIGHT, False: Said.WRONG}
    counts = defaultdict[int, Counter[tuple[Said | None, Said]]](Counter)
    took_ms = Counter[int]()
    for person_id, known, is_yes, count, ms in rows.tuples():
        said = Said.RIGHT if is_yes else Said.WRONG
        counts[person_id][words[known], said] += count
        took_ms[person_id] += ms or 0
    return [
        (
            session.get_one(Person, person_id),
            measure_verifier(person_id, answers, took_ms[person_id]),
        )
        for person_id, answers in counts.items()
    ]
