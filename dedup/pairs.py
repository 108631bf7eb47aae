"""Two images that belong together, what was measured of them, and what decided so."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

BY_REGISTRATION = "features, hashes and tiles"
BY_TIME = "owner, time and likeness"
BY_UPLOAD = "owner, time of upload and likeness"
BY_THIRD = "an image that both belong to"
BY_PERSON = "a person"


class Relation(StrEnum):
    """How two images belong together."""

    DUPLICATE = "duplicate"
    SAME_EVENT = "same_event"
    COLLAGE = "collage"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What two pictures have in common where they overlap, as the catalogue keeps it.

    `covered` are the shares of the first's and the second's features that lie within the other.
    `similarity` is the median correlation of the places that hold anything, -1 to 1; `details`
    counts those with edges in more than one direction, which horizons and discs have not.
    `changed` is the share of the overlap that shows another thing in each, `drawn` the shares that
    were drawn over in the first and in the second. `outside` are the shares of the pictures' areas
    that lie outside of the other's frame, `margin` what is plain of that. `has_seam` says that the
    larger picture breaks off at the frame of the smaller.

    `first_to_second` are the six numbers of the affine map from the first image's coordinates (0 to
    1) to the second's that is nearest to the map; `inliers` is how many features agree on it, 0
    where a hash gave the map. `drawn_boxes` surround what was drawn over, each by left, top, right
    and bottom in the first image's coordinates.
    """

    similarity: float
    details: int
    covered_first: float
    covered_second: float
    changed: float
    drawn_first: float
    drawn_second: float
    outside_first: float
    outside_second: float
    margin_first: float
    margin_second: float
    has_seam: bool
    inliers: int
    first_to_second: tuple[float, ...]
    drawn_boxes: tuple[tuple[float, ...], ...] = ()

    @property
    def rest_first(self) -> float:
        """The share of the first that lies outside of the second and is not plain."""
        return self.outside_first - self.margin_first

    @property
    def rest_second(self) -> float:
        """The same of the second."""
        return self.outside_second - self.margin_second


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
        fields = {name: getattr(self, name) for name in names}
        measures = {} if self.evidence is None else asdict(self.evidence)
        measures |= {name: value for name, value in fields.items() if value is not None}
        return measures or None


def tie_by_third(image_id: int, other_id: int) -> Pair:
    """The link of two images that a third one joins; nothing was measured between them."""
    first_id, second_id = sorted((image_id, other_id))
    return Pair(first_id, second_id, Relation.SAME_EVENT, doubt=1, how=BY_THIRD)
