"""Two images that belong together, what decided so, and what can go wrong on the way."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from catalog.errors import VocpartyError

if TYPE_CHECKING:
    from .verify.evidence import Evidence

BY_REGISTRATION = "views and registration"
BY_TIME = "owner, time and likeness"
BY_UPLOAD = "owner, time of upload and likeness"
BY_GONE_IMAGE = "the image that both were copies of"
BY_PERSON = "a person"


class DedupError(VocpartyError):
    """Near-duplicates cannot be sought; the message says what to do."""


class BrokenImageError(DedupError):
    """A stored file is not a whole image; the message is the reason that its row keeps."""


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
    they look. `first_to_second` maps the first's frame to the second's where another image says so.
    """

    first_id: int
    second_id: int
    relation: Relation
    doubt: float
    evidence: Evidence | None = None
    how: str = BY_REGISTRATION
    gap_secs: float | None = None
    scene_similarity: float | None = None
    first_to_second: tuple[float, ...] | None = None

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
        names = ("gap_secs", "scene_similarity", "first_to_second")
        own = {name: getattr(self, name) for name in names}
        measures = {} if self.evidence is None else asdict(self.evidence)
        measures |= {name: value for name, value in own.items() if value is not None}
        return measures or None
