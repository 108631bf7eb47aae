"""The imported release: identifiers, sets and forms as the tree has them, so that they stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.preset import AnnotationStyle
from catalog.states import ImageState, Split
from catalog.tables import Release, ReleaseImage
from export.form import FileForm
from export.freeze import add_release, freeze_settings
from export.plan import PlannedImage, ReleasePlan
from export.recipe import FLAGS, IMPORTED, Recipe, make_recipe
from export.rows import ImageRow, PersonRow, RevisionRow
from export.verify.check import SET_FOLDERS
from export.verify.masks import FOLDERS
from export.verify.trees import Tree
from voc import tree
from voc.records import VocSource
from voc.text import is_plain_text

from .drafts import find_style
from .lists import TreeLists, compare_lists, complete_lists, find_left_behind, read_lists
from .source_tree import TreeSplits, has_masks
from .tree_image import Correction, Import, Stored, TreeImage

TakenImage = tuple[TreeImage, Stored]
"""An image of the tree with its rows."""


def plan_tree_release(
    party: Party,
    run: Import,
    found: Tree,
    splits: TreeSplits,
    year: int,
    taken: Iterable[TakenImage],
) -> tuple[ReleasePlan, Sequence[Correction]]:
    """The release of the taken images that a set lists, and what of the tree it changes."""
    lists = read_lists(found.root, year)
    masks: dict[str, set[str]] = {name: set() for name in FOLDERS if has_masks(found.root)}
    corrections: list[Correction] = []
    planned: list[PlannedImage] = []
    for image, stored in taken:
        if image.image_id not in splits.own:
            continue
        form, told = _find_form(image, splits, lists, bool(masks))
        corrections += told
        for folder in image.form.masks:
            masks[folder].add(image.image_id)
        planned.append(_plan_image(image, stored, splits.own[image.image_id], form, run.at))
    recipe = _make_recipe(party, year, [it.form for it in planned if it.form is not None])
    recipe = replace(recipe, tasks=SET_FOLDERS, has_label_map=lists.has_label_map)
    plan = ReleasePlan(name=run.name, year=year, recipe=recipe, images=tuple(planned))
    if planned:
        paths = complete_lists(found.root, lists.paths, plan)
        plan = replace(plan, recipe=replace(recipe, lists=paths))
        corrections += compare_lists(found.root, lists.paths, plan)
        corrections += find_left_behind(found.root, masks)
    return plan, corrections


def record_release(
    session: Session, plan: ReleasePlan, encoded: Mapping[str, str], at: datetime
) -> set[str]:
    """The public ids of the release that is recorded when this returns.

    `encoded` are the digests of the files that releases hold, where those are not the stored ones.
    A release is never changed: one that an earlier import recorded stays as it is.
    """
    row = session.scalar(select(Release).where(Release.name == plan.name))
    if row is not None:
        of_release = ReleaseImage.release_id == row.id
        return set(session.scalars(select(ReleaseImage.public_id).where(of_release)))
    if not plan.images:
        return set()
    settings = {**freeze_settings(plan.recipe, encoded), IMPORTED: True}
    add_release(session, plan, settings, at)
    return {image.public_id for image in plan.images}


def _plan_image(
    image: TreeImage, stored: Stored, split: Split, form: FileForm, at: datetime
) -> PlannedImage:
    revision = RevisionRow(stored.annotation_id, None, PersonRow(""), at, image.objects)
    file = image.file
    told = stored.image_id, file.sha256, file.width, file.height, ImageState.CHECKED
    row = ImageRow(*told, photos=(), revisions=(revision,), reviews=())
    return PlannedImage(image.image_id, split, row, jpeg_sha256="", form=form)


def _find_form(
    image: TreeImage, splits: TreeSplits, lists: TreeLists, has_masks: bool
) -> tuple[FileForm, Sequence[Correction]]:
    """The form of the image's files with the lists that name it, and what it cannot keep."""
    sets = dict(lists.sets_of.get(image.image_id, {}))
    if image.form.is_blind:
        return replace(image.form, sets=sets), ()
    corrections: list[Correction] = []
    record, masks = image.form.record, image.form.masks
    is_segmented, others = bool(record.segmented), splits.others.get(image.image_id, {})
    if has_masks and record.segmented != (len(masks) == 2):
        is_segmented = len(masks) == 2
        message = f"<segmented> became {int(is_segmented)}, which says whether both masks are there"
        where = image.annotation, image.segmented_line
        corrections.append(Correction(*where, "segmented", message))
    split = others.get(tree.SEGMENTATION, splits.own[image.image_id])
    if tree.SEGMENTATION in sets and split is not Split.TEST and len(masks) < 2:
        del sets[tree.SEGMENTATION]
        message = "it is in no set of Segmentation any more, since it has not both masks"
        corrections.append(Correction(image.annotation, 1, "mask-missing", message))
    record = replace(record, segmented=is_segmented)
    return replace(image.form, record=record, sets=sets, splits=dict(others)), corrections


def _make_recipe(party: Party, year: int, forms: Sequence[FileForm]) -> Recipe:
    """The party's recipe with the style of the year, and the flags and words of the files."""
    recipe = make_recipe(party.settings, party.preset, classes_number=party.classes_number)
    style = find_style(year)
    records = [form.record for form in forms if not form.is_blind]
    sources = [record.source for record in records]
    objects = [item for record in records for item in record.objects]
    held = {flag for flag in FLAGS if any(getattr(it, flag) is not None for it in objects)}
    is_2012 = style is AnnotationStyle.VOC2012
    return replace(
        recipe,
        style=style,
        flags=tuple(flag for flag in FLAGS if flag in held),
        actions=recipe.actions if is_2012 else (),
        database=_find_word(sources, "database") or recipe.database,
        annotation=_find_word(sources, "annotation") or recipe.annotation,
        image=_find_word(sources, "image") or recipe.image,
    )


def _find_word(sources: Sequence[VocSource | None], key: str) -> str | None:
    """What most files say in that child of their <source>."""
    counts = Counter(getattr(source, key, None) or "" for source in sources)
    words = sorted((word for word in counts if word), key=lambda word: (-counts[word], word))
    return next((word for word in words if is_plain_text(word)), None)
