"""What all images of an import share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from catalog.image_store import digest_of
from catalog.party import Party
from vockit.verify.masks import count_classes


@dataclass(frozen=True)
class Import:
    """What all images of an import share."""

    party: Party
    root: Path
    name: str
    year: int
    at: datetime
    only_known: bool
    blocked: Mapping[str | None, str]
    taken_down: Mapping[str, int]
    person_id: int = 0
    query_id: int = 0

    @cached_property
    def words(self) -> frozenset[str]:
        """What the preset has names for, each with its kind: "class cat", "part head"."""
        preset = self.party.preset
        kinds: dict[str, Sequence[Any]]
        kinds = {"class": preset.classes, "part": preset.parts, "action": preset.actions}
        return frozenset(f"{kind} {word.name}" for kind, some in kinds.items() for word in some)

    @cached_property
    def most_classes(self) -> int:
        """The largest label of the tree's masks of classes."""
        return count_classes(self.root)

    def key(self, image_id: str) -> str:
        """The end of the names of this image's saves, different in each import."""
        return f"{digest_of(self.name.encode())[:16]}-{image_id}"

    def save_key(self, image_id: str) -> str:
        """The name of the revision of this image, and of the drawing of its masks."""
        return f"import-{self.key(image_id)}"
