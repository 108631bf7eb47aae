"""Images with and without suggestions, as the catalogue has them, for the comparison of both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, aliased

from catalog.box import Box
from catalog.states import BlindKind, Suggested
from catalog.tables import (
    Annotation,
    BlindTask,
    Object,
    Question,
    QuestionAnswer,
    Suggestion,
    SuggestionSet,
)
from vockit.report.intervals import estimate_share_by_image

from .asked import load_pairs
from .gold import SAME_OBJECT_OVERLAP
from .load import load_objects_of
from .matching import compare_objects, overlap_matrix
from .suggestion_effect import (
    Anchoring,
    Compared,
    Effort,
    SuggestionEffect,
    compare_arms,
    measure_arm,
)


def load_suggestion_effect(session: Session, least_overlap: float) -> SuggestionEffect | None:
    """The comparison of both arms so far; None where no set covers an image."""
    if session.scalar(select(SuggestionSet.id).limit(1)) is None:
        return None
    arms: dict[bool, list[int]] = {True: [], False: []}
    efforts: dict[int, Effort] = {}
    for annotation_id, is_withheld, effort in load_first_annotations(session):
        arms[not is_withheld].append(annotation_id)
        efforts[annotation_id] = effort
    if not efforts:
        return None
    compared = _load_compared(session, least_overlap)
    measured = {
        is_shown: measure_arm(
            [efforts[key] for key in keys], [compared[key] for key in keys if key in compared]
        )
        for is_shown, keys in arms.items()
    }
    return compare_arms(measured[True], measured[False], load_anchoring(session))


def load_first_annotations(session: Session) -> list[tuple[int, bool, Effort]]:
    """Each covered image's first finished annotation: its id, whether it withheld, its cost.

    What people spent on its suggestions on the verification page is part of the cost.
    An image whose page showed other suggestions at the end than at the beginning counts by the end.
    """
    first = (
        select(Annotation.image_id, func.min(Annotation.id).label("annotation_id"))
        .where(Annotation.is_stale.is_(False), Annotation.is_finished)
        .group_by(Annotation.image_id)
        .subquery()
    )
    draft = aliased(Annotation)
    costs = (
        select(
            first.c.annotation_id,
            func.sum(draft.active_secs).label("secs"),
            func.sum(draft.inputs).label("inputs"),
        )
        .join(draft, draft.image_id == first.c.image_id)
        .where(draft.id <= first.c.annotation_id, draft.is_stale.is_(False))
        .group_by(first.c.annotation_id)
        .subquery()
    )
    objects = (
        select(func.count(Object.id)).where(Object.annotation_id == Annotation.id).scalar_subquery()
    )
    verified_ms, answers = (
        select(figure)
        .join(Question, Question.id == QuestionAnswer.question_id)
        .where(Question.image_id == Annotation.image_id, Question.known.is_(None))
        .scalar_subquery()
        for figure in (
            func.coalesce(func.sum(QuestionAnswer.took_ms), 0),
            func.count(QuestionAnswer.id),
        )
    )
    rows = session.execute(
        select(
            Annotation.id,
            Annotation.suggestions_withheld,
            costs.c.secs + verified_ms / 1000.0,
            costs.c.inputs + answers,
            objects,
        )
        .join(costs, costs.c.annotation_id == Annotation.id)
        .where(Annotation.suggestions_shown.is_not(None), Annotation.discard_reason.is_(None))
        .order_by(Annotation.id)
    )
    return [
        (annotation_id, is_withheld, Effort(secs, inputs, count))
        for annotation_id, is_withheld, secs, inputs, count in rows.tuples()
    ]


def _load_compared(session: Session, least_overlap: float) -> dict[int, Compared]:
    """Annotations that a second person's blind one is compared with, by their ids."""
    second = aliased(Annotation)
    rows = session.execute(
        select(BlindTask.reference_id, second.id)
        .join(second, second.id == BlindTask.annotation_id)
        .where(
            BlindTask.kind == BlindKind.DOUBLE,
            BlindTask.finished_at.is_not(None),
            BlindTask.reference_id.is_not(None),
            second.discard_reason.is_(None),
        )
        .order_by(BlindTask.id)
    )
    ids = [(reference, blind) for reference, blind in rows.tuples() if reference is not None]
    compared = {}
    for (reference, _), (drawn, others) in zip(ids, load_pairs(session, ids), strict=True):
        both = compare_objects(drawn, others, least_overlap=least_overlap)
        matches = both.matches
        compared[reference] = Compared(
            missed=len(both.second) - len(matches),
            others_objects=len(both.second),
            extra=len(both.first) - len(matches),
            objects=len(both.first),
            wrong_class=sum(match.first.class_name != match.second.class_name for match in matches),
            both_objects=len(matches),
            overlaps=sum(match.overlap for match in matches),
        )
    return compared


def load_anchoring(session: Session) -> list[Anchoring]:
    """How many wrong suggestions of gold images each person accepted, in order of their ids.

    A suggestion is wrong where no object of the reference has its class and half of its box.
    """
    answers = session.execute(
        select(
            BlindTask.person_id,
            BlindTask.image_id,
            BlindTask.reference_id,
            Annotation.id,
            Annotation.saved_at,
        )
        .join(Annotation, Annotation.id == BlindTask.annotation_id)
        .where(
            BlindTask.kind == BlindKind.GOLD,
            BlindTask.finished_at.is_not(None),
            Annotation.suggestions_shown > 0,
        )
        .order_by(BlindTask.person_id, BlindTask.id)
    ).all()
    references = load_objects_of(session, [row.reference_id for row in answers])
    seen: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in answers:
        there = [(item.class_name, item.box) for item in references.get(row.reference_id, ())]
        offered = select(Suggestion).join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        was_on = [
            or_(moment.is_(None), moment > row.saved_at)
            for moment in (SuggestionSet.switched_off_at, SuggestionSet.withdrawn_at)
        ]
        shown = session.scalars(
            offered.where(
                Suggestion.image_id == row.image_id,
                SuggestionSet.loaded_at <= row.saved_at,
                *was_on,
            )
        )
        wrong = {item.id for item in shown if not _is_there(item.class_name, item.box, there)}
        accepted = session.scalars(
            select(Object.suggestion_id).where(
                Object.annotation_id == row.id, Object.suggested == Suggested.ACCEPTED
            )
        )
        seen[row.person_id].append((len(wrong & {*accepted}), len(wrong)))
    return [_measure_anchoring(person_id, images) for person_id, images in sorted(seen.items())]


def _is_there(class_name: str, box: Box, there: Iterable[tuple[str, Box]]) -> bool:
    of_class = [other for name, other in there if name == class_name]
    return bool((overlap_matrix([box], of_class) >= SAME_OBJECT_OVERLAP).any())


def _measure_anchoring(person_id: int, images: Sequence[tuple[int, int]]) -> Anchoring:
    accepted, wrong = ([pair[place] for pair in images] for place in (0, 1))
    share = estimate_share_by_image(accepted, wrong)
    return Anchoring(person_id, len(images), sum(wrong), share)
