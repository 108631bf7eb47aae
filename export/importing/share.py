"""A share of a tree's images: all its annotations are read, later its pictures are brought in."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from catalog.image_store import ImageStore
from export.verify.trees import Tree

from .brought import Brought
from .drafts import Draft, keep_storable, read_drafts, settle_words
from .findings import Mend, Skip
from .source_tree import TreeFiles, TreeMasks
from .storable import Storable
from .storing import put_pictures
from .words import KnownWords, count_unknown


@dataclass(frozen=True)
class Terms:
    """What holds for every image of an import: the tree, which words go, what goes into a store."""

    found: Tree
    files: TreeFiles
    masks: TreeMasks
    year: int
    known: KnownWords
    only_known: bool
    storable: Storable
    store: ImageStore
    max_pixels: int


@dataclass(frozen=True)
class ShareReading:
    """What reading the annotations came to; `unknown` counts words that the preset lacks."""

    images: int
    unknown: Counter[str] = field(default_factory=Counter)
    skipped: Sequence[Skip] = ()
    mends: Sequence[Mend] = ()


class Share:
    """Some images of a tree, in ascending order."""

    def __init__(self, terms: Terms, image_ids: Sequence[str]) -> None:
        self._terms, self._image_ids = terms, image_ids
        self._drafts: list[Draft] = []

    def read(self) -> ShareReading:
        """What the annotations say; the images that can be tried are kept for `bring`."""
        terms = self._terms
        drafts = read_drafts(terms.found, terms.files, terms.masks, self._image_ids, terms.year)
        drafts = keep_storable(drafts, terms.storable)
        unknown: Counter[str] = Counter()
        if not terms.only_known:
            unknown = count_unknown((draft.record for draft in drafts.drafts), terms.known)
        if not unknown:
            drafts = settle_words(drafts, terms.known if terms.only_known else None)
        self._drafts = drafts.drafts
        if not all(draft.is_plain for draft in self._drafts):
            gc.collect(0)  # parsers of XML hold themselves, and nobody else may be looking
        return ShareReading(len(self._drafts), unknown, drafts.skipped, drafts.mends)

    def bring(self, pool: Executor | None = None) -> Brought:
        """What came of the images."""
        terms, drafts, self._drafts = self._terms, self._drafts, []
        down = terms.storable.taken_down
        return put_pictures(terms.store, drafts, terms.max_pixels, pool, taken_down=down)
