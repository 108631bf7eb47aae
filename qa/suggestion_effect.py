"""What suggestions do: images that showed them next to those from which a lottery withheld them.

Both arms are images that a set covers, also where it found nothing. Every figure is of an image's
first finished annotation, and its interval is over images. What was missed is what a second person,
who saw no suggestions, drew of the same image; extra is what this person did not draw.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

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
from vockit.report.intervals import (
    ENOUGH_IMAGES,
    UNKNOWN,
    Interval,
    estimate_share_by_image,
    find_student,
)

from .asked import load_pairs
from .gold import SAME_OBJECT_OVERLAP
from .load import load_objects_of
from .matching import compare_objects, overlap_matrix

LEAST_SAVING = 0.10
"""Suggestions that save a smaller share of the time are not worth their bias."""
MOST_UNSURE = 0.10
"""Advice on the time waits until its interval is as narrow to either side, or decides."""


class Advice(StrEnum):
    """What an organiser should do with suggestions."""

    WAIT = "wait"
    KEEP = "keep"
    TOO_SLOW = "too_slow"
    MISSES_MORE = "misses_more"
    EXTRA_MORE = "extra_more"


@dataclass(frozen=True)
class Effort:
    """What one image's first annotation cost."""

    secs: float
    inputs: int
    objects: int


@dataclass(frozen=True)
class Compared:
    """One image's first annotation next to a second person's, who saw no suggestions."""

    missed: int
    others_objects: int
    extra: int
    objects: int
    wrong_class: int
    both_objects: int
    overlaps: float
    """The sum of the overlaps of the boxes that both drew."""


@dataclass(frozen=True)
class Arm:
    """The images that showed suggestions, or those that withheld them.

    Seconds and inputs are those of an object. `missed` is the share of a second person's objects,
    `extra` the share of the first person's that the second did not draw; `wrong_class` and
    `overlap` are of what both drew.
    """

    images: int
    objects: int
    compared: int
    secs: Interval
    inputs: Interval
    missed: Interval
    extra: Interval
    wrong_class: Interval
    overlap: Interval


@dataclass(frozen=True)
class Anchoring:
    """Of the wrong suggestions that a person saw on gold images, the share accepted unchanged."""

    person_id: int
    images: int
    wrong: int
    accepted: Interval


@dataclass(frozen=True)
class SuggestionEffect:
    """Both arms, the share of the time saved, and how much more is missed and extra if shown.

    `more_shown` and `more_withheld` are about as many images as are lacking for advice.
    """

    shown: Arm
    withheld: Arm
    saved: Interval
    missed_more: Interval
    extra_more: Interval
    advice: Advice
    more_shown: int = 0
    more_withheld: int = 0
    anchoring: Sequence[Anchoring] = ()


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


def compare_arms(
    shown: Arm, withheld: Arm, anchoring: Sequence[Anchoring] = ()
) -> SuggestionEffect:
    """What the difference of the arms says of suggestions."""
    saved = _measure_saved(shown, withheld)
    missed_more = _subtract(shown.missed, withheld.missed)
    extra_more = _subtract(shown.extra, withheld.extra)
    more = (0, 0)
    if missed_more.low > 0:
        advice = Advice.MISSES_MORE
    elif extra_more.low > 0:
        advice = Advice.EXTRA_MORE
    else:
        more = _count_lacking((shown.images, withheld.images), saved)
        advice = Advice.WAIT if any(more) else _advise_on_time(saved)
    return SuggestionEffect(
        shown, withheld, saved, missed_more, extra_more, advice, *more, anchoring
    )


def measure_arm(efforts: Sequence[Effort], compared: Sequence[Compared]) -> Arm:
    """The figures of one arm, with their intervals over images."""
    objects = [effort.objects for effort in efforts]
    others = [image.others_objects for image in compared]
    drawn = [image.objects for image in compared]
    both = [image.both_objects for image in compared]
    return Arm(
        images=len(efforts),
        objects=sum(objects),
        compared=len(compared),
        secs=estimate_ratio([effort.secs for effort in efforts], objects),
        inputs=estimate_ratio([effort.inputs for effort in efforts], objects),
        missed=estimate_share_by_image([image.missed for image in compared], others),
        extra=estimate_share_by_image([image.extra for image in compared], drawn),
        wrong_class=estimate_share_by_image([image.wrong_class for image in compared], both),
        overlap=estimate_share_by_image([image.overlaps for image in compared], both),
    )


def estimate_ratio(sums: Sequence[float], counts: Sequence[int]) -> Interval:
    """A sum per thing counted, with its interval over images on the scale of logarithms.

    The error is that of a ratio of sums (W. G. Cochran, Sampling Techniques, 1977, section 6.4);
    `count` is of images. Of fewer than two images there is no interval.
    """
    images = len(sums)
    total = sum(counts)
    if not total or not sum(sums):
        return UNKNOWN
    ratio = sum(sums) / total
    if images < 2:
        return Interval(ratio, math.nan, math.nan, images)
    squares = sum((part - ratio * count) ** 2 for part, count in zip(sums, counts, strict=True))
    error = math.sqrt(squares * images / (images - 1)) / total / ratio
    factor = math.exp(find_student(images) * error)
    return Interval(ratio, ratio / factor, ratio * factor, images)


def _measure_saved(shown: Arm, withheld: Arm) -> Interval:
    """The share of the seconds an object that suggestions save; negative where they cost some."""
    if not shown.secs.count or not withheld.secs.count:
        return UNKNOWN
    ratio = shown.secs.value / withheld.secs.value
    spreads = [math.log(arm.secs.high / arm.secs.value) for arm in (shown, withheld)]
    factor = math.exp(math.hypot(*spreads))  # the arms are independent
    images = shown.images + withheld.images
    return Interval(1 - ratio, 1 - ratio * factor, 1 - ratio / factor, images)


def _subtract(first: Interval, second: Interval) -> Interval:
    """The difference of two shares (R. G. Newcombe, Statistics in Medicine 17, 1998, method 10)."""
    if not first.count or not second.count:
        return UNKNOWN
    difference = first.value - second.value
    below = math.hypot(first.value - first.low, second.high - second.value)
    above = math.hypot(first.high - first.value, second.value - second.low)
    return Interval(difference, difference - below, difference + above, first.count + second.count)


def _count_lacking(images: tuple[int, int], saved: Interval) -> tuple[int, int]:
    """How many more images of either arm are needed to say what share of the time is saved.

    That is known where the interval is on one side of the least saving, or narrow. The width of an
    interval falls with the root of the images.
    """
    lacking = [max(ENOUGH_IMAGES - number, 0) for number in images]
    if any(lacking) or math.isnan(saved.value):
        return lacking[0], lacking[1]
    if saved.high < LEAST_SAVING or saved.low >= LEAST_SAVING:
        return 0, 0
    growth = max(((saved.high - saved.low) / 2 / MOST_UNSURE) ** 2 - 1, 0)
    return math.ceil(images[0] * growth), math.ceil(images[1] * growth)


def _advise_on_time(saved: Interval) -> Advice:
    if math.isnan(saved.value):  # no object in either arm, or no time
        return Advice.WAIT
    return Advice.TOO_SLOW if saved.value < LEAST_SAVING else Advice.KEEP


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


def describe_effect(effect: SuggestionEffect, names: Mapping[int, str]) -> list[str]:
    """What the comparison says, in sentences."""
    said = {
        Advice.WAIT: (
            f"Too few images for advice: about {effect.more_shown:,} more with suggestions and "
            f"{effect.more_withheld:,} more without are needed."
        ),
        Advice.KEEP: "Suggestions save time, and no errors are added. Keep them on.",
        Advice.TOO_SLOW: (
            f"Suggestions save less than {LEAST_SAVING:.0%} of the time. Switch them off."
        ),
        Advice.MISSES_MORE: "More objects are missed with suggestions. Switch them off.",
        Advice.EXTRA_MORE: (
            "With suggestions, more objects are drawn that a second person does not draw. "
            "Switch them off."
        ),
    }
    return [
        said[effect.advice],
        *(
            f"{names[line.person_id]} accepted {line.accepted.value:.0%} of {line.wrong} wrong "
            f"suggestions on gold images as they were."
            for line in effect.anchoring
            if line.wrong
        ),
    ]
