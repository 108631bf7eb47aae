"""What a release would hold, decided from rows and a recipe alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

from vockit.format import tree
from vockit.format.image_sets import Split
from vockit.format.records import VocImage
from vockit.format.tree import PERSON
from vockit.format.write import format_annotation

from .blind import shuffle_key
from .groups import Bridge, ImageGroup, Link, bind_images, find_bridges
from .recipe import STYLES, BoundGroup, FileForm, Notes, Recipe, find_fault, make_record
from .rows import DrawingRow, ImageRow, ReleaseJpegs
from .splits import SplitGroup, assign_splits


@dataclass(frozen=True, slots=True)
class PlannedImage:
    """One image of a release; `form` says how its files are written if not by the recipe."""

    public_id: str
    split: Split
    row: ImageRow
    jpeg_sha256: str
    form: FileForm | None = None
    is_taken_over: bool = False

    @property
    def is_blind(self) -> bool:
        """Whether the tree that it was imported from held its annotation back."""
        return self.form is not None and self.form.is_blind


def has_masks(image: PlannedImage) -> bool:
    """Whether the image's masks are in the release, or held back with its annotation."""
    return image.form is not None and bool(image.form.masks)


@dataclass(frozen=True)
class LeftOut:
    """An image that passed checking and still cannot be in a release, and why."""

    image_id: int
    reason: str


@dataclass(frozen=True)
class ReleasePlan:
    """A release in full, images in order of their public ids, and what is not in it and why."""

    name: str
    year: int
    recipe: Recipe
    images: tuple[PlannedImage, ...]
    left_out: tuple[LeftOut, ...] = ()
    kept_back: tuple[LeftOut, ...] = ()
    withdrawn: tuple[str, ...] = ()
    is_recorded: bool = False
    newer_images: int = 0
    notes: Notes = field(default_factory=Notes)
    is_blind: bool = False
    bridges: tuple[Bridge, ...] = ()
    unmasked: tuple[LeftOut, ...] = ()
    drawings: Mapping[int, DrawingRow] = field(default_factory=dict)

    @cached_property
    def annotated(self) -> tuple[PlannedImage, ...]:
        """The images whose annotation the release shows."""
        return tuple([it for it in self.images if self.shows(it)])

    @cached_property
    def held_back(self) -> tuple[PlannedImage, ...]:
        """The others: of what they show the release says nothing, not that there is no object."""
        return tuple([it for it in self.images if not self.shows(it)])

    @cached_property
    def masked(self) -> tuple[PlannedImage, ...]:
        """Those of them with masks."""
        return tuple([it for it in self.annotated if has_masks(it)])

    def shows(self, image: PlannedImage) -> bool:
        """Whether the release shows the image's annotation."""
        return not (image.is_blind or self.hides(image))

    def hides(self, image: PlannedImage) -> bool:
        """Whether the release itself holds the image's annotation back, under a seal."""
        return self.is_blind and image.split is Split.TEST

    @cached_property
    def second_looks(self) -> int:
        """How many of the shown images were checked by another person than who annotated them."""
        return sum(image.row.has_second_look for image in self.annotated)

    @cached_property
    def layout_has_points(self) -> bool:
        """Whether Layout's files have points, as those taken over, else as most images."""
        counts: Counter[bool] = Counter()
        for image in self.images:
            if image.is_blind:  # whether its annotation has points is not known
                continue
            if image.form is not None and tree.LAYOUT in image.form.sets:
                return self.has_points(image)
            if any(it.class_name == PERSON and it.parts for it in image.row.objects):
                counts[self.has_points(image)] += 1
        return counts[True] > counts[False]

    def has_points(self, image: PlannedImage) -> bool:
        """Whether the image's annotation file has points."""
        return any(it.point is not None for it in self.record(image).objects)

    @cached_property
    def records(self) -> Mapping[str, VocImage]:
        """What each annotation file says, by public id."""
        return {image.public_id: self.record(image) for image in self.images}

    def record(self, image: PlannedImage) -> VocImage:
        """What the image's annotation file says; a withdrawn photo's owner is named no more."""
        if image.form is None:
            return make_record(image.row, self.recipe, self.year, image.public_id)
        return image.form.record if image.row.photos else image.form.without_owner()

    def annotation(self, image: PlannedImage) -> str:
        """The text of the image's annotation file."""
        style = image.form.style if image.form else self.recipe.style
        return format_annotation(self.records[image.public_id], STYLES[style])


def plan_export(
    extended: ReleasePlan,
    images: Sequence[ImageRow],
    *,
    jpegs: ReleaseJpegs,
    links: Sequence[Link],
    given_ids: Sequence[tuple[str, int, int]],
    forms: Mapping[int, FileForm],
    most_off_points: float,
    is_unbound: bool,
) -> ReleasePlan:
    """The release with all images without a fault; the same for the same arguments.

    New public ids are YYYY_NNNNNN in order of the digests, or as only the secret of a blind release
    knows. Images bound to those of `extended` follow them; bound to two sets, they are left out.
    """
    recipe, year, notes, (encoded, broken) = extended.recipe, extended.year, extended.notes, jpegs
    faults = {it.id: broken.get(it.sha256) or find_fault(it, recipe) for it in images}
    new = [image for image in images if faults[image.id] is None]
    earlier = {image.row.id: image for image in extended.images}
    old = [image.row for image in extended.images]
    unbound = dict[int, Bridge]()
    while True:
        groups = bind_images([*new, *old], links)
        bridges = find_bridges(groups, links, most_off_points / 100, earlier.keys())
        more = {one.id: it for it in bridges for one in it.left_out if is_unbound}
        if not more:
            break
        unbound |= more  # with fewer images in all, another group may count as large
        new = [image for image in new if image.id not in more]
    groups, conflicts = _settle_conflicts(groups, earlier)
    faults |= {key: it.reason for key, it in unbound.items()} | conflicts
    split_groups = []
    for group in groups:
        first = next((earlier[it.id].split for it in group.images if it.id in earlier), None)
        split_groups.append(SplitGroup(group.images[0].sha256, group.counts, first))
    placed = assign_splits(split_groups, recipe.shares, recipe.seed)
    splits = {it.id: placed[group.images[0].sha256] for group in groups for it in group.images}
    unnamed = [
        PlannedImage("", splits[it.id], it, encoded.get(it.sha256, it.sha256), forms.get(it.id))
        for it in new
        if it.id not in conflicts
    ]
    planned = [image for image in extended.images if tree.is_kit_id(image.public_id, year)]
    unnamed += [image for image in extended.images if not tree.is_kit_id(image.public_id, year)]
    unnamed.sort(key=lambda image: image.row.sha256)
    if (salt := notes.blind_salt) is not None:
        unnamed.sort(key=lambda image: shuffle_key(salt, image.row.sha256))
    # a name is never given to two images, and an image keeps its own
    old_names = {image_id: public_id for public_id, image_id, _ in reversed(given_ids)}
    taken = {public_id for public_id, *_ in given_ids}
    numbers = (f"{year:04d}_{number:06d}" for number in count(1))
    free = (public_id for public_id in numbers if public_id not in taken)
    known = {key: name for name, key, _ in reversed(given_ids) if tree.is_kit_id(name, year)}
    for image in unnamed:
        public_id, form = known.get(image.row.id) or next(free), image.form
        if form is not None:
            form = replace(form, record=replace(form.record, filename=f"{public_id}.jpg"))
        planned.append(replace(image, public_id=public_id, form=form))
    planned.sort(key=lambda image: image.public_id)
    left_out = [LeftOut(key, reason) for key, reason in sorted(faults.items()) if reason]
    name_of = {image.row.id: image.public_id for image in planned}
    freed = tuple(it.record(key, name_of) for key, it in sorted(unbound.items()))
    return replace(
        extended,
        images=tuple(planned),
        left_out=(*left_out, *extended.left_out),
        notes=replace(_note_names(notes, groups, name_of, old_names, year), unbound=freed),
        bridges=bridges,
    )


def _note_names(
    notes: Notes,
    groups: Sequence[ImageGroup],
    name_of: Mapping[int, str],
    old_names: Mapping[int, str],
    year: int,
) -> Notes:
    """The notes with groups by public ids, the largest first, and renamed images."""
    renamed = {
        public_id: old_names[image_id]
        for image_id, public_id in name_of.items()
        if image_id in old_names and not tree.is_kit_id(old_names[image_id], year)
    }
    bound = [
        BoundGroup(tuple(sorted(name_of[image.id] for image in group.images)), group.relations)
        for group in groups
        if len(group.images) > 1
    ]
    bound.sort(key=lambda group: (-len(group.images), group.images))
    return replace(notes, groups=tuple(bound), renamed=renamed)


def _settle_conflicts(
    groups: Sequence[ImageGroup], earlier: Mapping[int, PlannedImage]
) -> tuple[list[ImageGroup], dict[int, str | None]]:
    """The groups without new images that are bound to two sets of the extended release."""
    settled, conflicts = [], dict[int, str | None]()
    for group in groups:
        old = [earlier[image.id] for image in group.images if image.id in earlier]
        named = {image.split: image.public_id for image in reversed(old)}
        if len(named) < 2:
            settled.append(group)
            continue
        others = " and ".join(f"{named[split]} in {split}" for split in sorted(named))
        reason = f"it is bound ({', '.join(group.relations)}) to {others}"
        conflicts |= {image.id: reason for image in group.images if image.id not in earlier}
        settled += [replace(group, images=(image.row,), relations=()) for image in old]
    return settled, conflicts
