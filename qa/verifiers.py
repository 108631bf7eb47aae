"""What people say of crops of gold images, by which those who say yes to everything are found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.states import QuestionKind, Said
from catalog.suggested import is_confirmed
from catalog.tables import Question, QuestionAnswer, Suggestion, SuggestionSet
from vockit.report.intervals import Interval, estimate_share

FAIR_SHARE = 0.2
"""Of wrong crops, an attentive person calls at most this share right."""
LEAST_WRONG = 5
"""Nobody is named for fewer wrong crops."""


@dataclass(frozen=True)
class Verifier:
    """A person's answers that hold, and those on crops of gold images.

    `passed` is the share of the wrong crops called right, `refused` that of the right ones called
    anything else; `secs` is for one answer. `is_suspect` where more wrong crops were called right
    than chance makes of FAIR_SHARE.
    """

    person_id: int
    answers: int
    secs: float
    passed: Interval
    refused: Interval

    @property
    def is_suspect(self) -> bool:
        """Whether the whole interval of the wrong crops called right is above a fair share."""
        return self.passed.count >= LEAST_WRONG and self.passed.low > FAIR_SHARE


@dataclass(frozen=True)
class Verification:
    """How many suggestions two people confirmed, how many one did not call right, and by whom."""

    confirmed: int
    refused: int
    people: tuple[Verifier, ...]


def load_verification(session: Session) -> Verification | None:
    """What was verified so far; None where nobody answered a question."""
    people = load_verifiers(session)
    if not people:
        return None
    of_sets = select(func.count(Suggestion.id)).join(
        SuggestionSet, SuggestionSet.id == Suggestion.set_id
    )
    begun = select(Question.suggestion_id).where(Question.suggestion_id.is_not(None))
    of_sets = of_sets.where(SuggestionSet.withdrawn_at.is_(None), Suggestion.id.in_(begun))
    refused = (
        select(func.count(Question.suggestion_id.distinct()))
        .join(QuestionAnswer, QuestionAnswer.question_id == Question.id)
        .join(Suggestion, Suggestion.id == Question.suggestion_id)
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(
            SuggestionSet.withdrawn_at.is_(None),
            QuestionAnswer.set_aside_at.is_(None),
            QuestionAnswer.said != Said.RIGHT,
        )
    )
    return Verification(
        confirmed=session.scalar(of_sets.where(is_confirmed())) or 0,
        refused=session.scalar(refused) or 0,
        people=tuple(people),
    )


def load_verifiers(session: Session) -> list[Verifier]:
    """Everybody whose answers about boxes hold, in order of their ids."""
    rows = session.execute(
        select(
            Question.person_id,
            Question.known,
            QuestionAnswer.said,
            func.count(),
            func.sum(QuestionAnswer.took_ms),
        )
        .join(QuestionAnswer, QuestionAnswer.question_id == Question.id)
        .where(QuestionAnswer.set_aside_at.is_(None), Question.kind == QuestionKind.BOX)
        .group_by(Question.person_id, Question.known, QuestionAnswer.said)
        .order_by(Question.person_id)
    )
    counts = defaultdict[int, Counter[tuple[Said | None, Said]]](Counter)
    took_ms = Counter[int]()
    for person_id, known, said, count, ms in rows.tuples():
        counts[person_id][known, said] += count
        took_ms[person_id] += ms
    return [
        measure_verifier(person_id, answers, took_ms[person_id])
        for person_id, answers in counts.items()
    ]


def measure_verifier(
    person_id: int, answers: Mapping[tuple[Said | None, Said], int], took_ms: int
) -> Verifier:
    """A person's figures from how often each answer met each known one."""
    total = sum(answers.values())
    wrong = {pair: n for pair, n in answers.items() if pair[0] not in (None, Said.RIGHT)}
    right = {pair: n for pair, n in answers.items() if pair[0] is Said.RIGHT}
    passed = sum(n for (_, said), n in wrong.items() if said is Said.RIGHT)
    refused = sum(n for (_, said), n in right.items() if said is not Said.RIGHT)
    return Verifier(
        person_id=person_id,
        answers=total,
        secs=took_ms / 1000 / total,
        passed=estimate_share(passed, sum(wrong.values())),
        refused=estimate_share(refused, sum(right.values())),
    )
