"""The state of an image as a function of its rows, and the rows that decide it.

Each decision of a person is a row of the table `decision`. `fold_decisions` computes the state of
an image from its rows, and no other code does. Code that moves an image also writes a row with
`decide`. Code that sets rows aside computes the state from the remaining ones, as work/undo.py
does. `list_wrong_states` compares every image with its rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from .session import in_parts
from .states import HELD_STATES, DecisionKind, ImageState, LeaseTrack
from .tables import Annotation, Decision, Image, Lease, Person

OF_REVISIONS = (
    DecisionKind.DRAWN,
    DecisionKind.DISCARDED,
    DecisionKind.IMPORTED,
    DecisionKind.ACCEPTED,
    DecisionKind.FIXED,
    DecisionKind.RETURNED,
)
"""Decisions made by saving a revision or judging it; set aside together with that revision."""
_BEFORE_PEOPLE = (
    ImageState.FETCHED,
    ImageState.HASHED,
    ImageState.BROKEN,
    ImageState.DUPLICATE,
    ImageState.POOL,
)
"""States of images that have no decision yet, or none that counts."""
REOPENED: Mapping[ImageState, ImageState] = {
    ImageState.DISCARDED: ImageState.POOL,
    ImageState.CHECKED: ImageState.ANNOTATED,
    ImageState.RELEASED: ImageState.ANNOTATED,
}
"""The state of an image after an organiser reopened it, by its state before."""
_AFTER: Mapping[DecisionKind, Callable[[ImageState], ImageState]] = {
    DecisionKind.DRAWN: lambda _: ImageState.ANNOTATED,
    DecisionKind.DISCARDED: lambda _: ImageState.DISCARDED,
    DecisionKind.IMPORTED: lambda _: ImageState.CHECKED,
    DecisionKind.ACCEPTED: lambda state: (
        state if state in (ImageState.DISCARDED, ImageState.RELEASED) else ImageState.CHECKED
    ),
    DecisionKind.FIXED: lambda state: (  # another person checks the correction of a release
        ImageState.ANNOTATED if state is ImageState.RELEASED else ImageState.CHECKED
    ),
    DecisionKind.RETURNED: lambda _: ImageState.RETURNED,
    DecisionKind.RELEASED: lambda _: ImageState.RELEASED,
    DecisionKind.REOPENED: lambda state: REOPENED.get(state, state),
    DecisionKind.ASKED_AGAIN: lambda state: (  # what was returned stays with its author
        state if state is ImageState.RETURNED else ImageState.POOL
    ),
    DecisionKind.TAKEN_DOWN: lambda _: ImageState.TAKEN_DOWN,
}
"""For each kind of decision: the new state from the old one. Other kinds keep the state."""


@dataclass(frozen=True)
class Standing:
    """The state of an image that no person holds; `reason` is why it was discarded."""

    state: ImageState
    reason: str | None = None


def fold_decisions(decisions: Iterable[Decision], *, without: Collection[int] = ()) -> Standing:
    """The state of an image after its decisions, which are in the order of their ids.

    Decisions that were set aside do not count, nor do those whose ids are in `without`.
    """
    standing = Standing(ImageState.POOL)
    for decision in decisions:
        if decision.set_aside_at is not None or decision.id in without:
            continue
        state = follow(decision.kind, standing.state)
        if decision.kind is DecisionKind.DISCARDED:
            standing = Standing(state, decision.reason)
        elif state is not standing.state:
            standing = Standing(state)
    return standing


def follow(kind: DecisionKind, state: ImageState) -> ImageState:
    """The state after a decision of this kind about an image in the state."""
    after = _AFTER.get(kind)
    return state if after is None else after(state)


def list_without(
    decisions: Iterable[Decision], revisions: Collection[int], reviews: Collection[int]
) -> set[int]:
    """The ids of the decisions made by these revisions and reviews."""
    return {
        decision.id
        for decision in decisions
        if decision.review_id in reviews
        or (decision.kind in OF_REVISIONS and decision.annotation_id in revisions)
    }


def decide(
    session: Session,
    image_id: int,
    kind: DecisionKind,
    *,
    at: datetime,
    person: Person | None = None,
    **values: Any,
) -> Decision:
    """Write a decision about an image, with the present role of its person, and return it.

    `values` are more columns of Decision.
    """
    who = {"person_id": person.id, "role": person.role} if person else {}
    decision = Decision(image_id=image_id, kind=kind, decided_at=at, **who, **values)
    session.add(decision)
    session.flush()
    return decision


def decide_many(
    session: Session,
    images: Iterable[Mapping[str, Any]],
    kind: DecisionKind,
    *,
    at: datetime,
    person: Person | None = None,
) -> None:
    """Write the same decision about many images; each gives its `image_id` and more columns."""
    who = {"person_id": person and person.id, "role": person and person.role}
    rows = [{"kind": kind, "decided_at": at, **who, **image} for image in images]
    if rows:
        session.execute(insert(Decision), rows)


def load_decisions(session: Session, image_ids: Iterable[int]) -> dict[int, list[Decision]]:
    """The decisions by image id, oldest first, including those that were set aside."""
    decisions = defaultdict[int, list[Decision]](list)
    for some in in_parts(sorted(set(image_ids))):
        rows = select(Decision).where(Decision.image_id.in_(some)).order_by(Decision.id)
        for row in session.scalars(rows.execution_options(populate_existing=True)):
            decisions[row.image_id].append(row)
    return decisions


def stand(image: Image, decisions: Sequence[Decision], head: Annotation | None) -> Standing:
    """The state that the image should have while no person holds it.

    An image whose newest revision `head` is a draft goes to its author, never to a checker.
    """
    standing = fold_decisions(decisions)
    if standing.state is ImageState.POOL and image.state in _BEFORE_PEOPLE:
        return Standing(image.state, image.reason)
    return place_draft(standing, head)


def place_draft(standing: Standing, head: Annotation | None) -> Standing:
    """The same, but RETURNED if the newest revision is a draft of work that was finished before."""
    has_draft = head is not None and not head.is_finished
    is_open = standing.state in (ImageState.POOL, ImageState.TAKEN_DOWN, ImageState.RETURNED)
    return Standing(ImageState.RETURNED) if has_draft and not is_open else standing


@dataclass(frozen=True)
class WrongState:
    """An image whose state differs from the one that its rows give."""

    image_id: int
    state: ImageState
    expected: ImageState


def list_wrong_states(session: Session) -> Iterator[WrongState]:
    """Every image whose state differs from the one that its rows give, in order of ids."""
    boxed = select(Lease.image_id, Lease.kind).where(Lease.track == LeaseTrack.BOXES)
    held = dict(session.execute(boxed).tuples().all())
    image_ids = session.scalars(select(Image.id).order_by(Image.id)).all()
    for some in in_parts(image_ids):
        decisions = load_decisions(session, some)
        rows = session.execute(
            select(Image, Annotation)
            .outerjoin(Annotation, Annotation.id == Image.annotation_id)
            .where(Image.id.in_(some))
            .order_by(Image.id)
        )
        for image, head in rows.tuples():
            expected = stand(image, decisions.get(image.id, ()), head).state
            if image.id in held and expected is not ImageState.TAKEN_DOWN:
                expected = HELD_STATES[held[image.id]]
            if image.state is not expected:
                yield WrongState(image.id, image.state, expected)
