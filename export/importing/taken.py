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
from export.verify.trees import Tree
from export.voc import tree

from .drafts import find_places
from .findings import Mend
from .lists import TreeLists, read_lists
from .releases import ReleasedImage
from .source_tree import TreeSplits, list_masks
from .tree_image import Stored, TreeImage


class TakenImage(NamedTuple):
    """An image of the tree with its rows."""

    image: TreeImage
    stored: Stored


class TreeRelease:
    """The release as far as images were taken: those that a set of the tree lists.

    `images` are in the order in which they came, each in its form; `mends` tells what of the sets
    they cannot keep, `masks` whose masks each folder keeps.
    """

    def __init__(self, found: Tree, splits: TreeSplits, year: int, at: datetime) -> None:
        self.lists = read_lists(found.root, year)
        self.images: list[ReleasedImage] = []
        self.mends: list[Mend] = []
        self.masks: dict[str, set[str]] = {name: set() for name in list_masks(found).names or ()}
        self._splits, self._year, self._at = splits, year, at
        self._planned: list[PlannedImage] = []
        self._forms: _Forms = {}

    def add(self, taken: Iterable[TakenImage]) -> None:
        """Take in more images."""
        for one in taken:
            image_id = one.image.image_id
            if image_id in self._splits.own:
                sets, told = _find_sets(one.image, self._splits, self.lists, bool(self.masks))
                self.mends += told
                self._add(one, _find_form(self._forms, one.image.form, sets))

    def plan(self, name: str, recipe: Recipe) -> ReleasePlan:
        """What the release will be when it is exported, as far as its sets go."""
        images = tuple(self._planned)
        return ReleasePlan(name=name, year=self._year, recipe=recipe, images=images)

    def _add(self, one: TakenImage, form: FileForm) -> None:
        image_id, split = one.image.image_id, self._splits.own[one.image.image_id]
        ids = one.stored.image_id, one.stored.annotation_id
        self.images.append(ReleasedImage(*ids, split, image_id, form))
        for folder in one.image.masks:
            self.masks.get(folder, set()).add(image_id)
        listed = [(it.class_name, it.difficult, it.actions) for it in one.image.objects]
        row = _make_row(tuple(listed), self._at)
        self._planned.append(PlannedImage(image_id, split, row, jpeg_sha256="", form=form))


@lru_cache(maxsize=10_000)
def _make_row(listed: tuple[tuple[str, bool, tuple[str, ...]], ...], at: datetime) -> ImageRow:
    """An image as far as its sets go: its objects have no more than what lists tell of them."""
    objects = tuple([_list_object(*item) for item in listed])
    return ImageRow(
        id=0,
        sha256="",
        width=1,
        height=1,
        state=ImageState.CHECKED,
        photos=(),
        revisions=(RevisionRow(0, None, _NOBODY, at, objects),),
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
    if image.form.is_blind:
        return _Sets(tuple(sets.items()), (), (), False), ()
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


_Forms = dict[Hashable, tuple[FileForm, FileForm]]
"""Each form as it came, which keeps its id from another one, and with its sets."""


def _find_form(forms: _Forms, form: FileForm, sets: _Sets) -> FileForm:
    """The form with the sets: one value for all files that have the same, as nearly all have."""
    key = id(form), sets
    if key not in forms:
        with_sets = replace(
            form,
            sets=dict(sets.sets),
            splits=dict(sets.splits),
            masks=dict(sets.masks),
            is_segmented=sets.is_segmented,
        )
        forms[key] = form, with_sets
    return forms[key][1]


def _tell_segmented(image: TreeImage, is_segmented: bool) -> Mend:
    line = find_places(image.annotation).lines.get("segmented", 1)
    message = f"<segmented> became {int(is_segmented)}, which says whether both masks are there"
    return Mend(image.annotation, line, "segmented", message)
