"""What all images of an import share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.image_store import digest_of
from catalog.licences import Licence
from catalog.party import Party
from catalog.states import Source
from vockit.foreign.label_map import read_label_map
from vockit.format import tree
from vockit.format.masks import VOID
from vockit.verify.labels import list_words
from vockit.verify.masks import count_classes

_MOST_ID = 40
"""Characters of an image's id in the name of a save, which has at most 64."""


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
    source: Source = Source.VOC
    licence: Licence | None = None
    is_dry: bool = False
    has_owners: bool = True
    """Whether the owners that the files name are the photographers."""
    searched: Sequence[str] = ()
    """The party's classes that the dataset's images were searched for; of none for a tree."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """The party's class of one of the tree's, as --map says; of none it is empty."""

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

    @cached_property
    def party_labels(self) -> NDArray[np.int64] | None:
        """By each label of the tree's masks that of the same class in the party's releases.

        -1 where the party has no such class. None where the labels are the same, and where a tree
        without a label map has other classes than VOC's, so that nothing says what its labels are.
        """
        listed = tuple(read_label_map(self.root))
        if not listed and not list_words(self.root / tree.MAIN) <= set(tree.VOC_CLASSES):
            return None
        ours = self.party.preset.class_names
        names = [self.name_class(name) for name in listed or tree.VOC_CLASSES]
        labels = np.arange(VOID + 1)
        labels[1 : len(names) + 1] = [ours.index(name) + 1 if name else -1 for name in names]
        return None if np.array_equal(labels, np.arange(VOID + 1)) else labels

    def name_class(self, word: str) -> str:
        """The name of the party's class of one of the tree's; empty where it has none."""
        spec = self.party.find_class(self.renamed.get(word, word))
        return spec.name if spec else ""

    def key(self, image_id: str) -> str:
        """The end of the names of this image's saves, different in each import."""
        short = image_id if len(image_id) <= _MOST_ID else digest_of(image_id.encode())[:_MOST_ID]
        return f"{digest_of(self.name.encode())[:16]}-{short}"

    def save_key(self, image_id: str) -> str:
        """The name of the revision of this image, and of the drawing of its masks."""
        return f"import-{self.key(image_id)}"
