"""Which images a release has, in which sets and by which names, from rows and a recipe alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import count
from typing import Any

from vockit.format import tree
from vockit.format.image_sets import Split

from .asked import Asked
from .binding import Binding, bind_new
from .blind import shuffle_key
from .forms import FileForm, find_fault
from .groups import NEAR, ImageGroup, Link
from .notes import BoundGroup, Notes
from .plan import LeftOut, PlannedImage, ReleasePlan
from .recipe import Recipe
from .rows import ImageRow, ReleaseJpegs
from .splits import SplitGroup, assign_splits


def plan_export(
    extended: ReleasePlan,
    images: Sequence[ImageRow],
    *,
    jpegs: ReleaseJpegs,
    links: Sequence[Link],
    given_ids: Sequence[tuple[str, int, int]],
    forms: Mapping[int, FileForm],
    masked: Set[int],
    asked: Asked | None = None,
    most_off_points: float,
    is_unbound: bool,
) -> ReleasePlan:
    """The release with all images without a fault; the same for the same arguments.

    New public ids are YYYY_NNNNNN in order of the digests, or as only the secret of a blind release
    knows. A new image that is bound to images of `extended` joins their set; one that is bound to
    two sets is left out. Images of the source that the recipe names are in test2 and in no other
    set: one that is bound to an image of another set is left out. `masked` are the ids of the
    images of which there are masks. New images that were `asked` about some classes alone are in
    train and val, unless they are bound to test or in test2. So are those of a blind release whose
    people, whom it gives, would tell where the people of an image of Main are.
    """
    asked = asked or {}
    faults = _find_faults(images, jpegs, extended.recipe)
    binding = bind_new(
        extended,
        [image for image in images if image.id not in faults],
        links,
        most_off_points / 100,
        is_unbound=is_unbound,
    )
    telling = _find_telling(extended, binding.new, links)
    splits = _place_groups(extended, binding, masked, asked.keys() | telling)
    hidden = {image_id for image_id in telling if splits[image_id].is_test}
    shown = [row for row in binding.new if row.id not in hidden]
    planned = _name_images(extended, _plan_images(shown, splits, jpegs, forms), given_ids)
    image_of = {image.row.id: image for image in planned}
    name_of = {key: image.public_id for key, image in image_of.items()}
    torn = {key: [image_of[near] for near in ids] for key, ids in sorted(binding.torn.items())}
    left_out = _list_left_out(
        faults | dict.fromkeys(hidden, _TELLING), binding, torn, extended.recipe.test2
    )
    notes = replace(
        _note_names(extended, binding, name_of, given_ids),
        torn=_record_torn(torn, images),
        unbound=tuple(
            bridge.record(key, name_of) for key, bridge in sorted(binding.unbound.items())
        ),
        asked={
            name_of[key]: names
            for key, names in asked.items()
            if key in name_of and key not in forms
        },
        images_without_file=sum(image.sha256 in jpegs.missing for image in images),
    )
    return replace(
        extended,
        images=planned,
        left_out=(*left_out, *extended.left_out),
        notes=notes,
        bridges=binding.bridges,
    )


def _list_left_out(
    faults: Mapping[int, str],
    binding: Binding,
    torn: Mapping[int, Sequence[PlannedImage]],
    source: str,
) -> list[LeftOut]:
    """The images that are not in the release, and why: a fault, a bridge, or two sets."""
    reasons = {
        **faults,
        **{key: bridge.reason for key, bridge in binding.unbound.items()},
        **{key: _describe_torn(relatives, source) for key, relatives in torn.items()},
    }
    return [LeftOut(image_id, reason) for image_id, reason in sorted(reasons.items())]


def _plan_images(
    rows: Iterable[ImageRow],
    splits: Mapping[int, Split],
    jpegs: ReleaseJpegs,
    forms: Mapping[int, FileForm],
) -> list[PlannedImage]:
    """The images in their sets, without names yet."""
    return [
        PlannedImage(
            public_id="",
            split=splits[row.id],
            row=row,
            jpeg_sha256=jpegs.encoded.get(row.sha256, row.sha256),
            form=forms.get(row.id),
        )
        for row in rows
    ]


def _find_faults(images: Iterable[ImageRow], jpegs: ReleaseJpegs, recipe: Recipe) -> dict[int, str]:
    """Why images cannot be in a release, by their ids: of the file first, then of the rows."""
    faults = dict[int, str]()
    for image in images:
        if fault := jpegs.faults.get(image.sha256) or find_fault(image, recipe):
            faults[image.id] = fault
    return faults


def _record_torn(
    torn: Mapping[int, Sequence[PlannedImage]], images: Iterable[ImageRow]
) -> tuple[dict[str, Any], ...]:
    """What the release notes of each image that is left out, as its relatives are in two sets."""
    sha256_of = {image.id: image.sha256 for image in images}
    return tuple(
        {
            "image_id": key,
            "stored_sha256": sha256_of[key],
            "kept": [image.public_id for image in relatives],
        }
        for key, relatives in torn.items()
    )


def _describe_torn(relatives: Sequence[PlannedImage], source: str) -> str:
    """Why an image is left out that is bound to these: of two sets, or one of them of test2."""
    others = " and ".join(f"{image.public_id} in {image.split}" for image in relatives)
    is_of_two = len({image.split for image in relatives}) > 1
    alone = f", and test2 is for images of {source} alone" if source and not is_of_two else ""
    return f"it is bound (owner, event or near-duplicate) to {others}{alone}"


_TELLING = (
    "it is for Layout or Action alone and looks like an image of the test set, whose people a "
    "blind release hides"
)
_ALIKE = (NEAR, "same scene")
"""Of two images that are bound so, the people of one are about where those of the other are."""


def _find_telling(
    extended: ReleasePlan, new: Sequence[ImageRow], links: Sequence[Link]
) -> frozenset[int]:
    """The new images of a blind release for Layout or Action alone that look like one of Main."""
    if not extended.is_blind:
        return frozenset()
    tasters = {row.id for row in new if row.taster is not None}
    rows = [*new, *(image.row for image in extended.images)]
    in_main = {row.id for row in rows if row.taster is None}
    alike = [link.ends for link in links if link.relation in _ALIKE]
    return frozenset(key for ends in alike if ends & in_main for key in ends & tasters)


def _place_groups(
    extended: ReleasePlan, binding: Binding, masked: Set[int], barred_ids: Set[int]
) -> dict[int, Split]:
    """The set of each image by its id: a group follows its image of the extended release.

    Groups with a barred image are placed first, and in no test set.
    """
    split_of = {image.row.id: image.split for image in extended.images}
    singles = [ImageGroup((image,), ()) for group in binding.parted for image in group.images]
    groups = [*binding.groups, *singles]
    split_groups = []
    for group in groups:
        fixed = next((split_of[image.id] for image in group.images if image.id in split_of), None)
        if not binding.apart.isdisjoint(image.id for image in group.images):
            fixed = Split.TEST2
        split_groups.append(SplitGroup(group.images[0].sha256, group.count(masked), fixed))
    recipe = extended.recipe
    balanced = [group for group in split_groups if group.fixed is not Split.TEST2]
    placed = dict.fromkeys((group.key for group in split_groups), Split.TEST2)
    barred = {
        group.images[0].sha256
        for group in groups
        if any(image.id in barred_ids for image in group.images)
    }
    training = {split: recipe.shares[split] for split in (Split.TRAIN, Split.VAL)}
    if barred and any(training.values()):
        first = [group for group in balanced if group.key in barred]
        chosen = assign_splits(first, training, recipe.seed)
        balanced = [replace(group, fixed=chosen.get(group.key, group.fixed)) for group in balanced]
    placed |= assign_splits(balanced, recipe.shares, recipe.seed)
    return {image.id: placed[group.images[0].sha256] for group in groups for image in group.images}


def _name_images(
    extended: ReleasePlan,
    new: Sequence[PlannedImage],
    given_ids: Sequence[tuple[str, int, int]],
) -> tuple[PlannedImage, ...]:
    """All images by their public ids: no name is given to two, and an image keeps its own.

    Also an image of the extended release gets a name where its own is none of the kit.
    """
    year = extended.year
    has_name = [tree.is_kit_id(image.public_id, year) for image in extended.images]
    named = [image for image, is_named in zip(extended.images, has_name, strict=True) if is_named]
    unnamed = [
        image for image, is_named in zip(extended.images, has_name, strict=True) if not is_named
    ]
    known = {
        image_id: public_id
        for public_id, image_id, _ in reversed(given_ids)
        if tree.is_kit_id(public_id, year)
    }
    used = {public_id for public_id, *_ in given_ids}
    numbers = (f"{year:04d}_{number:06d}" for number in count(1))
    free = (public_id for public_id in numbers if public_id not in used)
    for image in _order_for_names([*new, *unnamed], extended.notes.blind_salt):
        named.append(_name_image(image, known.get(image.row.id) or next(free)))
    return tuple(sorted(named, key=lambda image: image.public_id))


def _order_for_names(images: Iterable[PlannedImage], blind_salt: str | None) -> list[PlannedImage]:
    """The images by their digests, or in an order that only the secret of a release knows."""
    ordered = sorted(images, key=lambda image: image.row.sha256)
    if blind_salt is not None:
        ordered.sort(key=lambda image: shuffle_key(blind_salt, image.row.sha256))
    return ordered


def _name_image(image: PlannedImage, public_id: str) -> PlannedImage:
    """The image with the name, also in the record of its annotation file."""
    form = image.form
    if form is not None:
        form = replace(form, record=replace(form.record, filename=f"{public_id}.jpg"))
    return replace(image, public_id=public_id, form=form)


def _note_names(
    extended: ReleasePlan,
    binding: Binding,
    name_of: Mapping[int, str],
    given_ids: Sequence[tuple[str, int, int]],
) -> Notes:
    """The notes with groups by public ids, the largest first, and renamed images."""
    old_names = {image_id: public_id for public_id, image_id, _ in reversed(given_ids)}
    renamed = {
        public_id: old_names[image_id]
        for image_id, public_id in name_of.items()
        if image_id in old_names and not tree.is_kit_id(old_names[image_id], extended.year)
    }
    return replace(
        extended.notes,
        groups=_name_groups(binding.groups, name_of),
        parted=_name_groups(binding.parted, name_of),
        renamed=renamed,
    )


def bind_again(edition: ReleasePlan, links: Sequence[Link]) -> ReleasePlan:
    """The edition with what binds its images today; groups that lie in two sets are parted."""
    binding = bind_new(edition, (), links, 1.0, is_unbound=False)
    name_of = {image.row.id: image.public_id for image in edition.images}
    notes = replace(
        edition.notes,
        groups=_name_groups(binding.groups, name_of),
        parted=_name_groups(binding.parted, name_of),
    )
    return replace(edition, notes=notes)


def _name_groups(
    groups: Iterable[ImageGroup], name_of: Mapping[int, str]
) -> tuple[BoundGroup, ...]:
    """The groups of several images by public ids, the largest first."""
    bound = [
        BoundGroup(
            images=tuple(sorted(name_of[image.id] for image in images)),
            relations=group.relations,
            near_pairs=tuple(
                (name_of[first], name_of[second])
                for first, second in group.near_pairs
                if first in name_of and second in name_of
            ),
        )
        for group in groups
        if len(images := [image for image in group.images if image.id in name_of]) > 1
    ]
    return tuple(sorted(bound, key=lambda group: (-len(group.images), group.images)))
