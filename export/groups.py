"""Which images of a release must share a set: near-duplicates, one event, photos of one owner.

Dedup keeps two near-duplicates that were both annotated; in a release they may only share a set.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import DisjointSet

from catalog.settings import DedupSettings
from catalog.states import Source

from .rows import HashRow, ImageRow

Words = npt.NDArray[np.uint64]
Owner = tuple[Source, str]

OWNER, NEAR = "owner", "near-duplicate"
"""Why images are bound."""
ROWS_AT_ONCE = 256
LEAST_QUALITY = 20.0
"""Dedup may look at plainer images, since it verifies each pair before it binds it. Here nothing is
verified: hashes of skies and walls are near one another by chance, and would bind half a release
into one group that no split may tear."""


@dataclass(frozen=True)
class Link:
    """Two images that no split may part, and what they are to each other in a word."""

    first_id: int
    second_id: int
    relation: str = NEAR


@dataclass(frozen=True)
class ImageGroup:
    """Images that stay together, in order of their digests, and what binds them."""

    images: tuple[ImageRow, ...]
    relations: tuple[str, ...]

    @property
    def counts(self) -> Counter[str]:
        """What the sets are balanced in: images, and each class in images and in objects."""
        counts: Counter[str] = Counter({"images": len(self.images)})
        for image in self.images:
            names = [item.class_name for item in image.objects]
            counts.update(f"objects of {name}" for name in names)
            counts.update(f"images with {name}" for name in set(names))
        return counts


def bind_images(images: Sequence[ImageRow], links: Iterable[Link]) -> list[ImageGroup]:
    """The images in groups that no split may tear, in order of their digests.

    A link may lead over an image that is not among them: two images put aside for a third, or a
    third put aside for both, hold together. Photos without an owner's id share no owner.
    """
    links = list(links)
    joined = join_links(links, (image.id for image in images))
    for image in images:
        for owner in list_owners(image):
            joined.add(owner)
            joined.merge(image.id, owner)
    groups: dict[Hashable, list[ImageRow]] = {}
    for image in sorted(images, key=lambda image: image.sha256):
        groups.setdefault(joined[image.id], []).append(image)
    relations: dict[Hashable, set[str]] = {}
    for link in links:
        relations.setdefault(joined[link.first_id], set()).add(link.relation)
    return [
        ImageGroup(tuple(group), _name_relations(group, relations.get(root, set())))
        for root, group in groups.items()
    ]


def join_links(links: Iterable[Link], image_ids: Iterable[int]) -> DisjointSet:
    """The images by what links alone bind."""
    joined = DisjointSet(image_ids)
    for link in links:
        joined.add(link.first_id)
        joined.add(link.second_id)
        joined.merge(link.first_id, link.second_id)
    return joined


def list_owners(image: ImageRow) -> set[Owner]:
    """Who published the image, as far as it is known; a name counts for its source alone."""
    return {(photo.source, photo.owner_id) for photo in image.photos if photo.owner_id}


def find_near_pairs(
    hashes: Iterable[tuple[int, HashRow]], settings: DedupSettings
) -> list[tuple[int, int]]:
    """The pairs of ids whose hashes lie within both thresholds, the smaller id first, sorted.

    Hashes of different recipes, and images of a quality under the setting or
    LEAST_QUALITY, match nothing.
    """
    least = max(settings.min_quality, LEAST_QUALITY)
    by_recipe: dict[str, list[tuple[int, HashRow]]] = defaultdict(list)
    for image_id, row in hashes:
        if row.quality >= least:
            by_recipe[row.recipe].append((image_id, row))
    return sorted(pair for rows in by_recipe.values() for pair in _pairs(sorted(rows), settings))


def _name_relations(group: Sequence[ImageRow], linked: set[str]) -> tuple[str, ...]:
    if len(group) == 1:
        return ()
    named = [owner for image in group for owner in list_owners(image)]
    return tuple(sorted(linked | ({OWNER} if len(set(named)) < len(named) else set())))


def _pairs(
    hashes: Sequence[tuple[int, HashRow]], settings: DedupSettings
) -> Iterator[tuple[int, int]]:
    short = _words([row.phash_64 for _, row in hashes])
    long = _words([row.phash_256 for _, row in hashes])
    for start in range(0, len(hashes), ROWS_AT_ONCE):
        block = short[start : start + ROWS_AT_ONCE]
        distances = _distances_bits(block[:, None, :], short[None, start:, :])
        for row, column in np.argwhere(distances <= settings.max_distance_64_bits):
            first, second = start + int(row), start + int(column)
            if first >= second:
                continue
            if _distances_bits(long[first], long[second]) <= settings.max_distance_256_bits:
                yield hashes[first][0], hashes[second][0]


def _words(texts: Sequence[str]) -> Words:
    """A row of 64-bit words for each text of hexadecimal digits."""
    return np.array([np.frombuffer(bytes.fromhex(text), dtype=">u8") for text in texts], np.uint64)


def _distances_bits(first: Words, second: Words) -> npt.NDArray[np.int64]:
    distances: npt.NDArray[np.int64] = np.bitwise_count(first ^ second).sum(axis=-1, dtype=np.int64)
    return distances
