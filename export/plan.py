"""What a release would hold, decided from rows and a recipe alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from catalog.states import Split

from .annotation import find_fault, make_record
from .groups import group_images
from .recipe import Recipe
from .release_jpegs import ReleaseJpegs
from .rows import FrozenRelease, ImageRow
from .splits import SplitGroup, assign_splits
from .voc.records import VocImage


@dataclass(frozen=True)
class PlannedImage:
    """One image of a release: its public id, its set, its rows and the digest of its file."""

    public_id: str
    split: Split
    row: ImageRow
    jpeg_sha256: str


@dataclass(frozen=True)
class LeftOut:
    """An image that passed checking and still cannot be in a release, and why."""

    image_id: int
    reason: str


@dataclass(frozen=True)
class ReleasePlan:
    """A release in full; images in order of their public ids.

    `withdrawn` are the public ids of images that were taken down since the release was recorded;
    `newer_images` counts those that passed checking since and are in no release.
    """

    name: str
    year: int
    recipe: Recipe
    images: tuple[PlannedImage, ...]
    left_out: tuple[LeftOut, ...] = ()
    withdrawn: tuple[str, ...] = ()
    is_recorded: bool = False
    newer_images: int = 0

    @property
    def tree_name(self) -> str:
        """The folder of the release, as the development kit wants it."""
        return f"VOC{self.year}"

    def record(self, image: PlannedImage) -> VocImage:
        """What the image's annotation file says."""
        return make_record(image.row, self.recipe, image.public_id, self.year)


@dataclass(frozen=True)
class Candidates:
    """All that might go into a new release: images, pairs of near-duplicates, files.

    `given_ids` are the public ids of earlier releases with their images, the earliest first.
    """

    images: tuple[ImageRow, ...]
    near_pairs: tuple[tuple[int, int], ...] = ()
    given_ids: tuple[tuple[str, int], ...] = ()
    jpegs: ReleaseJpegs = field(default_factory=ReleaseJpegs)


def plan_export(candidates: Candidates, recipe: Recipe, name: str, year: int) -> ReleasePlan:
    """A new release of all candidates without a fault; the same for the same arguments.

    An image keeps the public id that an earlier release gave it; new ones are YYYY_NNNNNN in order
    of the digests, which tells nothing of set, class or time.
    """
    faults = {
        image.id: candidates.jpegs.faults.get(image.sha256) or find_fault(image, recipe)
        for image in candidates.images
    }
    images = [image for image in candidates.images if faults[image.id] is None]
    splits = _split(group_images(images, candidates.near_pairs), recipe)
    public_ids = _name_images(images, candidates.given_ids, year)
    return ReleasePlan(
        name=name,
        year=year,
        recipe=recipe,
        images=tuple(
            PlannedImage(
                public_id=public_ids[image.id],
                split=splits[image.id],
                row=image,
                jpeg_sha256=candidates.jpegs.digest_for(image.sha256),
            )
            for image in sorted(images, key=lambda image: public_ids[image.id])
        ),
        left_out=tuple(LeftOut(key, reason) for key, reason in sorted(faults.items()) if reason),
    )


def plan_again(
    frozen: FrozenRelease, recipe: Recipe, rows: Iterable[ImageRow], encoded: Mapping[str, str]
) -> ReleasePlan:
    """A recorded release once more; images without a row were taken down and are only named."""
    row_of = {row.id: row for row in rows}
    return ReleasePlan(
        name=frozen.name,
        year=frozen.year,
        recipe=recipe,
        images=tuple(
            PlannedImage(
                public_id=image.public_id,
                split=image.split,
                row=row_of[image.image_id],
                jpeg_sha256=encoded.get(
                    row_of[image.image_id].sha256, row_of[image.image_id].sha256
                ),
            )
            for image in frozen.images
            if image.image_id in row_of
        ),
        withdrawn=tuple(it.public_id for it in frozen.images if it.image_id not in row_of),
        is_recorded=True,
    )


def _name_images(
    images: Iterable[ImageRow], given_ids: Iterable[tuple[str, int]], year: int
) -> dict[int, str]:
    """The public id of each image; no id is ever given to two images."""
    known = {image_id: public_id for public_id, image_id in reversed(list(given_ids))}
    taken = set(known.values())
    numbers = (f"{year:04d}_{number:06d}" for number in count(1))
    free = (public_id for public_id in numbers if public_id not in taken)
    ordered = sorted(images, key=lambda image: image.sha256)
    return {image.id: known.get(image.id) or next(free) for image in ordered}


def _split(groups: Sequence[tuple[ImageRow, ...]], recipe: Recipe) -> dict[int, Split]:
    split_groups = [SplitGroup(group[0].sha256, _count(group)) for group in groups]
    placed = assign_splits(split_groups, recipe.shares, recipe.seed)
    return {image.id: placed[group[0].sha256] for group in groups for image in group}


def _count(group: Sequence[ImageRow]) -> Counter[str]:
    """What the sets are balanced in: images, and each class in images and in objects."""
    counts: Counter[str] = Counter({"images": len(group)})
    for image in group:
        names = [item.class_name for item in image.objects]
        counts.update(f"objects of {name}" for name in names)
        counts.update(f"images with {name}" for name in set(names))
    return counts
