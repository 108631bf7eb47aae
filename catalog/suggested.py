"""Which objects of revisions were made of suggestions, and of whose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from .session import in_parts
from .states import Suggested, SuggestionKind
from .tables import Object, Suggestion, SuggestionSet

_MOST_IDS = 2_000


class Detector(NamedTuple):
    """A set of suggestions: the version of the model that it came from, and when."""

    id: int
    model: str
    version: str
    sha256: str
    kind: SuggestionKind
    licence: str | None
    loaded_at: datetime | None

    @property
    def name(self) -> str:
        """The model with its version."""
        return f"{self.model} {self.version}"


class SuggestedObject(NamedTuple):
    """An object that was made of a suggestion: accepted as it was, or corrected."""

    made: Suggested
    detector: Detector


def load_suggested(
    session: Session, annotation_ids: Iterable[int]
) -> dict[int, dict[str, SuggestedObject]]:
    """By revision its objects that were made of suggestions, by key; without any it is left out."""
    detectors = {
        row[0]: Detector(*row)
        for row in session.execute(
            select(*(getattr(SuggestionSet, name) for name in Detector._fields))
        )
    }
    if not detectors:
        return {}
    columns = Object.annotation_id, Object.object_key, Object.suggested, Suggestion.set_id
    statement = select(*columns).join(Suggestion, Suggestion.id == Object.suggestion_id)
    made = defaultdict[int, dict[str, SuggestedObject]](dict)
    for some_ids in in_parts(sorted(annotation_ids), _MOST_IDS):
        rows = session.execute(statement.where(Object.annotation_id.in_(some_ids)))
        for annotation_id, key, word, set_id in rows:
            made[annotation_id][key] = SuggestedObject(word, detectors[set_id])
    return dict(made)
