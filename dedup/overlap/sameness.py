"""Which of their pictures are the very same as ours, however little there is to be seen in them.

Of plain pictures nothing else can be said: any two black frames lie on one another. So these are
the same file, or have the same levels everywhere and are more than an even slope of grey.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isclose

import numpy as np

from catalog.party import Party
from dedup.decisions import slices
from dedup.signature_rows import load_known

from .details import hash_levels
from .ours import OurImage
from .theirs import PLAIN_QUALITY, TheirImage

Same = tuple[TheirImage, int]
"""One of their images and the id of the one of ours that is the same picture."""


def find_same_files(theirs: Sequence[TheirImage], ours: Iterable[OurImage]) -> Iterator[Same]:
    """Those that have the same bytes."""
    ids = {image.sha256: image.image_id for image in ours}
    return ((image, ids[image.sha256]) for image in theirs if image.sha256 in ids)


def find_same_pictures(
    party: Party, theirs: Sequence[TheirImage], ours: Iterable[OurImage]
) -> Iterator[Same]:
    """Plain ones that have the same shape and levels."""
    least = max(PLAIN_QUALITY, party.settings.dedup.min_quality)
    plain = [image.image_id for image in ours if image.is_hashed and image.quality < least]
    by_levels: defaultdict[str | None, list[TheirImage]] = defaultdict(list)
    for image in theirs:
        if image.levels_sha256 is not None and image.quality < least:
            by_levels[image.levels_sha256].append(image)
    for some_ids in slices(np.array(sorted(plain), np.int64)):
        with party.catalogue.reading() as session:
            known = load_known(session, some_ids)
        for image_id, shown in sorted(known.items()):
            for image in by_levels.get(hash_levels(shown.levels), ()):
                if isclose(image.layout.aspect, shown.layout.aspect, rel_tol=1e-4):
                    yield image, image_id
