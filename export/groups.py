"""Which images of a release must share a set: near-duplicates, and photos of one owner."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from .rows import ImageRow


def group_images(
    images: Sequence[ImageRow], pairs: Iterable[tuple[int, int]]
) -> list[tuple[ImageRow, ...]]:
    """The images in groups that no split may tear, each and all in order of their digests.

    A pair may lead over an image that is not among them: two images put aside for a third, or a
    third put aside for both, hold together. Photos without an owner's id have nobody in common.
    """
    links = _Links()
    for first, second in pairs:
        links.join(first, second)
    for image in images:
        for photo in image.photos:
            if photo.owner_id:
                links.join(image.id, (photo.source, photo.owner_id))
    groups: dict[Hashable, list[ImageRow]] = {}
    for image in sorted(images, key=lambda image: image.sha256):
        groups.setdefault(links.find(image.id), []).append(image)
    return [tuple(group) for group in groups.values()]


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
