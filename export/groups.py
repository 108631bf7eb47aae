"""Which images of a release must share a set: near-duplicates, one event, photos of one owner."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from catalog.settings import DedupSettings
from catalog.states import Source
from vockit.format.plural import format_count

from .rows import FLICKR_PAGE, HashRow, ImageRow, PhotoRow

if TYPE_CHECKING:
    from scipy.cluster.hierarchy import DisjointSet

Owner = tuple[Source, str]

OWNER = "owner"
NEAR = "near-duplicate"
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

    @property
    def ends(self) -> frozenset[int]:
        """Both ids."""
        return frozenset((self.first_id, self.second_id))


@dataclass(frozen=True)
class ImageGroup:
    """Images that stay together, in order of their digests, and what binds them.

    `near_pairs` are the ids of those that are near-duplicates of one another, not over others.
    """

    images: tuple[ImageRow, ...]
    relations: tuple[str, ...]
    near_pairs: tuple[tuple[int, int], ...] = ()

    def count(self, masked: Set[int]) -> Counter[str]:
        """What the sets are balanced in: images, and each class in images and in objects.

        Also objects with masks, with parts and of each action, and images for one task alone, which
        count in nothing else. `masked` are the ids of the images of which there are masks.
        """
        counts: Counter[str] = Counter()
        for image in self.images:
            counts.update(f"{item.class_name} with parts" for item in image.objects if item.parts)
            counts.update(f"doing {word}" for item in image.objects for word in item.actions)
            if image.taster is not None:
                counts[f"images for {image.taster} alone"] += 1
                continue
            counts["images"] += 1
            names = [item.class_name for item in image.objects]
            counts.update(f"objects of {name}" for name in names)
            counts.update(f"images with {name}" for name in set(names))
            if image.id in masked:
                counts["images with masks"] += 1
                counts.update(f"masks of {name}" for name in names)
        return counts


def bind_images(images: Sequence[ImageRow], links: Iterable[Link]) -> list[ImageGroup]:
    """The images in groups that no split may tear, by digest; a link may lead over other images."""
    links = list(links)
    joined = join_links(links, (image.id for image in images))
    for image in images:
        join_owners(joined, image)
    groups = defaultdict[Hashable, list[ImageRow]](list)
    for image in sorted(images, key=lambda image: image.sha256):
        groups[joined[image.id]].append(image)
    relations = defaultdict[Hashable, set[str]](set)
    near_pairs = defaultdict[Hashable, set[tuple[int, int]]](set)
    present = {image.id for image in images}
    for link in _find_binding(links, present):
        root = joined[link.first_id]
        relations[root].add(link.relation)
        if link.relation == NEAR and present >= link.ends:
            near_pairs[root].add((min(link.ends), max(link.ends)))
    for root, group in groups.items():
        relations[root] |= {OWNER} if share_owner(group) else set()
    return [
        ImageGroup(tuple(group), tuple(sorted(relations[root])), tuple(sorted(near_pairs[root])))
        for root, group in groups.items()
    ]


def share_owner(images: Iterable[ImageRow]) -> bool:
    """Whether two of the images are of one owner."""
    owners = [owner for image in images for owner in list_owners(image)]
    return len(set(owners)) < len(owners)


def _find_binding(links: Iterable[Link], present: Set[int]) -> Iterator[Link]:
    """The links between these images, and those that lead from one to another over absent ones."""
    links = [link for link in links if link.first_id != link.second_id]
    absent = join_links([link for link in links if not link.ends & present], ())
    reached = defaultdict[Hashable, set[int]](set)
    for link in links:
        for image_id in link.ends - present:
            absent.add(image_id)
            reached[absent[image_id]] |= link.ends & present
    for link in links:
        beyond = link.ends - present
        if not beyond or len(reached[absent[min(beyond)]]) > 1:
            yield link


def join_links(links: Iterable[Link], image_ids: Iterable[int]) -> DisjointSet:
    """The images by what links alone bind."""
    from scipy.cluster.hierarchy import DisjointSet  # takes long, and few commands bind images

    joined = DisjointSet(image_ids)
    for link in links:
        joined.add(link.first_id)
        joined.add(link.second_id)
        joined.merge(link.first_id, link.second_id)
    return joined


def join_owners(joined: DisjointSet, image: ImageRow) -> None:
    """Bind the image to all that its owners have."""
    joined.add(image.id)
    for owner in list_owners(image):
        joined.add(owner)
        joined.merge(image.id, owner)


def list_owners(image: ImageRow) -> set[Owner]:
    """Who published the image, as far as it is known; a name counts for its source alone.

    A table of Flickr's photographs names their owners as Flickr does.
    """
    return {(_find_home(photo), photo.owner_id) for photo in image.photos if photo.owner_id}


def _find_home(photo: PhotoRow) -> Source:
    """Where the photograph was published, as far as a table says so."""
    is_of_flickr = photo.source is Source.TABLE and FLICKR_PAGE.fullmatch(photo.page_url or "")
    return Source.FLICKR if is_of_flickr else photo.source


def find_near_pairs(
    hashes: Iterable[tuple[int, HashRow]], settings: DedupSettings
) -> list[tuple[int, int]]:
    """The sorted pairs of ids whose hashes of one recipe are near, and not of plain pictures."""
    least = max(settings.min_quality, LEAST_QUALITY)
    by_recipe: dict[str, list[tuple[int, HashRow]]] = defaultdict(list)
    for image_id, row in hashes:
        if row.quality >= least:
            by_recipe[row.recipe].append((image_id, row))
    pairs = list[tuple[int, int]]()
    for rows in map(sorted, by_recipe.values()):
        digits = [row.phash_64 for _, row in rows], [row.phash_256 for _, row in rows]
        short, long = (  # a row of 64-bit words for each
            np.array([np.frombuffer(bytes.fromhex(text), dtype=">u8") for text in texts], np.uint64)
            for texts in digits
        )
        for start in range(0, len(rows), ROWS_AT_ONCE):
            block = short[start : start + ROWS_AT_ONCE, None]
            distances_bits = np.bitwise_count(block ^ short[None, start:]).sum(axis=-1)
            near = np.argwhere(distances_bits <= settings.max_distance_64_bits) + start
            for first, other in near[near[:, 0] < near[:, 1]]:
                distance_bits = np.bitwise_count(long[first] ^ long[other]).sum()
                if distance_bits <= settings.max_distance_256_bits:
                    pairs.append((rows[first][0], rows[other][0]))
    return sorted(pairs)


@dataclass(frozen=True)
class Bridge:
    """Near-duplicates of several owners, and which to leave out; `bound` counts what these have."""

    images: tuple[ImageRow, ...]
    left_out: tuple[ImageRow, ...]
    bound: int

    @property
    def reason(self) -> str:
        """Why its images are left out, in words."""
        kept = [str(image.id) for image in self.images if image not in self.left_out]
        stays = f"; image {' and '.join(kept)} of one of them stays" if kept else ""
        return f"--unbind leaves it out, since it binds photographs of different owners{stays}"

    def record(self, image_id: int, public_ids: Mapping[int, str]) -> dict[str, Any]:
        """One image that was left out, with the near-duplicates of it that stay."""
        (image,) = (image for image in self.left_out if image.id == image_id)
        kept = [public_ids[image.id] for image in self.images if image.id in public_ids]
        return {"image_id": image_id, "stored_sha256": image.sha256, "kept": kept}


def find_bridges(
    groups: Sequence[ImageGroup], links: Iterable[Link], share: float, fixed: Set[int] = frozenset()
) -> tuple[Bridge, ...]:
    """What binds owners in groups above this share of all, the most binding first; `fixed` stay."""
    most = share * sum(len(group.images) for group in groups)
    joined = join_links(links, (image.id for group in groups for image in group.images))
    bridges = list[Bridge]()
    for group in groups:
        held = defaultdict[Owner, set[int]](set)
        clusters = defaultdict[Hashable, list[ImageRow]](list)
        for image in group.images if len(group.images) > most else ():
            clusters[joined[image.id]].append(image)
            for owner in list_owners(image):
                held[owner].add(image.id)
        for near in clusters.values():
            owners = set[Owner]().union(*map(list_owners, near))
            if len(owners) < 2:
                continue
            # the fixed images stay, then as many as can
            alone = {
                owner: {image.id for image in near if not list_owners(image) - {owner}}
                for owner in owners
            }
            kept = max(
                sorted(owners), key=lambda owner: (len(fixed & alone[owner]), len(alone[owner]))
            )
            others = (image for image in near if list_owners(image) - {kept})
            left_out = tuple(image for image in others if image.id not in fixed)
            bound = len(set().union(*(held[owner] for owner in owners)))
            bridges.append(Bridge(tuple(near), left_out, bound))
    return tuple(sorted(bridges, key=lambda bridge: (-bridge.bound, bridge.images[0].sha256)))


def describe_bridges(bridges: Sequence[Bridge], public_ids: Mapping[int, str]) -> Iterator[str]:
    """Lines that name what binds the most, and offer to leave images out."""
    if bridges:
        pairs = format_count(len(bridges), "pair")
        yield (
            f"Near-duplicates of different owners ({pairs}) bind all that these have into one set:"
        )
    for bridge in bridges[:10]:
        names = []
        for image in bridge.images:
            owners = {photo.owner_name or photo.owner_id or "" for photo in image.photos} - {""}
            owner = " and ".join(sorted(owners)) or "owner unknown"
            names.append(f"{public_ids.get(image.id, image.id)} ({owner})")
        yield f"  {' and '.join(names)}: {format_count(bridge.bound, 'image')}"
    if count := sum(len(bridge.left_out) for bridge in bridges):
        left_out = format_count(count, "image")
        yield (
            f"`--unbind` leaves out {left_out}, one of each pair, so that each owner is free again."
        )
    elif bridges:
        yield "They are all in the release that is extended, so `--unbind` leaves none of them out."
