"""The sets of suggestions of a party, and what people did with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import distinct, func, select
from sqlalchemy.orm import Session

from catalog.states import Suggested, SuggestionKind
from catalog.suggested import stands
from catalog.tables import (
    Image,
    Object,
    Segment,
    SegmentChoice,
    Suggestion,
    SuggestionRejection,
    SuggestionSet,
)

from .values import SuggestionError


def load_sets(session: Session) -> list[dict[str, Any]]:
    """What is told of every set, the first one first.

    `accepted`, `corrected` and `rejected` are counted in the newest revisions of images; of a pair
    of models, which suggests where people click alone, in the newest drawings. Of boxes that people
    drew class by class, those count that stand.
    """
    became = _count_became(session) | _count_outlines(session)
    drawn = _count_drawn(session)
    rejected = _count_rejected(session)
    sets = session.scalars(select(SuggestionSet).order_by(SuggestionSet.id))
    return [
        {
            "id": row.id,
            "model": row.model,
            "version": row.version,
            "sha256": row.sha256,
            "licence": row.licence,
            "kind": row.kind.value,
            "person": row.person.name if row.person else None,
            "min_confidence": row.min_confidence,
            "loaded_at": _format(row.loaded_at),
            "switched_off_at": _format(row.switched_off_at),
            "withdrawn_at": _format(row.withdrawn_at),
            "state": _name_state(row),
            **_count_stored(row, drawn),
            "left_out": row.left_out,
            "accepted": became.get((row.id, Suggested.ACCEPTED), 0),
            "corrected": became.get((row.id, Suggested.CORRECTED), 0),
            "rejected": rejected.get(row.id, 0),
        }
        for row in sets
    ]


def _format(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


def _name_state(row: SuggestionSet) -> str:
    if row.withdrawn_at is not None:
        return "withdrawn"
    if row.loaded_at is None:
        return "not loaded whole"
    return "off" if row.switched_off_at is not None else "on"


def _count_stored(row: SuggestionSet, drawn: Mapping[int, tuple[int, int]]) -> dict[str, Any]:
    """How many suggestions a set has, of how many images; None where it does not store any."""
    if row.kind is SuggestionKind.OUTLINE:
        return {"images": None, "blanks": None, "suggestions": None}
    images, suggestions = drawn.get(row.id, (row.images, row.suggestions))
    return {"images": images, "blanks": row.blanks, "suggestions": suggestions}


def _count_drawn(session: Session) -> dict[int, tuple[int, int]]:
    """By set, in how many images people drew boxes class by class, and how many that stand."""
    counts = (
        select(Suggestion.set_id, func.count(distinct(Suggestion.image_id)), func.count())
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(SuggestionSet.kind == SuggestionKind.DRAWN, stands())
        .group_by(Suggestion.set_id)
    )
    return {set_id: (images, boxes) for set_id, images, boxes in session.execute(counts)}


def _count_outlines(session: Session) -> dict[tuple[int, Suggested], int]:
    """How many outlines of the newest drawings came from each pair, by what was done with them."""
    counts = (
        select(Segment.suggestion_set_id, Segment.suggested, func.count())
        .join(SegmentChoice, SegmentChoice.segmentation_id == Segment.segmentation_id)
        .join(SuggestionSet, SuggestionSet.id == Segment.suggestion_set_id)
        .where(SuggestionSet.kind == SuggestionKind.OUTLINE)
        .group_by(Segment.suggestion_set_id, Segment.suggested)
    )
    return {(set_id, word): count for set_id, word, count in session.execute(counts) if word}


def _count_became(session: Session) -> dict[tuple[int, Suggested], int]:
    """How many suggestions of each set became objects, by what was done with them."""
    counts = (
        select(Suggestion.set_id, Object.suggested, func.count())
        .join(Object, Object.suggestion_id == Suggestion.id)
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Object.suggestion_id.is_not(None))
        .group_by(Suggestion.set_id, Object.suggested)
    )
    return {(set_id, word): count for set_id, word, count in session.execute(counts) if word}


def _count_rejected(session: Session) -> dict[int, int]:
    number = SuggestionRejection.suggestion_id
    counts = (
        select(Suggestion.set_id, func.count(distinct(number)))
        .join(SuggestionRejection, number == Suggestion.id)
        .join(Image, Image.annotation_id == SuggestionRejection.annotation_id)
        .group_by(Suggestion.set_id)
    )
    return dict(session.execute(counts).tuples().all())


def format_sets(sets: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The sets as lines of a table."""
    yield (
        f"{'set':>4} {'model':<24} {'version':<10} {'state':<16} {'images':>9} {'blank':>9} "
        f"{'suggestions':>11} "
        f"{'accepted':>9} {'corrected':>9} {'rejected':>9}"
    )
    for row in sets:
        yield (
            f"{row['id']:>4} {row['model'][:24]:<24} {row['version'][:10]:<10} {row['state']:<16} "
            f"{_show(row['images']):>9} {_show(row['blanks']):>9} {_show(row['suggestions']):>11} "
            f"{row['accepted']:>9,} {row['corrected']:>9,} {row['rejected']:>9,}"
        )


def _show(count: int | None) -> str:
    return "-" if count is None else f"{count:,}"


def find_set(session: Session, set_id: int) -> SuggestionSet:
    """The set of a number; SuggestionError where there is none."""
    row = session.get(SuggestionSet, set_id)
    if row is None:
        raise SuggestionError(
            f"There is no set {set_id}; `vocparty suggest list` shows the party's sets."
        )
    return row


def switch(session: Session, set_id: int, *, is_on: bool, at: datetime) -> bool:
    """Whether this showed a set to people again, or hid it; False where it was so already."""
    row = find_set(session, set_id)
    if row.withdrawn_at is not None:
        raise SuggestionError(
            f"Set {set_id} was withdrawn and stays so; load its file again to show it."
        )
    if row.loaded_at is None:
        raise SuggestionError(
            f"Set {set_id} was never loaded whole; `vocparty suggest withdraw {set_id}` removes it."
        )
    if (row.switched_off_at is None) is is_on:
        return False
    row.switched_off_at = None if is_on else at
    return True
