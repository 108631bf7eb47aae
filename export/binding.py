"""Which images of a release are bound to one another, so that no split may part them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from vockit.format.image_sets import Split

from .groups import (
    Bridge,
    ImageGroup,
    Link,
    bind_images,
    find_bridges,
    join_links,
    join_owners,
    list_owners,
)
from .plan import ReleasePlan
from .rows import ImageRow


@dataclass(frozen=True)
class Binding:
    """The images of a release in groups that no split may part.

    `parted` are groups of the extended release alone that lie in two sets already, and are not
    among the `groups`. `new` are the images that are not of the extended release, `unbound` the
    bridges by the ids of the images that were left out for them, `torn` the images that are bound
    to two sets, with the id of an image in each. `apart` are the new images that test2 gets.
    """

    groups: tuple[ImageGroup, ...]
    parted: tuple[ImageGroup, ...]
    new: tuple[ImageRow, ...]
    bridges: tuple[Bridge, ...]
    unbound: Mapping[int, Bridge]
    torn: Mapping[int, tuple[int, ...]]
    apart: Set[int]


def bind_new(
    extended: ReleasePlan,
    images: Sequence[ImageRow],
    links: Sequence[Link],
    most_share: float,
    *,
    is_unbound: bool,
) -> Binding:
    """The images in groups with those of the extended release, which stay in their sets."""
    old = [image.row for image in extended.images]
    earlier = {image.id for image in old}
    unbound = dict[int, Bridge]()
    while True:
        new = [image for image in images if image.id not in unbound]
        groups = bind_images([*new, *old], links)
        bridges = find_bridges(groups, links, most_share, earlier)
        more = {image.id: bridge for bridge in bridges for image in bridge.left_out}
        if not is_unbound or not more:
            break
        unbound |= more  # with fewer images in all, another group may count as large
    source = extended.recipe.test2
    apart = {image.id for image in new if source and image.is_from(source)}
    torn = _find_torn(extended, new, links, apart)
    if torn:
        new = [image for image in new if image.id not in torn]
        groups = bind_images([*new, *old], [link for link in links if not link.ends & torn.keys()])
    split_of = {image.row.id: image.split for image in extended.images}
    parted = [
        group
        for group in groups
        if len({split_of[image.id] for image in group.images if image.id in split_of}) > 1
    ]
    return Binding(
        groups=tuple(group for group in groups if group not in parted),
        parted=tuple(parted),
        new=tuple(new),
        bridges=bridges,
        unbound=unbound,
        torn=torn,
        apart=apart - torn.keys(),
    )


_NO_SET_YET = ""
"""The set of a new image that will be in train, val or test."""


def _find_torn(
    extended: ReleasePlan, new: Sequence[ImageRow], links: Sequence[Link], apart: Set[int]
) -> dict[int, tuple[int, ...]]:
    """The new images that are bound to several sets, or to another set than theirs, by their ids.

    Each has the id of one image for each of the sets. The new images are taken one after the other,
    those of test2 last, in order of the digests: what binds over one that is left out binds no
    other. Without test2 only images of an earlier release have sets yet.
    """
    earlier = extended.images
    has_test2 = Split.TEST2 in extended.splits
    if not earlier and not has_test2:
        return {}
    waiting = {image.id for image in new}
    joined = join_links([link for link in links if not link.ends & waiting], ())
    for image in earlier:
        join_owners(joined, image.row)
    relatives = defaultdict[Hashable, dict[str, int]](dict)
    for image in earlier:
        relatives[joined[image.row.id]].setdefault(image.split, image.row.id)
    linked = _find_linked(links, waiting)
    torn = dict[int, tuple[int, ...]]()
    for row in sorted(new, key=lambda row: (row.id in apart, row.sha256)):
        bound = [*sorted(linked[row.id] - waiting), *sorted(list_owners(row))]
        sets = dict[str, int]()
        for node in bound:
            joined.add(node)
            sets |= relatives[joined[node]]
        if others := _find_other_sets(sets, is_apart=row.id in apart):
            torn[row.id] = tuple(sets[split] for split in others)
            continue
        if has_test2:
            sets.setdefault(Split.TEST2 if row.id in apart else _NO_SET_YET, row.id)
        waiting.discard(row.id)
        joined.add(row.id)
        for node in bound:
            joined.merge(row.id, node)
        relatives[joined[row.id]] = sets
    return torn


def _find_linked(links: Iterable[Link], image_ids: Set[int]) -> Mapping[int, set[int]]:
    """The other ends of all links of each of these images."""
    linked = defaultdict[int, set[int]](set)
    for link in links:
        for image_id in link.ends & image_ids:
            linked[image_id] |= link.ends - {image_id}
    return linked


def _find_other_sets(sets: Iterable[str], *, is_apart: bool) -> list[str]:
    """The sets that keep a new image that is bound to all of these out of a release, if any."""
    if is_apart:
        return sorted({*sets} - {Split.TEST2})
    placed = {*sets} - {_NO_SET_YET}
    return sorted(placed) if len(placed) > 1 or Split.TEST2 in placed else []
