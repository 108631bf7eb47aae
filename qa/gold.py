"""Gold images: how an answer compares with the reference, and what may be said about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from catalog.plural import format_count, is_or_are

from .agreement import Match, match_objects
from .intervals import Interval, estimate_share_by_image
from .subjects import CheckedObject

SAME_OBJECT_OVERLAP = 0.5
"""VOC's own criterion of a correct detection (the paper, section 4.2.2)."""


@dataclass(frozen=True)
class GoldScore:
    """An answer beside the reference: objects found, all that are there, all that were drawn.

    Found objects have the right class; `views` and `flags` count those of them with another view or
    flag, `classes` matched boxes with another class.
    """

    found: int
    objects: int
    drawn: int
    classes: int
    views: int
    flags: int
    mean_overlap: float | None

    def is_passed(self, least_share: float) -> bool:
        """Whether enough was found, and enough of what was drawn is right."""
        of_objects = self.found / self.objects if self.objects else 1.0
        of_drawn = self.found / self.drawn if self.drawn else float(not self.objects)
        return min(of_objects, of_drawn) >= least_share


@dataclass(frozen=True)
class GoldRecord:
    """A person's gold images so far; `found` of what is there, `right` of what was drawn."""

    person_id: int
    images: int
    passed: int
    found: Interval
    right: Interval


def score_answer(answer: Sequence[CheckedObject], reference: Sequence[CheckedObject]) -> GoldScore:
    """How the answer compares with the reference; difficult objects may be left out.

    A difficult object of the reference counts neither as there nor, where drawn, as drawn, as in
    VOC's evaluation.
    """
    matches = match_objects(answer, reference, least_overlap=SAME_OBJECT_OVERLAP).matches
    counted = [match for match in matches if not match.second.difficult]
    right = [match for match in counted if match.first.class_name == match.second.class_name]
    overlaps = [match.overlap for match in right]
    return GoldScore(
        found=len(right),
        objects=sum(not item.difficult for item in reference),
        drawn=len(answer) - (len(matches) - len(counted)),
        classes=len(counted) - len(right),
        views=sum(match.first.view is not match.second.view for match in right),
        flags=sum(_has_other_flags(match) for match in right),
        mean_overlap=sum(overlaps) / len(overlaps) if overlaps else None,
    )


def give_feedback(score: GoldScore) -> Iterator[str]:
    """Sentences for the trainee that say how many things are off, but neither which nor where.

    So the same image can be given to the next person, whoever tells them of it.
    """
    missed = score.objects - score.found - score.classes
    extra = score.drawn - score.found - score.classes
    if missed > 0:
        yield f"{_they_are(missed, 'object')} missing, or the box is too far off."
    if extra > 0:
        yield f"{_they_are(extra, 'box', 'boxes')} around no object that we know of."
    if score.classes:
        yield f"{_they_are(score.classes, 'object')} of another class."
    if score.views:
        yield f"{_they_are(score.views, 'object')} seen from another side."
    if score.flags:
        yield f"{_they_are(score.flags, 'object')} truncated or occluded otherwise."


def summarise_gold(scores: Mapping[int, Sequence[tuple[GoldScore, bool]]]) -> list[GoldRecord]:
    """Each person's record from their scores and whether each was passed, in order of ids."""
    records = []
    for person_id in sorted(scores):
        listed = [score for score, _ in scores[person_id]]
        found = [score.found for score in listed]
        records.append(
            GoldRecord(
                person_id,
                len(listed),
                sum(is_passed for _, is_passed in scores[person_id]),
                estimate_share_by_image(found, [score.objects for score in listed]),
                estimate_share_by_image(found, [score.drawn for score in listed]),
            )
        )
    return records


def format_score(score: GoldScore) -> dict[str, Any]:
    """The score as plain values, as a row keeps it."""
    return asdict(score)


def parse_score(values: Mapping[str, Any]) -> GoldScore:
    """The score that a row keeps."""
    return GoldScore(**values)


def _has_other_flags(match: Match) -> bool:
    first, second = match.first, match.second
    return (first.truncated, first.occluded) != (second.truncated, second.occluded)


def _they_are(number: int, noun: str, many: str = "") -> str:
    return f"{format_count(number, noun, many)} {is_or_are(number)}"
