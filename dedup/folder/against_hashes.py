"""Which pictures of a file of hashes show what pictures of a folder show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose

import numpy as np

from catalog.settings import DedupSettings
from dedup.decisions import slices
from dedup.matching import Source
from dedup.overlap.comparison import THEIRS_FROM, match_theirs
from dedup.overlap.details import hash_levels
from dedup.overlap.report import NEAR
from dedup.overlap.theirs import TheirImage, Theirs

from .groups import MEMORY_MB
from .kept_hashes import KeptHashes


@dataclass(frozen=True, order=True)
class Resemblance:
    """A picture of theirs that is a near-duplicate of one of the folder."""

    name: str
    ours: str


def compare_hashes(
    theirs: Theirs, kept: KeptHashes, paths: Mapping[str, str], *, workers: int = 1
) -> list[Resemblance]:
    """Every near-duplicate, by the rules of `vocparty overlap` for a file of hashes.

    `paths` are the kept pictures to compare with, by their digests.
    """
    digests = sorted(paths)
    source = kept.make_source(digests)
    our_ids = np.arange(1, len(digests) + 1)
    settings = DedupSettings(memory_mb=MEMORY_MB)
    alike = {
        Resemblance(
            theirs.images[pair.second_id - THEIRS_FROM].name, paths[digests[pair.first_id - 1]]
        )
        for pair in match_theirs(source, our_ids, theirs.images, settings, workers)
        if pair.relation in NEAR
    }
    same = _find_same(theirs.images, source, digests, paths)
    return sorted(alike.union(same))


def _find_same(
    theirs: Sequence[TheirImage], source: Source, digests: Sequence[str], paths: Mapping[str, str]
) -> Iterator[Resemblance]:
    """The same files, and the same small pictures that are more than an even slope of grey."""
    by_levels = defaultdict[str, list[TheirImage]](list)
    for image in theirs:
        if image.sha256 in paths:
            yield Resemblance(image.name, paths[image.sha256])
        if image.levels_sha256 is not None:
            by_levels[image.levels_sha256].append(image)
    for some_ids in slices(np.arange(1, len(digests) + 1)):
        for image_id, shown in sorted(source.load_known(some_ids).items()):
            aspect = shown.layout.aspect
            for image in by_levels.get(hash_levels(shown.levels) or "", ()):
                if isclose(image.layout.aspect, aspect, rel_tol=1e-4):
                    yield Resemblance(image.name, paths[digests[image_id - 1]])
