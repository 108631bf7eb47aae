"""The imported release: identifiers, sets and forms as the tree has them, and what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.preset import AnnotationStyle
from catalog.states import ImageState
from catalog.tables import Release, ReleaseImage, Segmentation
from export.forms import FileForm
from export.loading import iterate_rows
from export.plan import PlannedImage, ReleasePlan, has_masks
from export.recipe import FLAGS, IMPORTED, Recipe, make_recipe
from export.releases import add_release
from export.rows import ImageRow, PersonRow, RevisionRow
from export.tree_files import Sets, format_label_map, format_set_files
from vockit.foreign.listed_images import SET_FOLDERS, TreeSplits, read_spelling
from vockit.foreign.tree_files import MASK_FOLDERS, list_files, list_names, read_bytes
from vockit.foreign.tree_images import list_unasked
from vockit.format import tree
from vockit.format.given_persons import boxes_path
from vockit.format.image_sets import OBJECT_LABELS_FORM, SETS, find_set_form
from vockit.format.text import is_plain_text
from vockit.verify.image_sets import REQUIRED_SETS, read_set
from vockit.verify.labels import list_words

from .import_run import Import
from .reading import find_style
from .tree_image import Correction, TreeImage

_KNOWN = (tree.ANNOTATIONS, tree.JPEG_IMAGES, tree.IMAGE_SETS, tree.LABEL_MAP, *MASK_FOLDERS)
_LEFT_BEHIND = "it is left behind: no release has it"


def plan_tree_release(
    run: Import, splits: TreeSplits, taken: Iterable[TreeImage]
) -> tuple[ReleasePlan, Sequence[Correction]]:
    """The release of the taken images that a set lists, and what of the tree it changes."""
    root = run.root
    paths = [
        f"{folder}/{name}.txt"
        for folder in SET_FOLDERS
        for name in list_names(root / folder, ".txt")
    ]
    sets_of = _read_lists(root, paths, run.year)
    files = list_files(root)
    unasked = _list_unasked(run)
    masks = {folder: files[folder] for folder in MASK_FOLDERS if folder in files}
    planned = [
        _with_asked(
            run,
            _plan_image(run, image, splits, sets_of.get(image.image_id, {}), has_masks=bool(masks)),
            unasked.get(image.image_id, frozenset()),
        )
        for image in taken
        if image.image_id in splits.main
    ]
    recipe = _make_recipe(run, [image.form for image in planned if image.form is not None])
    plan = ReleasePlan(name=run.name, year=run.year, recipe=recipe, images=tuple(planned))
    if not planned:
        return plan, ()
    plan = replace(plan, recipe=replace(recipe, lists=_complete_lists(root, paths, plan)))
    return plan, list(_compare(root, paths, masks, plan))


def _plan_image(
    run: Import, image: TreeImage, splits: TreeSplits, listed: Sets, *, has_masks: bool
) -> PlannedImage:
    """The image as the release has it, with the revision that the import made."""
    revision = RevisionRow(
        id=image.annotation_id,
        parent_id=None,
        person=PersonRow(""),
        saved_at=run.at,
        objects=image.objects,
    )
    row = ImageRow(
        id=image.row_id,
        sha256=image.file.sha256,
        width=image.file.width,
        height=image.file.height,
        state=ImageState.CHECKED,
        photos=(),
        revisions=(revision,),
        reviews=(),
    )
    return PlannedImage(
        public_id=image.image_id,
        split=splits.main[image.image_id],
        row=row,
        jpeg_sha256="",
        form=_find_form(image, splits, listed, has_masks=has_masks),
    )


def _with_asked(run: Import, image: PlannedImage, unasked: frozenset[str]) -> PlannedImage:
    """The image with the classes that it was asked about, where the tree's lists lack some."""
    if image.form is None or image.is_blind or not unasked:
        return image
    asked = tuple(name for name in run.party.preset.class_names if name not in unasked)
    return replace(image, form=replace(image.form, asked=asked))


def _list_unasked(run: Import) -> dict[str, frozenset[str]]:
    """By image the classes that its tree did not ask about, in names of the party."""
    return {
        image_id: frozenset(filter(None, map(run.name_class, names)))
        for image_id, names in list_unasked(run.root).items()
    }


def record_release(
    session: Session, plan: ReleasePlan, taken: Iterable[TreeImage], run: Import
) -> set[str]:
    """The public ids of the recorded release; one that is recorded already stays as it is.

    A dry run records none.
    """
    row = session.scalar(select(Release).where(Release.name == plan.name))
    if row is not None:
        of_release = ReleaseImage.release_id == row.id
        return set(session.scalars(select(ReleaseImage.public_id).where(of_release)))
    if not plan.images or run.is_dry:
        return {image.public_id for image in plan.images}
    # what releases hold, by what is stored
    encoded = {image.file.sha256: image.encoded_sha256 for image in taken if image.encoded_sha256}
    # the drawings that this import made of the masks
    keys = {
        run.save_key(image.public_id): image.public_id for image in plan.images if has_masks(image)
    }
    columns = select(Segmentation.save_key, Segmentation.id)
    rows = iterate_rows(session, columns, Segmentation.save_key, keys)
    drawn = {keys[save_key]: key for save_key, key in rows}
    images = [
        replace(
            image,
            form=image.form and replace(image.form, segmentation_id=drawn.get(image.public_id)),
        )
        for image in plan.images
    ]
    add_release(session, replace(plan, images=tuple(images)), encoded, run.at, {IMPORTED: True})
    return {image.public_id for image in plan.images}


def _find_form(image: TreeImage, splits: TreeSplits, listed: Sets, *, has_masks: bool) -> FileForm:
    """The form of the image's files with the lists that name it; reports what it cannot keep."""
    sets = dict(listed)
    if image.is_blind:
        return replace(image.form, sets=sets)
    record = image.form.record
    others = splits.find_others(image.image_id)
    has_both = len(image.form.masks) == 2
    if has_masks and record.segmented != has_both:
        message = f"<segmented> became {int(has_both)}, which says whether both masks are there"
        image.tell("segmented", message)
    split = others.get(tree.SEGMENTATION, splits.main[image.image_id])
    if tree.SEGMENTATION in sets and not split.is_test and not has_both:
        del sets[tree.SEGMENTATION]
        message = "it is in no set of Segmentation any more, since it has not both masks"
        image.tell("mask-missing", message)
    record = replace(record, segmented=has_both if has_masks else bool(record.segmented))
    return replace(image.form, record=record, sets=sets, splits=others)


def _make_recipe(run: Import, forms: Sequence[FileForm]) -> Recipe:
    """The party's recipe with the style of the year, and the flags and words of the files."""
    party = run.party
    style = find_style(run.year)
    recipe = make_recipe(party.settings, party.preset, classes_number=party.classes_number)
    records = [form.record for form in forms if not form.is_blind]
    objects = [item for record in records for item in record.objects]
    words: dict[str, Any] = {}
    for key in ("database", "annotation", "image"):  # what most files say
        counts = Counter(getattr(record.source, key, None) or "" for record in records)
        said = sorted(counts, key=lambda word: (-counts[word], word))
        words[key] = next(filter(is_plain_text, said), getattr(recipe, key))
    return replace(
        recipe,
        tasks=SET_FOLDERS,
        has_label_map=(run.root / tree.LABEL_MAP).is_file(),
        style=style,
        flags=tuple(
            flag for flag in FLAGS if any(getattr(item, flag) is not None for item in objects)
        ),
        actions=recipe.actions if style is AnnotationStyle.VOC2012 else (),
        **words,
    )


def _read_lists(root: Path, paths: Iterable[str], year: int) -> Mapping[str, Sets]:
    """For each image the folders that list it; labels of classes do not. Nothing is checked."""
    lists: dict[str, dict[str, set[int]]] = {}
    spelling = read_spelling(root)
    for path in paths:
        folder, _, name = path.removesuffix(".txt").rpartition("/")
        gives_people = (root / boxes_path(folder, name)).is_file()
        form = find_set_form(folder, year, gives_people=gives_people) if name in SETS else None
        if folder == tree.ACTION and name.rpartition("_")[2] in SETS and not form:
            form = OBJECT_LABELS_FORM
        for line in read_set(root, path, form).lines if form else ():
            numbers = lists.setdefault(spelling.find(line.image_id), {}).setdefault(folder, set())
            numbers.update(line.numbers[:1])
    return {
        image_id: {folder: tuple(sorted(numbers)) for folder, numbers in sorted(folders.items())}
        for image_id, folders in lists.items()
    }


def _complete_lists(root: Path, paths: Iterable[str], plan: ReleasePlan) -> tuple[str, ...]:
    """The list files of the tree, and those that a release cannot do without."""
    completed = set(paths)
    folders = {path.rpartition("/")[0] for path in completed} | {tree.MAIN}
    completed |= {tree.set_path(folder, name) for folder in folders for name in REQUIRED_SETS}
    blind_sets = {  # which need no labels
        image.split
        for image in plan.images
        if image.form and image.is_blind and tree.MAIN in image.form.sets
    }
    names = [
        name
        for name in SETS
        if tree.set_path(tree.MAIN, name) in completed and name not in blind_sets
    ]
    shown = {item.class_name for image in plan.images for item in image.row.objects}
    words = sorted(shown | list_words(root / tree.MAIN))
    completed |= {tree.label_path(tree.MAIN, word, name) for word in words for name in names}
    return tuple(sorted(completed))


def _compare(
    root: Path, paths: Iterable[str], masks: Mapping[str, Iterable[str]], plan: ReleasePlan
) -> Iterator[Correction]:
    """Every file of the tree that is written otherwise, left behind or added."""
    written = dict(format_set_files(plan))
    there = set(paths)
    if plan.recipe.has_label_map:
        written[tree.LABEL_MAP] = format_label_map(plan.recipe)
        there.add(tree.LABEL_MAP)
    # the lists of sets before those of classes, whose names are longer
    for path in sorted(written.keys() | there, key=lambda path: (len(path), path)):
        text = written.get(path, "").encode()
        data = read_bytes(root / path) if path in there else b""
        if path not in there:
            message = f"it was not there and is written, with {len(text.splitlines())} lines"
            yield Correction(path, 1, "set-missing", message)
        elif path not in written:
            yield Correction(path, 1, "list", _LEFT_BEHIND)
        elif isinstance(data, str):
            yield Correction(path, 1, "unreadable", data)
        elif data != text:
            yield Correction(path, *_find_difference(data, text.decode()))
    others = [name for name in list_names(root, "") if name not in _KNOWN]
    folders = [f"{tree.IMAGE_SETS}/{name}" for name in list_names(root / tree.IMAGE_SETS, "")]
    for path in (*others, *(folder for folder in folders if folder not in SET_FOLDERS)):
        yield Correction(path, 1, "other-file", _LEFT_BEHIND)
    yield from _compare_masks(masks, plan)


def _compare_masks(masks: Mapping[str, Iterable[str]], plan: ReleasePlan) -> Iterator[Correction]:
    """Every mask of the tree that is left behind."""
    kept = {image.public_id: image.form.masks for image in plan.images if image.form}
    for folder in masks:
        for image_id in sorted(masks[folder]):
            if folder not in kept.get(image_id, ()):
                message = "the mask is left behind: its image or objects are not in the release"
                yield Correction(tree.mask_path(folder, image_id), 1, "mask", message)


def _find_difference(data: bytes, text: str) -> tuple[int, str, str]:
    """The first line that differs, the rule and a sentence."""
    old = data.decode("utf-8", "replace").split("\n")
    new = text.split("\n")
    pairs = enumerate(zip_longest(old, new, fillvalue=""), start=1)
    difference = next(((number, pair) for number, pair in pairs if pair[0] != pair[1]), None)
    if difference is None:
        return len(old), "final-newline", "it is written with a line end at the end"
    number, (was, becomes) = difference
    if was.removesuffix("\r") == becomes:
        return number, "line-end", "it is written with LF alone as the line end"
    if was not in new and becomes in (*old, ""):
        return number, "list", f"the line {was.strip()[:60]!r} is left out"
    if becomes not in old and was in (*new, ""):
        return number, "list", f"the line {becomes[:60]!r} is added"
    return number, "list", f"{was.strip()[:60]!r} is written as {becomes[:60]!r}"
