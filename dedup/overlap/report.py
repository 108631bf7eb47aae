"""The result of a comparison with other people's images, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from catalog.party import Party
from dedup.executors import Watch, unwatched
from dedup.pairs import Relation
from vockit.report.comparison import Compared

from .comparison import Overlap, find_overlaps
from .ours import OurImage, Scope, load_ours
from .theirs import Theirs, Unreadable

NEAR = (Relation.DUPLICATE, Relation.COLLAGE)


@dataclass(frozen=True)
class OverlapReport:
    """What was compared, what was found, and what could not be compared.

    `plain` counts their images that show so little that of two such ones only the same picture is
    told; `not_hashed` those of ours that dedup has not seen.
    """

    origin: str
    scope: Scope
    ours: int
    theirs: int
    plain: int
    not_hashed: int
    overlaps: Sequence[Overlap]
    unreadable: Sequence[Unreadable]

    @property
    def near(self) -> list[Overlap]:
        """The near-duplicates, without what only shows the same event."""
        return [overlap for overlap in self.overlaps if overlap.relation in NEAR]

    @property
    def compared(self) -> Compared:
        """Their images: those that are none of ours, those that are, and those that are broken."""
        near = sorted({overlap.name for overlap in self.near})
        broken = [f"{file.name}: {file.reason}" for file in self.unreadable]
        return Compared(
            what="image",
            equal=self.theirs - len(near),
            different=(*near, *broken),
            is_right=f"no near-duplicates of {self.ours} images ({self.scope})",
            is_wrong="near-duplicates or broken",
        )

    @property
    def is_clear(self) -> bool:
        """Whether everything was compared and nothing is a near-duplicate."""
        return self.compared.is_passed and not self.not_hashed

    @property
    def summary(self) -> str:
        """All of it in one sentence."""
        if not self.compared.compared:
            sentence = self.compared.sentence
            return sentence[:1].upper() + sentence[1:]
        files = len(self.compared.different) - len(self.unreadable)
        more = [
            (len(self.overlaps) - len(self.near), "only alike"),
            (len(self.unreadable), "broken"),
            (self.plain, "so plain that only the same picture is told"),
        ]
        rest = "".join(f", {count} {words}" for count, words in more if count)
        return (
            f"{files} of {self.theirs} images {'is a' if files == 1 else 'are'} "
            f"near-duplicate{'s' * (files != 1)} of {self.ours} images ({self.scope}){rest}."
        )

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON document."""
        return {
            "source": self.origin,
            "against": str(self.scope),
            "ours": self.ours,
            "theirs": self.theirs,
            "too_plain": self.plain,
            "not_hashed": self.not_hashed,
            "compared": self.compared.as_json(),
            "overlaps": [_format_overlap(overlap) for overlap in self.overlaps],
            "broken": [{"file": file.name, "reason": file.reason} for file in self.unreadable],
        }


def find_overlap_report(
    party: Party,
    theirs: Theirs,
    scope: Scope,
    *,
    workers: int | None = None,
    watch: Watch = unwatched,
) -> OverlapReport:
    """What of theirs is in the scope of ours; raises OverlapError where the scope is empty."""
    with party.catalogue.reading() as session:
        ours = load_ours(session, scope)
    return OverlapReport(
        theirs.origin,
        scope,
        sum(not image.is_aside for image in ours),
        len(theirs.images),
        sum(image.quality < party.settings.dedup.min_quality for image in theirs.images),
        sum(not image.is_hashed and not image.is_aside for image in ours),
        find_overlaps(party, theirs.images, ours, workers=workers, watch=watch),
        theirs.unreadable,
    )


def describe_place(image: OurImage) -> str:
    """Where an image of ours is, as its public name or as its number in the catalogue."""
    if image.public_id is None:
        return f"image {image.image_id}" + (" (put aside)" if image.is_aside else "")
    return f"{image.public_id} ({image.release}, {image.split})"


def _format_overlap(overlap: Overlap) -> dict[str, Any]:
    names = ("sha256", "release", "split", "public_id")
    return {
        "file": overlap.name,
        "relation": overlap.relation.value,
        "similarity": None if overlap.similarity is None else round(overlap.similarity, 4),
        "distance_bits": overlap.distance_bits,
        "image": {"id": overlap.image.image_id}
        | {name: getattr(overlap.image, name) for name in names},
    }
