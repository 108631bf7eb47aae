"""What people say of two images: kept as labels beside what the rules said, and obeyed at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.tables import Duplicate, Image, PairLabel

from .clusters import plan_removals
from .decisions import (
    find_decision,
    load_candidates,
    save_link,
    save_removal,
    slices,
    undo_decision,
)
from .errors import LabelError
from .pairs import BY_PERSON, Pair
from .verify.verdicts import Relation


class Verdict(StrEnum):
    """What a person may say of two images."""

    DUPLICATE = "duplicate"
    SAME_EVENT = "same_event"
    DIFFERENT = "different"


def label_pair(
    session: Session,
    image_id: int,
    other_id: int,
    verdict: Verdict,
    *,
    person_id: int,
    at: datetime,
) -> PairLabel:
    """The label, saved; the images are put aside, linked or parted as it says, where they may be.

    An image that people have worked on stays all the same. Raises LabelError for an image that is
    not in the catalogue, or one and the same.
    """
    first_id, second_id = _check(session, image_id, other_id)
    decision = find_decision(session, first_id, second_id)
    label = PairLabel(
        first_image_id=first_id,
        second_image_id=second_id,
        verdict=verdict,
        relation=None if decision is None else decision.relation,
        similarity=None if decision is None else decision.similarity,
        person_id=person_id,
        labelled_at=at,
    )
    _supersede(session, first_id, second_id, at)
    session.add(label)
    session.flush()
    _obey(session, label, decision, at)
    return label


def undo_label(session: Session, label_id: int, *, at: datetime) -> bool:
    """Whether the label held until now; what the rules had said before it holds again."""
    label = session.get(PairLabel, label_id)
    if label is None or label.undone_at is not None:
        return False
    label.undone_at = at
    decision = find_decision(session, label.first_image_id, label.second_image_id)
    if decision is not None and decision.person_id is not None:
        undo_decision(session, decision, at=at)
        decision = None
    if decision is None and label.relation is not None:
        pair = Pair(
            label.first_image_id, label.second_image_id, Relation(label.relation), doubt=1.0
        )
        _decide(session, pair, at, person_id=None)
    return True


def load_labels(session: Session, image_ids: Iterable[int]) -> dict[tuple[int, int], Verdict]:
    """What people say of pairs of which an image is one of these, by (lower id, higher id)."""
    found: dict[tuple[int, int], Verdict] = {}
    for some_ids in slices(sorted(set(image_ids))):
        for column in (PairLabel.first_image_id, PairLabel.second_image_id):
            rows = session.scalars(
                select(PairLabel).where(column.in_(some_ids), PairLabel.undone_at.is_(None))
            )
            for label in rows:
                pair = label.first_image_id, label.second_image_id
                found[pair] = Verdict(label.verdict)
    return found


def apply_labels(pairs: Iterable[Pair], labels: dict[tuple[int, int], Verdict]) -> list[Pair]:
    """The pairs as people see them: without the different ones, with those that only they know."""
    found = {(pair.first_id, pair.second_id): pair for pair in pairs}
    for key, verdict in labels.items():
        pair = found.pop(key, None)
        if verdict is not Verdict.DIFFERENT:
            relation = Relation(verdict)
            is_agreed = pair is not None and pair.relation is relation
            evidence = None if pair is None else pair.evidence
            found[key] = (
                pair if is_agreed and pair else Pair(*key, relation, 0.0, evidence, BY_PERSON)
            )
    return [found[key] for key in sorted(found)]


@dataclass(frozen=True)
class Precision:
    """Of the pairs of one relation that people looked at, how many they confirmed."""

    relation: str
    confirmed: int
    looked_at: int


def measure_precision(session: Session) -> list[Precision]:
    """The precision of the rules by what people say, a row for each relation that was judged."""
    rows = session.execute(
        select(PairLabel.relation, PairLabel.verdict)
        .where(PairLabel.undone_at.is_(None), PairLabel.relation.is_not(None))
        .order_by(PairLabel.id)
    ).all()
    relations = sorted({relation for relation, _ in rows if relation is not None})
    return [
        Precision(
            relation,
            sum(verdict == relation for one, verdict in rows if one == relation),
            sum(one == relation for one, _ in rows),
        )
        for relation in relations
    ]


def _check(session: Session, image_id: int, other_id: int) -> tuple[int, int]:
    first_id, second_id = sorted((image_id, other_id))
    if first_id == second_id:
        raise LabelError(f"Image {first_id} is given twice; name two different images.")
    for one in (first_id, second_id):
        if session.get(Image, one) is None:
            raise LabelError(f"There is no image {one} in the catalogue.")
    return first_id, second_id


def _supersede(session: Session, first_id: int, second_id: int, at: datetime) -> None:
    """Let the newest label be the only one that holds."""
    rows = session.scalars(
        select(PairLabel).where(
            PairLabel.first_image_id == first_id,
            PairLabel.second_image_id == second_id,
            PairLabel.undone_at.is_(None),
        )
    )
    for row in rows:
        row.undone_at = at


def _obey(session: Session, label: PairLabel, decision: Duplicate | None, at: datetime) -> None:
    if decision is not None and decision.relation == label.verdict:
        return
    if decision is not None:
        undo_decision(session, decision, at=at)
    if label.verdict != Verdict.DIFFERENT:
        relation = Relation(label.verdict)
        pair = Pair(label.first_image_id, label.second_image_id, relation, 0.0, how=BY_PERSON)
        _decide(session, pair, at, label.person_id)


def _decide(session: Session, pair: Pair, at: datetime, person_id: int | None) -> None:
    if pair.relation is not Relation.DUPLICATE:
        save_link(session, pair, at=at, person_id=person_id)
        return
    candidates = load_candidates(session, (pair.first_id, pair.second_id))
    if len(candidates) < 2:  # one of them is out of the party, or put aside for a third
        return
    for removal in plan_removals(candidates, [pair]):
        save_removal(session, removal, at=at, person_id=person_id)
