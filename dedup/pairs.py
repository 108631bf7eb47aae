"""Two images that belong together, and what decided so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .verify.verdicts import Relation

if TYPE_CHECKING:
    from .verify.evidence import Evidence

BY_REGISTRATION = "views and registration"
BY_TIME = "owner, time and likeness"
BY_PERSON = "a person"


@dataclass(frozen=True)
class Pair:
    """Two images, the lower id first, how they belong together and how well that is known.

    `doubt` is 0 for what is certain and 1 on the threshold; `how` names what decided.
    """

    first_id: int
    second_id: int
    relation: Relation
    doubt: float
    evidence: Evidence | None = None
    how: str = BY_REGISTRATION

    @property
    def ids(self) -> tuple[int, int]:
        """Both ids, the lower one first."""
        return self.first_id, self.second_id
