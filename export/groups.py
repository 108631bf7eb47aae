"""Which images of a release must share a set: near-duplicates, and photos of one owner."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from .rows import ImageRow

OWNER = "owner"
"""Why images are bound that one person put there."""
NEAR = "near-duplicate"


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


def bind_images(images: Sequence[ImageRow], links: Iterable[Link]) -> list[ImageGroup]:
    """The images in groups that no split may tear, in order of their digests.

    A link may lead over an image that is not among them: two images put aside for a third, or a
    third put aside for both, hold together. Photos without an owner's id have nobody in common.
    """
    joined, links = _Links(), list(links)
    for link in links:
        joined.join(link.first_id, link.second_id)
    for image in images:
        for photo in image.photos:
            if photo.owner_id:
                joined.join(image.id, (photo.source, photo.owner_id))
    groups: dict[Hashable, list[ImageRow]] = {}
    for image in sorted(images, key=lambda image: image.sha256):
        groups.setdefault(joined.find(image.id), []).append(image)
    relations: dict[Hashable, set[str]] = {}
    for link in links:
        relations.setdefault(joined.find(link.first_id), set()).add(link.relation)
    return [
        ImageGroup(tuple(group), _name_relations(group, relations.get(root, set())))
        for root, group in groups.items()
    ]


def group_images(
    images: Sequence[ImageRow], pairs: Iterable[tuple[int, int]]
) -> list[tuple[ImageRow, ...]]:
    """The images of each group that `bind_images` makes of near-duplicates."""
    return [group.images for group in bind_images(images, [Link(*pair) for pair in pairs])]


def _name_relations(group: Sequence[ImageRow], linked: set[str]) -> tuple[str, ...]:
    if len(group) == 1:
        return ()
    owners = [{(it.source, it.owner_id) for it in image.photos if it.owner_id} for image in group]
    named = [owner for of_image in owners for owner in of_image]
    return tuple(sorted(linked | ({OWNER} if len(set(named)) < len(named) else set())))


class _Links:
    """Disjoint sets: joined things have the same representative."""

    def __init__(self) -> None:
        self._parents: dict[Hashable, Hashable] = {}

    def find(self, thing: Hashable) -> Hashable:
        root = thing
        while (parent := self._parents.get(root, root)) != root:
            root = parent
        while thing != root:  # shorten the way for the next time
            self._parents[thing], thing = root, self._parents.get(thing, root)
        return root

    def join(self, first: Hashable, second: Hashable) -> None:
        self._parents[self.find(first)] = self.find(second)
