"""Two images that belong together, what decided so, and what can go wrong on the way."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from vockit.errors import UserError

if TYPE_CHECKING:
    from .verify.evidence import Evidence

NEARLY_ALL = 0.9
"""Of 3,400 copies and their originals the one shows 0.91 or more of the other's features, and the
correlation is 0.93 or more; pages of one layout that no feature joins reach 0.93."""

BY_REGISTRATION = "features, hashes and tiles"
BY_TIME = "owner, time and likeness"
BY_UPLOAD = "owner, time of upload and likeness"
BY_THIRD = "an image that both belong to"
BY_PERSON = "a person"


class DedupError(UserError):
    """Near-duplicates cannot be sought; the message says what to do."""


class BrokenImageError(DedupError):
    """A stored file is not a whole image; the message is the reason that its row keeps."""


class WorkersEndedError(DedupError):
    """The machine ends the processes that do the work; no file is to blame."""


class LabelError(DedupError):
    """A person's word on two images cannot be taken; the message says why."""


class ClusterError(DedupError):
    """A Dask cluster cannot be used; the message says what to do."""


class Relation(StrEnum):
    """How two images belong together."""

    DUPLICATE = "duplicate"
    SAME_EVENT = "same_event"
    COLLAGE = "collage"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two images, the lower id first, how they belong together and how well that is known.

    `doubt` is 0 for what is certain and 1 on the threshold; `how` names what decided. Of an event
    `gap_secs` says how far apart its shots were taken or uploaded, `scene_similarity` how alike
    they look; `distance_bits` is known where only another's hashes were compared.
    """

    first_id: int
    second_id: int
    relation: Relation
    doubt: float
    evidence: Evidence | None = None
    how: str = BY_REGISTRATION
    gap_secs: float | None = None
    scene_similarity: float | None = None
    distance_bits: int | None = None

    @property
    def ids(self) -> tuple[int, int]:
        """Both ids, the lower one first."""
        return self.first_id, self.second_id

    @property
    def similarity(self) -> float | None:
        """How alike the two are, once laid over one another or else as scenes."""
        return self.scene_similarity if self.evidence is None else self.evidence.similarity

    def list_measures(self) -> dict[str, Any] | None:
        """All that was measured, by name, or None where nothing was."""
        names = ("gap_secs", "scene_similarity")
        own = {name: getattr(self, name) for name in names}
        measures = {} if self.evidence is None else asdict(self.evidence)
        measures |= {name: value for name, value in own.items() if value is not None}
        return measures or None


def tie_by_third(one: int, other: int) -> Pair:
    """The link of two images that a third one joins; nothing was measured between them."""
    first_id, second_id = sorted((one, other))
    return Pair(first_id, second_id, Relation.SAME_EVENT, doubt=1, how=BY_THIRD)
