"""What suggestions do, as an answer of the board: both arms of the lottery, and who is anchored.

What people said on the verification page is here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from sqlalchemy.orm import Session

from qa.suggestion_effect import Advice, Arm, SuggestionEffect
from qa.verifiers import load_verification
from vockit.report.intervals import Interval
from work.questions.answering import version_of_answers

from .answers import format_interval
from .names import PersonName
from .schemas import Answer


class ArmLine(Answer):
    """Images that showed suggestions, or withheld them; seconds and inputs are those of an object.

    `compared` of them were annotated by a second person too, who saw no suggestions.
    """

    images: int
    objects: int
    compared: int
    secs: Interval | None
    inputs: Interval | None
    missed: Interval | None
    extra: Interval | None
    wrong_class: Interval | None
    overlap: Interval | None


class AnchoringLine(PersonName):
    """Of `wrong` suggestions that a person saw on gold images, the share accepted unchanged."""

    images: int
    wrong: int
    accepted: Interval


class SuggestionsAnswer(Answer):
    """Both arms, the share of the time saved, and how much more is missed and extra if shown.

    `more_shown` and `more_withheld` are about as many images as are lacking for advice.
    """

    shown: ArmLine
    withheld: ArmLine
    saved: Interval | None
    missed_more: Interval | None
    extra_more: Interval | None
    advice: Advice
    more_shown: int
    more_withheld: int
    anchoring: list[AnchoringLine]


class VerifierLine(PersonName):
    """A person's answers about boxes, how long one took, and those on crops of gold images.

    `passed` is the share of wrong crops called right, `refused` that of right ones called anything
    else. `is_suspect` where `passed` is more than chance makes of an attentive person; `version` is
    of the answers.
    """

    answers: int
    secs: float
    passed: Interval | None
    refused: Interval | None
    is_suspect: bool
    version: str


class VerificationAnswer(Answer):
    """How many boxes two people confirmed, how many one did not call right, and who answered."""

    confirmed: int
    refused: int
    people: list[VerifierLine]


def make_verification(session: Session, names: Mapping[int, str]) -> VerificationAnswer | None:
    """The answer, with the people's names by id; None where nobody verified a box."""
    verification = load_verification(session)
    if verification is None:
        return None
    return VerificationAnswer(
        confirmed=verification.confirmed,
        refused=verification.refused,
        people=[
            VerifierLine(
                id=person.person_id,
                name=names[person.person_id],
                answers=person.answers,
                secs=person.secs,
                passed=format_interval(person.passed),
                refused=format_interval(person.refused),
                is_suspect=person.is_suspect,
                version=version_of_answers(session, person.person_id),
            )
            for person in verification.people
        ],
    )


def make_suggestions(effect: SuggestionEffect, names: Mapping[int, str]) -> SuggestionsAnswer:
    """The answer, with the people's names by id."""
    return SuggestionsAnswer(
        shown=_make_arm(effect.shown),
        withheld=_make_arm(effect.withheld),
        saved=_only_finite(effect.saved),
        missed_more=_only_finite(effect.missed_more),
        extra_more=_only_finite(effect.extra_more),
        advice=effect.advice,
        more_shown=effect.more_shown,
        more_withheld=effect.more_withheld,
        anchoring=[
            AnchoringLine(
                id=line.person_id,
                name=names[line.person_id],
                images=line.images,
                wrong=line.wrong,
                accepted=line.accepted,
            )
            for line in effect.anchoring
            if line.wrong
        ],
    )


def _make_arm(arm: Arm) -> ArmLine:
    return ArmLine(
        images=arm.images,
        objects=arm.objects,
        compared=arm.compared,
        secs=_only_finite(arm.secs),
        inputs=_only_finite(arm.inputs),
        missed=_only_finite(arm.missed),
        extra=_only_finite(arm.extra),
        wrong_class=_only_finite(arm.wrong_class),
        overlap=_only_finite(arm.overlap),
    )


def _only_finite(interval: Interval) -> Interval | None:
    """None where the figure is unknown, or rests on one image."""
    return interval if isfinite(interval.low) and isfinite(interval.high) else None
