"""What people say of two images: kept as labels next to what the rules said, and obeyed at once.

A page calls these within one writing session of the catalogue. What is put back by them is
`hashed`: the next `vocparty dedup` matches it with all others, as people's labels tell, and lets it
into the pool.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session, aliased

from catalog.sentences import say
from catalog.states import ImageState
from catalog.tables import Duplicate, Image, PairLabel
from catalog.transitions import move_image

from .clusters import Removal, plan_removals
from .decisions import (
    COUNTED,
    find_decision,
    load_candidates,
    move_copies,
    restore_decision,
    save_link,
    save_removal,
    save_ties,
    slices,
    undo_decision,
)
from .errors import LabelError
from .pairs import BY_PERSON, Pair, Relation


class Verdict(StrEnum):
    """What a person may say of two images."""

    DUPLICATE = "duplicate"
    SAME_EVENT = "same_event"
    COLLAGE = "collage"
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
    ids = _check(session, image_id, other_id)
    decision = find_decision(session, *ids)
    label = _add_label(session, ids, verdict, decision, person_id=person_id, at=at)
    _obey(session, label, decision, at)
    _note_kept(session, label)
    return label


def keep_instead(
    session: Session, image_id: int, kept_id: int, *, person_id: int, at: datetime
) -> PairLabel:
    """The label; the image that was put aside is in the pool, and the kept one aside for it.

    Raises LabelError where it was not put aside for that one, or where people worked on that one.
    """
    decision = find_decision(session, image_id, kept_id)
    is_duplicate = (
        decision is not None
        and decision.image_id == image_id
        and decision.relation == Relation.DUPLICATE
    )
    kept = next(iter(load_candidates(session, [kept_id])), None)
    if decision is None or kept is None or not is_duplicate:
        raise LabelError(
            say(
                "Image {image_id} is no longer a duplicate of image {kept_id}. Reload the page.",
                image_id=image_id,
                kept_id=kept_id,
            )
        )
    if kept.is_fixed:
        raise LabelError(
            say(
                "People have worked on image {image_id}, so it stays. "
                "Confirm the pair or split it.",
                image_id=kept_id,
            )
        )
    ids = _check(session, image_id, kept_id)
    label = _add_label(session, ids, Verdict.DUPLICATE, decision, person_id=person_id, at=at)
    undo_decision(session, decision, at=at)
    move_image(session, image_id, ImageState.HASHED, ImageState.POOL, at=at)
    pair = Pair(*ids, Relation.DUPLICATE, 0.0, how=BY_PERSON)
    removal = Removal(kept_id, image_id, pair)
    save_removal(session, removal, at=at, person_id=person_id)
    save_ties(session, removal, at=at)
    move_copies(session, kept_id, image_id, at=at)
    _note_kept(session, label)
    return label


def undo_label(session: Session, label_id: int, *, at: datetime) -> bool:
    """Whether the label held until now; what people or else the rules said before holds again."""
    label = session.get(PairLabel, label_id)
    if label is None or label.undone_at is not None:
        return False
    label.undone_at = at
    ids = label.first_image_id, label.second_image_id
    decision = find_decision(session, *ids)
    earlier = session.get(PairLabel, label.replaces_id) if label.replaces_id else None
    if earlier is not None:
        earlier.undone_at = None
        _obey(session, earlier, decision, at, is_again=True)
        return True
    if decision is not None and decision.person_id is None:
        return True
    kept_id = None
    if decision is not None:
        undo_decision(session, decision, at=at)
        if decision.relation == label.relation == Relation.DUPLICATE:
            kept_id = decision.image_id  # the rules had decided so, but kept the other one
    if label.relation is not None:
        restore_decision(session, ids, Relation(label.relation), at=at, kept_id=kept_id)
    return True


def find_label(session: Session, image_id: int, other_id: int) -> PairLabel | None:
    """What a person said of the two images and holds, or None."""
    first_id, second_id = sorted((image_id, other_id))
    return session.scalar(
        select(PairLabel).where(
            PairLabel.first_image_id == first_id,
            PairLabel.second_image_id == second_id,
            PairLabel.undone_at.is_(None),
        )
    )


def load_labels(session: Session, image_ids: Iterable[int]) -> dict[tuple[int, int], Verdict]:
    """What people say of pairs of standing images, one of them these, by (lower id, higher id)."""
    first = aliased(Image)
    second = aliased(Image)
    standing = (
        select(PairLabel)
        .join(first, first.id == PairLabel.first_image_id)
        .join(second, second.id == PairLabel.second_image_id)
        .where(PairLabel.undone_at.is_(None))
        .where(first.state.in_(COUNTED), second.state.in_(COUNTED))
        .order_by(PairLabel.id)
    )
    verdicts: dict[tuple[int, int], Verdict] = {}
    for some_ids in slices(sorted(set(image_ids))):
        is_wanted = or_(
            PairLabel.first_image_id.in_(some_ids), PairLabel.second_image_id.in_(some_ids)
        )
        for label in session.scalars(standing.where(is_wanted)):
            verdicts[label.first_image_id, label.second_image_id] = Verdict(label.verdict)
    return verdicts


def apply_labels(pairs: Iterable[Pair], labels: dict[tuple[int, int], Verdict]) -> list[Pair]:
    """The pairs as people see them: without the different ones, with those that only they know."""
    labelled = {pair.ids: pair for pair in pairs}
    for ids, verdict in labels.items():
        pair = labelled.pop(ids, None)
        if verdict is Verdict.DIFFERENT:
            continue
        if pair is None or pair.relation is not Relation(verdict):
            evidence = None if pair is None else pair.evidence
            pair = Pair(*ids, Relation(verdict), 0.0, evidence, BY_PERSON)
        labelled[ids] = pair
    return [labelled[ids] for ids in sorted(labelled)]


def is_label_of_row(label: type[PairLabel]) -> ColumnElement[bool]:
    """Whether the label holds and is about the two images of a decision."""
    first_id = label.first_image_id
    second_id = label.second_image_id
    return and_(
        label.undone_at.is_(None),
        or_(
            and_(first_id == Duplicate.image_id, second_id == Duplicate.kept_image_id),
            and_(first_id == Duplicate.kept_image_id, second_id == Duplicate.image_id),
        ),
    )


def _check(session: Session, image_id: int, other_id: int) -> tuple[int, int]:
    first_id, second_id = sorted((image_id, other_id))
    if first_id == second_id:
        raise LabelError(
            say("Image {image_id} is named twice. Name two different images.", image_id=first_id)
        )
    for image_id in (first_id, second_id):
        if session.get(Image, image_id) is None:
            raise LabelError(say("Image {image_id} does not exist.", image_id=image_id))
    return first_id, second_id


def _add_label(
    session: Session,
    ids: tuple[int, int],
    verdict: Verdict,
    decision: Duplicate | None,
    *,
    person_id: int,
    at: datetime,
) -> PairLabel:
    """The label, saved in place of an earlier one; `decision` is what holds of the two by now."""
    earlier = _end_label(session, *ids, at)
    label = PairLabel(
        first_image_id=ids[0],
        second_image_id=ids[1],
        verdict=verdict,
        person_id=person_id,
        labelled_at=at,
        replaces_id=earlier.id if earlier else None,
    )
    is_by_rules = decision is not None and decision.person_id is None
    said = decision if is_by_rules else earlier
    if said is not None:
        label.relation = said.relation
        label.similarity = said.similarity
    session.add(label)
    session.flush()
    return label


def _note_kept(session: Session, label: PairLabel) -> None:
    """Keep in the label which of two near-duplicates is kept now."""
    decision = find_decision(session, label.first_image_id, label.second_image_id)
    if decision is not None and decision.relation == Relation.DUPLICATE:
        label.kept_image_id = decision.kept_image_id


def _end_label(session: Session, first_id: int, second_id: int, at: datetime) -> PairLabel | None:
    """The label that held until now and does not any more: only the newest holds."""
    label = find_label(session, first_id, second_id)
    if label is not None:
        label.undone_at = at
    return label


def _obey(
    session: Session,
    label: PairLabel,
    decision: Duplicate | None,
    at: datetime,
    *,
    is_again: bool = False,
) -> None:
    """Decide as the label says; what was obeyed before is as it was, also which image is kept."""
    kept_id = label.kept_image_id
    if decision is not None:
        is_same = decision.relation == label.verdict
        if is_same and kept_id in (None, decision.kept_image_id):
            return
        undo_decision(session, decision, at=at)
    if label.verdict == Verdict.DIFFERENT:
        return
    relation = Relation(label.verdict)
    pair = Pair(label.first_image_id, label.second_image_id, relation, 0.0, how=BY_PERSON)
    if is_again and restore_decision(session, pair.ids, relation, at=at, kept_id=kept_id):
        return
    if relation is not Relation.DUPLICATE:
        save_link(session, pair, at=at, person_id=label.person_id)
        return
    candidates = [
        replace(candidate, is_fixed=candidate.is_fixed or candidate.image_id == kept_id)
        for candidate in load_candidates(session, pair.ids)
    ]
    if len(candidates) < 2:  # one of them is out of the party, or put aside for a third
        return
    removals = plan_removals(candidates, [pair])
    for removal in removals:
        save_removal(session, removal, at=at, person_id=label.person_id)
    if not removals:  # both have to stay
        save_link(session, pair, at=at, person_id=label.person_id)
