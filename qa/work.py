"""What people drew themselves, and what two people did of one image: read from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, aliased

from catalog.imports import load_imports
from catalog.states import BlindKind, Verdict
from catalog.tables import Annotation, BlindTask, Person, Review

from .asked import load_pairs
from .corrections import CheckedWork
from .findings import CheckedImage, PartyWork, SeenTwice
from .load import load_objects_of


def load_party_work(session: Session, images: Sequence[CheckedImage]) -> PartyWork:
    """Everybody's work as the checks of people look at it; `images` are those with their heads."""
    # the images with what their annotators drew, where the newest revision is a checker's
    rows = session.execute(
        select(Review.fixed_annotation_id, Review.annotation_id, Annotation.person_id)
        .join(Annotation, Annotation.id == Review.annotation_id)
        .where(Review.fixed_annotation_id.is_not(None), Review.set_aside_at.is_(None))
    )
    drawn_of = {corrected: (drawn, person) for corrected, drawn, person in rows.tuples()}
    origins = [drawn_of.get(image.annotation_id) for image in images]
    objects = load_objects_of(session, [origin[0] for origin in origins if origin])
    drawn = [
        replace(
            image, annotation_id=origin[0], person_id=origin[1], objects=objects.get(origin[0], ())
        )
        if origin
        else image
        for image, origin in zip(images, origins, strict=True)
    ]
    pairs = (*load_blind_pairs(session, with_gold=True), *load_checked_pairs(session))
    return PartyWork(load_names(session), tuple(drawn), pairs)


def load_names(session: Session) -> dict[int, str]:
    """Everybody's name by id."""
    return dict(session.execute(select(Person.id, Person.name)).tuples().all())


def load_blind_pairs(session: Session, *, with_gold: bool = False) -> list[SeenTwice]:
    """Finished blind annotations with what they are compared with; none of training.

    An answer on a gold image is compared with the reference, which is no second person's work, and
    there is one for each person; it counts only where it is asked for.
    """
    kinds = (BlindKind.DOUBLE, BlindKind.GOLD) if with_gold else (BlindKind.DOUBLE,)
    first = aliased(Annotation)
    second = aliased(Annotation)
    rows = session.execute(
        select(BlindTask.image_id, first.person_id, second.person_id, first.id, second.id)
        .join(first, first.id == BlindTask.reference_id)
        .join(second, second.id == BlindTask.annotation_id)
        .where(
            BlindTask.finished_at.is_not(None),
            BlindTask.kind.in_(kinds),
            first.person_id != second.person_id,
            first.discard_reason.is_(None),
            second.discard_reason.is_(None),
        )
        .order_by(BlindTask.id)
    )
    return _load_pairs(session, rows.tuples().all())


def load_discards(session: Session) -> list[tuple[str | None, str | None]]:
    """Both people's reasons to discard, None where one drew, of images that two had blind."""
    first = aliased(Annotation)
    second = aliased(Annotation)
    rows = session.execute(
        select(first.discard_reason, second.discard_reason)
        .join(BlindTask, BlindTask.reference_id == first.id)
        .join(second, second.id == BlindTask.annotation_id)
        .where(BlindTask.finished_at.is_not(None), BlindTask.kind == BlindKind.DOUBLE)
        .order_by(BlindTask.id)
    )
    return list(rows.tuples())


def load_checked_pairs(session: Session) -> list[SeenTwice]:
    """Revisions that were accepted as they are or corrected, with what the checker has of them."""
    rows = session.execute(
        select(Annotation, Review)
        .join(Review, Annotation.id == Review.annotation_id)
        .where(_counts(), Review.is_of_pair.is_(False), Annotation.person_id != Review.person_id)
        .order_by(Review.id)
    )
    pairs = [
        (
            drawn.image_id,
            drawn.person_id,
            review.person_id,
            drawn.id,
            review.fixed_annotation_id or drawn.id,
        )
        for drawn, review in rows.tuples()
        if review.fixed_annotation_id is not None or review.verdict is Verdict.ACCEPT
    ]
    return _load_pairs(session, pairs)


def _load_pairs(
    session: Session, rows: Sequence[tuple[int, int, int, int, int]]
) -> list[SeenTwice]:
    """Of image, two people and their revisions."""
    drawn = load_pairs(session, [row[3:] for row in rows])
    return [
        SeenTwice(image_id, first_id, second_id, *objects)
        for (image_id, first_id, second_id, *_), objects in zip(rows, drawn, strict=True)
    ]


def _counts() -> ColumnElement[bool]:
    """Whether a verdict was on drawn objects and was not set aside, nor were they."""
    stays = Review.set_aside_at.is_(None) & Annotation.set_aside_at.is_(None)
    return Annotation.discard_reason.is_(None) & stays


def load_checked_work(session: Session) -> list[CheckedWork]:
    """What each author first submitted of each image, with what checking settled on in the end.

    In order of the verdicts that settled it. What was returned counts once its author has corrected
    it and a checker has let it pass; until then it is not known what it should be.
    """
    settled = [pair for verdicts in list_verdicts(session) for pair in _settle(verdicts)]
    settled.sort(key=lambda pair: pair[1].id)
    return load_work(
        session,
        [(drawn.person_id, drawn.saved_at, drawn.id, get_passed(last)) for drawn, last in settled],
    )


def load_work(
    session: Session, rows: Sequence[tuple[int, datetime, int, int]]
) -> list[CheckedWork]:
    """The work of rows of author, moment, revision drawn and revision passed."""
    drawn = load_pairs(session, [row[2:] for row in rows])
    return [
        CheckedWork(author_id, saved_at, *objects)
        for (author_id, saved_at, *_), objects in zip(rows, drawn, strict=True)
    ]


def get_passed(review: Review) -> int:
    """The revision that the checker let pass: their own, where they corrected it."""
    return review.fixed_annotation_id or review.annotation_id


def list_verdicts(
    session: Session, *, with_pairs: bool = True
) -> Iterable[list[tuple[Annotation, Review]]]:
    """The verdicts on every image, in order; a discarded image holds no mistake in a field.

    That a tree came checked is nobody's verdict here. Those on a pair of boxes are left out unless
    `with_pairs`.
    """
    imports = load_imports(session)
    chosen = (
        select(Annotation, Review)
        .join(Review, Review.annotation_id == Annotation.id)
        .where(_counts(), Review.person_id.not_in(imports))
        .order_by(Review.id)
    )
    if not with_pairs:
        chosen = chosen.where(Review.is_of_pair.is_(False))
    by_image: dict[int, list[tuple[Annotation, Review]]] = {}
    for drawn, review in session.execute(chosen).tuples():
        by_image.setdefault(drawn.image_id, []).append((drawn, review))
    return by_image.values()


def _settle(verdicts: Sequence[tuple[Annotation, Review]]) -> list[tuple[Annotation, Review]]:
    """For each author the revision first judged, with the verdict that settled the image."""
    corrections = {review.fixed_annotation_id for _, review in verdicts}  # no author's work
    passed = [
        at for at, (_, review) in enumerate(verdicts) if review.verdict is not Verdict.RETURNED
    ]
    first: dict[int, Annotation] = {}
    for drawn, _ in verdicts[: passed[-1] + 1] if passed else ():
        if drawn.id not in corrections:
            first.setdefault(drawn.person_id, drawn)
    return [(drawn, verdicts[passed[-1]][1]) for drawn in first.values()]
