"""The images of a tree that were taken, as the release that the import records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from catalog.states import ImageState, Split
from export.form import FileForm, make_form
from export.plan import PlannedImage, ReleasePlan
from export.recipe import Recipe
from export.rows import ImageRow, ObjectRow, PersonRow, RevisionRow
from export.voc import tree

from .drafts import Draft
from .findings import Mend
from .lists import TreeLists
from .releases import ReleasedImage
from .source_tree import TreeSplits
from .tree_image import Stored, TreeImage


@dataclass(frozen=True, slots=True)
class TakenImage:
    """An image of the tree with its rows, its masks by their folders, and its draft."""

    draft: Draft
    image: TreeImage
    stored: Stored
    masks: Mapping[str, str]

    @property
    def objects(self) -> tuple[ObjectRow, ...]:
        """The objects that a release shows."""
        return self.image.objects


def make_released(
    taken: Iterable[TakenImage], splits: TreeSplits, lists: TreeLists, *, has_masks: bool
) -> tuple[list[tuple[TakenImage, ReleasedImage]], list[Mend]]:
    """The images that a set lists, each in its form; and what of the sets they cannot keep."""
    released, mends = [], list[Mend]()
    for one in taken:
        image_id = one.image.image_id
        if image_id in splits.own:
            form, told = _make_form(one, splits, lists, has_masks)
            mends += told
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
    file = one.image.file
    revision = RevisionRow(one.stored.annotation_id, None, _NOBODY, at, one.objects)
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


def _make_form(
    one: TakenImage, splits: TreeSplits, lists: TreeLists, has_masks: bool
) -> tuple[FileForm, list[Mend]]:
    draft, mends = one.draft, list[Mend]()
    sets = lists.sets_of.get(draft.image_id, {})
    record, others = draft.record, splits.others.get(draft.image_id, {})
    if has_masks and record.segmented != (len(one.masks) == 2):
        record = replace(record, segmented=len(one.masks) == 2)
        mends += _tell_segmented(draft, bool(record.segmented))
    where = others.get(tree.SEGMENTATION, splits.own[draft.image_id])
    if tree.SEGMENTATION in sets and where is not Split.TEST and len(one.masks) < 2:
        sets = {folder: numbers for folder, numbers in sets.items() if folder != tree.SEGMENTATION}
        message = "it is in no set of Segmentation any more, since it has not both masks"
        mends.append(Mend(draft.annotation, 1, "mask-missing", message))
    return make_form(record, draft.style, sets, splits=others, masks=one.masks), mends


def _tell_segmented(draft: Draft, is_segmented: bool) -> Iterator[Mend]:
    line = draft.find_places().lines.get("segmented", 1)
    message = f"<segmented> became {int(is_segmented)}, which says whether both masks are there"
    yield Mend(draft.annotation, line, "segmented", message)
