"""The images of a tree that were taken, as the release that the import records."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from catalog.box import Box
from catalog.states import ImageState, Split
from export.form import FileForm
from export.plan import PlannedImage, ReleasePlan
from export.recipe import Recipe
from export.rows import ImageRow, ObjectRow, PersonRow, RevisionRow
from export.voc import tree

from .drafts import find_places
from .findings import Mend
from .lists import TreeLists
from .releases import ReleasedImage
from .source_tree import TreeSplits
from .tree_image import Stored, TreeImage


class TakenImage(NamedTuple):
    """An image of the tree with its rows."""

    image: TreeImage
    stored: Stored


def make_released(
    taken: Iterable[TakenImage], splits: TreeSplits, lists: TreeLists, *, has_masks: bool
) -> tuple[list[tuple[TakenImage, ReleasedImage]], list[Mend]]:
    """The images that a set lists, each in its form; and what of the sets they cannot keep."""
    released, mends, forms = [], list[Mend](), dict[Hashable, FileForm]()
    for one in taken:
        image_id = one.image.image_id
        if image_id in splits.own:
            sets, told = _find_sets(one.image, splits, lists, has_masks)
            mends += told
            form = _find_form(forms, one.image.form, sets)
            ids = one.stored.image_id, one.stored.annotation_id
            released.append((one, ReleasedImage(*ids, splits.own[image_id], image_id, form)))
    return released, mends


def plan_imported(
    name: str,
    year: int,
    recipe: Recipe,
    released: Sequence[tuple[TakenImage, ReleasedImage]],
    at: datetime,
) -> ReleasePlan:
    """What the release will be when it is exported, as far as its sets go."""
    return ReleasePlan(
        name=name,
        year=year,
        recipe=recipe,
        images=tuple(
            PlannedImage(
                public_id=image.public_id,
                split=image.split,
                row=_make_row(one, at),
                jpeg_sha256=one.image.file.sha256,
                form=image.form,
            )
            for one, image in released
        ),
    )


def _make_row(one: TakenImage, at: datetime) -> ImageRow:
    """The image as far as its sets go: its objects have no more than what lists tell of them."""
    file = one.image.file
    objects = tuple(
        [_list_object(it.class_name, it.difficult, it.actions) for it in one.image.objects]
    )
    revision = RevisionRow(one.stored.annotation_id, None, _NOBODY, at, objects)
    return ImageRow(
        id=one.stored.image_id,
        sha256=file.sha256,
        width=file.width,
        height=file.height,
        state=ImageState.CHECKED,
        photos=(),
        revisions=(revision,),
        reviews=(),
    )


_NOBODY = PersonRow("")


@lru_cache(maxsize=10_000)
def _list_object(class_name: str, is_difficult: bool, actions: tuple[str, ...]) -> ObjectRow:
    return ObjectRow("", class_name, _NOWHERE, difficult=is_difficult, actions=actions)


_NOWHERE = Box(1, 1, 1, 1)


class _Sets(NamedTuple):
    """Which lists name an image, each with which of its objects, and in which set elsewhere."""

    sets: tuple[tuple[str, tuple[int, ...]], ...]
    splits: tuple[tuple[str, Split], ...]
    masks: tuple[tuple[str, str], ...]
    is_segmented: bool


def _find_sets(
    image: TreeImage, splits: TreeSplits, lists: TreeLists, has_masks: bool
) -> tuple[_Sets, Sequence[Mend]]:
    mends: list[Mend] = []
    sets = lists.sets_of.get(image.image_id, {})
    is_segmented, others = bool(image.is_segmented), splits.others.get(image.image_id, {})
    if has_masks and image.is_segmented != (len(image.masks) == 2):
        is_segmented = len(image.masks) == 2
        mends.append(_tell_segmented(image, is_segmented))
    where = others.get(tree.SEGMENTATION, splits.own[image.image_id])
    if tree.SEGMENTATION in sets and where is not Split.TEST and len(image.masks) < 2:
        sets = {folder: numbers for folder, numbers in sets.items() if folder != tree.SEGMENTATION}
        message = "it is in no set of Segmentation any more, since it has not both masks"
        mends.append(Mend(image.annotation, 1, "mask-missing", message))
    items = tuple(sets.items()), tuple(others.items()), tuple(image.masks.items())
    return _Sets(*items, is_segmented), mends


def _find_form(forms: dict[Hashable, FileForm], form: FileForm, sets: _Sets) -> FileForm:
    """The form with the sets: one value for all files that have the same, as nearly all have."""
    key = id(form), sets  # the form lives as long as the images
    found = forms.get(key)
    if found is None:
        found = forms[key] = replace(
            form,
            sets=dict(sets.sets),
            splits=dict(sets.splits),
            masks=dict(sets.masks),
            is_segmented=sets.is_segmented,
        )
    return found


def _tell_segmented(image: TreeImage, is_segmented: bool) -> Mend:
    line = find_places(image.annotation).lines.get("segmented", 1)
    message = f"<segmented> became {int(is_segmented)}, which says whether both masks are there"
    return Mend(image.annotation, line, "segmented", message)
