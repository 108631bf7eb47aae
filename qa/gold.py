"""Gold and training images: which there are, how answers compare with them, what may be said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.refusals import InvalidError, StaleError
from catalog.sentences import say
from catalog.states import BlindKind
from catalog.tables import BlindTask, GoldImage, Image
from vockit.format.plural import format_count, is_or_are
from vockit.report.intervals import Interval, estimate_share_by_image

from .matching import is_in_group, match_objects

SAME_OBJECT_OVERLAP = 0.5  # VOC's own criterion of a correct detection (the paper, 4.2.2)


@dataclass(frozen=True)
class GoldScore:
    """An answer next to the reference: objects found, all that are there, all that were drawn.

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
    """A person's gold images so far; shares of what is there and of what was drawn."""

    person_id: int
    images: int
    passed: int
    recall: Interval
    precision: Interval


def score_answer(
    answer: Sequence[AnnotatedObject], reference: Sequence[AnnotatedObject]
) -> GoldScore:
    """How the answer compares with the reference; difficult objects may be left out.

    A difficult object of the reference counts neither as there nor, where drawn, as drawn, as in
    VOC's evaluation; nor do boxes in a group of the reference, all of whose objects are difficult.
    """
    matching = match_objects(answer, reference, least_overlap=SAME_OBJECT_OVERLAP)
    matches = matching.matches
    in_groups = sum(is_in_group(item, reference) for item in matching.only_first)
    counted = [match for match in matches if not match.second.difficult]
    right = [match for match in counted if match.first.class_name == match.second.class_name]
    overlaps = [match.overlap for match in right]
    flags_of = attrgetter("truncated", "occluded")
    return GoldScore(
        found=len(right),
        objects=sum(not item.difficult for item in reference),
        drawn=len(answer) - (len(matches) - len(counted)) - in_groups,
        classes=len(counted) - len(right),
        views=sum(match.first.view != match.second.view for match in right),
        flags=sum(flags_of(match.first) != flags_of(match.second) for match in right),
        mean_overlap=sum(overlaps) / len(overlaps) if overlaps else None,
    )


def give_feedback(score: GoldScore) -> Iterator[str]:
    """Sentences that say how many things are off, but neither which nor where."""
    missed = score.objects - score.found - score.classes
    extra = score.drawn - score.found - score.classes
    for number, noun, many, fault in (
        (missed, "object", "", "missing, or the box is too far off"),
        (extra, "box", "boxes", "around no object that we know of"),
        (score.classes, "object", "", "of another class"),
        (score.views, "object", "", "seen from another side"),
        (score.flags, "object", "", "truncated or occluded otherwise"),
    ):
        if number > 0:
            yield f"{format_count(number, noun, many)} {is_or_are(number)} {fault}."


def summarise_gold(scores: Mapping[int, Sequence[tuple[GoldScore, bool]]]) -> list[GoldRecord]:
    """Each person's record from their scores and whether each was passed, in order of ids."""
    records = []
    for person_id, listed in sorted(scores.items()):
        matched = [score.found for score, _ in listed]
        of_objects = estimate_share_by_image(matched, [score.objects for score, _ in listed])
        of_drawn = estimate_share_by_image(matched, [score.drawn for score, _ in listed])
        passed = sum(is_passed for _, is_passed in listed)
        records.append(GoldRecord(person_id, len(listed), passed, of_objects, of_drawn))
    return records


def choose_gold(
    session: Session,
    image_id: int,
    *,
    seen_id: int | None = None,
    person_id: int,
    at: datetime,
    is_training: bool = False,
    note: str = "",
) -> GoldImage:
    """The image as a gold image, with the revision that was seen as the reference.

    That is the newest one, also without a `seen_id`, or the reference so far, which stays. Raises
    InvalidError where the image has no finished annotation with objects, StaleError where another
    revision was seen.
    """
    image = session.get(Image, image_id)
    head = None if image is None else image.annotation
    if head is None or not head.is_finished or head.discard_reason or not head.objects:
        raise InvalidError(
            say(
                "Image {image_id} has no finished annotation with objects. Finish it first.",
                image_id=image_id,
            )
        )
    if head.taster is not None:  # another person may well choose other persons
        raise InvalidError(
            say(
                "Image {image_id} was annotated for {task} alone, so it cannot be a reference.",
                image_id=image_id,
                task=head.taster.title(),
            )
        )
    gold = session.get(GoldImage, image_id) or GoldImage(image_id=image_id)
    is_reference = gold.ended_at is None and gold.annotation_id == seen_id
    if seen_id not in (None, head.id) and not is_reference:
        raise StaleError(
            say(
                "Image {image_id} was saved meanwhile. Look at its newest revision, then "
                "choose again.",
                image_id=image_id,
            )
        )
    gold.annotation_id = seen_id or head.id
    gold.is_training = is_training
    gold.note = note
    gold.person_id = person_id
    gold.chosen_at = at
    gold.ended_at = None
    session.add(gold)
    session.flush()
    return gold


def end_gold(session: Session, image_id: int, *, at: datetime) -> None:
    """No longer give the image out as gold; answers so far stay."""
    gold = session.get(GoldImage, image_id)
    if gold is not None:
        gold.ended_at = at
        session.flush()


def load_gold_scores(session: Session) -> dict[int, list[tuple[GoldScore, bool]]]:
    """Every person's scores on gold images that they did not know to be gold."""
    rows = session.execute(
        select(BlindTask.person_id, BlindTask.score, BlindTask.is_passed)
        .where(BlindTask.kind == BlindKind.GOLD, BlindTask.finished_at.is_not(None))
        .order_by(BlindTask.id)
    )
    scores: dict[int, list[tuple[GoldScore, bool]]] = {}
    for person_id, score, is_passed in rows.tuples():
        if score is not None:
            scores.setdefault(person_id, []).append((GoldScore(**score), bool(is_passed)))
    return scores
