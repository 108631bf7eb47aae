"""Which classes an image was searched for: what nobody was asked about is not missed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.session import in_parts
from catalog.settled import load_settled
from catalog.states import PhotoState, Verdict, WordKind
from catalog.tables import Photo, Query, Review
from catalog.words import load_names


def load_searched(session: Session, head_of: Mapping[int, int]) -> dict[int, frozenset[str]]:
    """The classes of the queries and of settled questions, by image; `head_of` has its revision.

    An image is left out where no search found it, and where the last checker who let its revision
    pass said that nothing is missing: there people looked for all classes.
    """
    queries = (
        select(Photo.image_id, Query.class_id)
        .join(Query, Query.id == Photo.query_id)
        .where(Photo.state != PhotoState.WITHDRAWN, Query.class_id.is_not(None))
    )
    ids_of = _collect(session, queries, Photo.image_id, sorted(head_of))
    if not ids_of:
        return {}
    names = load_names(session)[WordKind.CLASS]
    searched = {
        number: {names.get(key, key) for key in class_ids} for number, class_ids in ids_of.items()
    }
    complete = _load_complete(session, sorted({head_of[number] for number in searched}))
    open_ids = sorted(number for number in searched if head_of[number] not in complete)
    settled = load_settled(session, open_ids)
    return {
        number: frozenset(
            searched[number] | {names.get(key, key) for key in settled.get(number, ())}
        )
        for number in open_ids
    }


def _collect(
    session: Session,
    statement: Select[Any],
    image_id: InstrumentedAttribute[Any],
    image_ids: Sequence[int],
) -> defaultdict[int, set[str]]:
    """The ids of the classes that a statement has of these images, by image."""
    classes = defaultdict[int, set[str]](set)
    for some in in_parts(image_ids):
        for number, class_id in session.execute(statement.where(image_id.in_(some))):
            classes[number].add(class_id)
    return classes


def _load_complete(session: Session, annotation_ids: Sequence[int]) -> set[int]:
    """The revisions of which the last who let them pass said that nothing is missing."""
    passed: list[tuple[int, int, bool]] = []  # ids of reviews, which come one after the other
    for verdict, judged in (
        (Verdict.ACCEPT, Review.annotation_id),
        (Verdict.FIXED, Review.fixed_annotation_id),
    ):
        passing = select(Review.id, judged, Review.is_complete)
        passing = passing.where(Review.verdict == verdict, Review.set_aside_at.is_(None))
        for some in in_parts(annotation_ids):
            rows = session.execute(passing.where(judged.in_(some)))
            passed += [(review_id, number, bool(said)) for review_id, number, said in rows]
    is_complete = {number: said for _, number, said in sorted(passed)}
    return {number for number, said in is_complete.items() if said}
