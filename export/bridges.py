"""Near-duplicates of different owners: what binds large groups, and which images would free them.

All photographs of an owner share a set, so one pair of two owners' near-duplicates binds all that
the two have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from catalog.plural import format_count

from .groups import ImageGroup, Link, Owner, join_links, list_owners
from .rows import ImageRow

MOST_SHOWN = 10


@dataclass(frozen=True)
class Bridge:
    """Near-duplicates of several owners.

    `bound` are the images of all these owners, which must therefore share a set; `left_out` those
    to leave out, so that only one owner's are left.
    """

    images: tuple[ImageRow, ...]
    left_out: tuple[ImageRow, ...]
    bound: int

    @property
    def reason(self) -> str:
        """Why its images are left out, in words."""
        kept = [str(it.id) for it in self.images if it not in self.left_out]
        of = f"; image {' and '.join(kept)} of one of them stays" if kept else ""
        return f"--unbind leaves it out, since it binds photographs of different owners{of}"

    def record(self, image_id: int, public_ids: Mapping[int, str]) -> dict[str, Any]:
        """One image that was left out, with the near-duplicates of it that stay."""
        (image,) = (it for it in self.left_out if it.id == image_id)
        kept = [public_ids[it.id] for it in self.images if it.id in public_ids]
        return {"image_id": image_id, "stored_sha256": image.sha256, "kept": kept}


def find_bridges(
    groups: Sequence[ImageGroup], links: Iterable[Link], share: float, fixed: Set[int] = frozenset()
) -> tuple[Bridge, ...]:
    """What binds owners in groups that hold more than this share of all images.

    Those that bind most come first. Smaller groups can be placed anywhere. Images whose ids are
    `fixed` are never left out.
    """
    most = share * sum(len(group.images) for group in groups)
    joined = join_links(links, (image.id for group in groups for image in group.images))
    found = list[Bridge]()
    for group in groups:
        held: dict[Owner, set[int]] = defaultdict(set)
        clusters: dict[Hashable, list[ImageRow]] = defaultdict(list)
        for image in group.images if len(group.images) > most else ():
            clusters[joined[image.id]].append(image)
            for owner in list_owners(image):
                held[owner].add(image.id)
        found += [it for near in clusters.values() if (it := _bridge(near, held, fixed))]
    return tuple(sorted(found, key=lambda it: (-it.bound, it.images[0].sha256)))


def describe_bridges(bridges: Sequence[Bridge], public_ids: Mapping[int, str]) -> Iterator[str]:
    """Lines that name what binds the most, and offer to leave images out."""
    if not bridges:
        return
    pairs = format_count(len(bridges), "pair")
    yield f"Near-duplicates of different owners ({pairs}) bind all that these have into one set:"
    for it in bridges[:MOST_SHOWN]:
        names = " and ".join(
            f"{public_ids.get(one.id, one.id)} ({_name_owner(one)})" for one in it.images
        )
        yield f"  {names}: {format_count(it.bound, 'image')}"
    left_out = format_count(sum(len(it.left_out) for it in bridges), "image")
    yield f"`--unbind` leaves out {left_out}, one of each pair, so that each owner is free again."


def _bridge(
    near: Sequence[ImageRow], held: Mapping[Owner, set[int]], fixed: Set[int]
) -> Bridge | None:
    """What several owners' near-duplicates bind; fixed images stay, then as many as can."""
    owners = set[Owner]().union(*map(list_owners, near))
    if len(owners) < 2:
        return None

    def prefer(owner: Owner) -> tuple[int, int]:
        own = [image.id for image in near if not list_owners(image) - {owner}]
        return len(fixed & set(own)), len(own)

    kept = max(sorted(owners), key=prefer)
    others = (image for image in near if list_owners(image) - {kept})
    left_out = tuple(image for image in others if image.id not in fixed)
    return Bridge(tuple(near), left_out, len(set().union(*(held[it] for it in owners))))


def _name_owner(image: ImageRow) -> str:
    names = {photo.owner_name or photo.owner_id for photo in image.photos}
    return " and ".join(sorted(filter(None, names))) or "owner unknown"
