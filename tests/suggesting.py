"""Sets of suggestions for the tests."""

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select

from catalog.image_store import digest_of
from catalog.party import PartyData
from catalog.states import SuggestionKind
from catalog.tables import Suggestion, SuggestionBlank, SuggestionSet

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
XYXY = (48, 240, 195, 371)
_numbers = itertools.count()


def suggest(
    party: PartyData,
    image_id: int,
    boxes: Sequence[tuple[int, int, int, int]] = (XYXY,),
    *,
    class_id: str = "person",
    confidence: float = 0.9,
    **of_set: Any,
) -> list[int]:
    """The ids of new suggestions for an image, of a new set; each is a bit less confident."""
    values = {"model": "net", "version": "1", "kind": SuggestionKind.FILE, "loaded_at": NOON}
    with party.catalogue.writing() as session:
        digest = digest_of(f"set {next(_numbers)}".encode())
        group = SuggestionSet(**{"sha256": digest, **values, **of_set})
        session.add(group)
        session.flush()
        rows = [
            Suggestion(
                set_id=group.id,
                image_id=image_id,
                class_id=class_id,
                confidence=confidence - 0.001 * place,
                **dict(zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)),
            )
            for place, box in enumerate(boxes)
        ]
        session.add_all(rows)
        session.flush()
        return [row.id for row in rows]


def find_nothing(party: PartyData, image_id: int, **of_set: Any) -> None:
    """A new set whose model looked at an image and found nothing there."""
    suggest(party, image_id, (), **of_set)
    with party.catalogue.writing() as session:
        set_id = session.scalar(select(func.max(SuggestionSet.id)))
        session.add(SuggestionBlank(set_id=set_id, image_id=image_id))
