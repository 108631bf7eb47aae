"""What people drew themselves, and what two people did of one image: read from the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from catalog.states import BlindKind, Verdict
from catalog.tables import Annotation, BlindTask, Person, Review

from .load import load_objects_of
from .mends import CheckedWork
from .subjects import CheckedImage, PartyWork, SeenTwice


@dataclass(frozen=True)
class Double:
    """One image that two people have, told by its revisions."""

    image_id: int
    people: tuple[int, int]
    annotation_ids: tuple[int, int]
    is_blind: bool


def load_party_work(session: Session, images: Sequence[CheckedImage]) -> PartyWork:
    """Everybody's work as the checks of people look at it; `images` are those with their heads."""
    return PartyWork(
        names=load_names(session),
        drawn=tuple(_load_drawn(session, images)),
        seen_twice=tuple(load_seen_twice(session)),
    )


def load_names(session: Session) -> dict[int, str]:
    """Everybody's name by id."""
    return dict(session.execute(select(Person.id, Person.name)).tuples().all())


def load_seen_twice(session: Session, *, is_blind: bool | None = None) -> list[SeenTwice]:
    """Every image that two people have: annotated twice blind, gold, or checked.

    `is_blind` limits them to those where neither saw the other's work, or to those that a checker
    looked at. An accepted revision is one that the checker has as it is.
    """
    doubles: list[Double] = []
    if is_blind is not False:
        doubles += list_blind(session)
    if is_blind is not True:
        doubles += _list_checked(session)
    return load_objects_of_doubles(session, doubles)


def load_objects_of_doubles(session: Session, doubles: Sequence[Double]) -> list[SeenTwice]:
    """What two people each drew, in the order of `doubles`."""
    wanted = sorted({one for double in doubles for one in double.annotation_ids})
    objects = {key: tuple(items) for key, items in load_objects_of(session, wanted).items()}
    return [
        SeenTwice(
            double.image_id,
            *double.people,
            objects.get(double.annotation_ids[0], ()),
            objects.get(double.annotation_ids[1], ()),
            double.is_blind,
        )
        for double in doubles
    ]


def list_blind(session: Session) -> list[Double]:
    """Finished blind annotations beside what they are compared with; neither discarded.

    Training images are left out: their people are only learning.
    """
    first, second = aliased(Annotation), aliased(Annotation)
    rows = session.execute(
        select(BlindTask.image_id, first.person_id, second.person_id, first.id, second.id)
        .join(first, first.id == BlindTask.reference_id)
        .join(second, second.id == BlindTask.annotation_id)
        .where(
            BlindTask.finished_at.is_not(None),
            BlindTask.kind != BlindKind.TRAINING,
            first.person_id != second.person_id,
            first.discard_reason.is_(None),
            second.discard_reason.is_(None),
        )
        .order_by(BlindTask.id)
    )
    return [
        Double(image_id, (first, second), (drawn, again), is_blind=True)
        for image_id, first, second, drawn, again in rows.tuples()
    ]


def _list_checked(session: Session) -> list[Double]:
    """Revisions that were accepted or mended, beside what the checker made of them."""
    rows = session.execute(
        select(
            Annotation.image_id,
            Annotation.person_id,
            Review.person_id,
            Annotation.id,
            Review.mended_annotation_id,
            Review.verdict,
        )
        .join(Annotation, Annotation.id == Review.annotation_id)
        .where(Annotation.discard_reason.is_(None), Annotation.person_id != Review.person_id)
        .order_by(Review.id)
    )
    return [
        Double(image_id, (author, checker), (drawn, mended or drawn), is_blind=False)
        for image_id, author, checker, drawn, mended, verdict in rows.tuples()
        if mended is not None or verdict is Verdict.ACCEPT
    ]


def _load_drawn(session: Session, images: Sequence[CheckedImage]) -> list[CheckedImage]:
    """The images with what their annotators drew, where the newest revision is a checker's."""
    rows = session.execute(
        select(Review.mended_annotation_id, Review.annotation_id, Annotation.person_id)
        .join(Annotation, Annotation.id == Review.annotation_id)
        .where(Review.mended_annotation_id.is_not(None))
    )
    drawn_of = {mended: (drawn, person) for mended, drawn, person in rows.tuples()}
    heads = [image.annotation_id for image in images]
    origins = {head: drawn_of[head] for head in heads if head is not None and head in drawn_of}
    objects = load_objects_of(session, [drawn for drawn, _ in origins.values()])
    return [
        image
        if image.annotation_id not in origins
        else replace(
            image,
            annotation_id=origins[image.annotation_id][0],
            person_id=origins[image.annotation_id][1],
            objects=tuple(objects.get(origins[image.annotation_id][0], ())),
        )
        for image in images
    ]


def load_checked_work(session: Session) -> list[CheckedWork]:
    """What each author first submitted of each image, beside what checking settled on in the end.

    In order of the verdicts that settled it. What was returned counts once its author has mended
    it and a checker has let it pass; until then nobody knows what it should be.
    """
    settled = [found for verdicts in _list_verdicts(session) for found in _settle(verdicts)]
    settled.sort(key=lambda found: found[1].review_id)
    wanted = {one for drawn, last in settled for one in (drawn.drawn_id, last.settled_id)}
    objects = {key: tuple(items) for key, items in load_objects_of(session, list(wanted)).items()}
    return [
        CheckedWork(
            drawn.image_id,
            drawn.author_id,
            last.checker_id,
            drawn.saved_at,
            objects.get(drawn.drawn_id, ()),
            objects.get(last.settled_id, ()),
        )
        for drawn, last in settled
    ]


@dataclass(frozen=True)
class _Verdict:
    """One review with the revision that it is about."""

    review_id: int
    image_id: int
    author_id: int
    checker_id: int
    saved_at: datetime
    drawn_id: int
    mended_id: int | None
    verdict: Verdict

    @property
    def settled_id(self) -> int:
        """The revision that the checker let pass: their own, where they mended it."""
        return self.mended_id or self.drawn_id


def _list_verdicts(session: Session) -> list[list[_Verdict]]:
    """The verdicts on every image, in order; what was discarded is nobody's mistake in a field."""
    rows = session.execute(
        select(
            Review.id,
            Annotation.image_id,
            Annotation.person_id,
            Review.person_id,
            Annotation.saved_at,
            Annotation.id,
            Review.mended_annotation_id,
            Review.verdict,
        )
        .join(Annotation, Annotation.id == Review.annotation_id)
        .where(Annotation.discard_reason.is_(None))
        .order_by(Review.id)
    )
    by_image: dict[int, list[_Verdict]] = {}
    for row in rows.tuples():
        by_image.setdefault(row[1], []).append(_Verdict(*row))
    return list(by_image.values())


def _settle(verdicts: Sequence[_Verdict]) -> list[tuple[_Verdict, _Verdict]]:
    """For each author the first verdict on their work, with the one that settled the image."""
    passed = [place for place, one in enumerate(verdicts) if one.verdict is not Verdict.RETURNED]
    if not passed:
        return []
    first: dict[int, _Verdict] = {}
    for one in verdicts[: passed[-1] + 1]:
        first.setdefault(one.author_id, one)
    return [(one, verdicts[passed[-1]]) for one in first.values()]
