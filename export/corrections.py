"""What people corrected since a release was made or imported.

An image is corrected where its newest revision passed checking and no release froze it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.at_rest import STATE_AT_REST
from catalog.party import Party
from catalog.states import View, WordKind
from catalog.tables import Image, Release, ReleaseImage
from catalog.words import NamesOfKinds, load_names_since
from vockit.foreign.tree_files import MASK_FOLDERS
from vockit.foreign.tree_images import TASTERS
from vockit.format import tree
from vockit.format.records import VocObject

from .difference import compare_releases
from .drawings import add_masks
from .forms import FORMS, FileForm, find_fault, list_chosen, make_record
from .judged import apply_judged, take_judgements
from .loading import iterate_rows, load_images
from .plan import LeftOut, PlannedImage, ReleasePlan, has_masks, voids_difficult
from .recipe import IMPORTED, Recipe, keep_retired
from .releases import RELEASABLE
from .rows import ImageRow
from .tree_files import Put, find_sets

_LOSES_MASKS = (
    "its correction cannot be released: its segmentation masks show the objects as they were"
)
_OF_OBJECTS = (tree.LAYOUT, tree.ACTION)
"""Folders whose lists name objects by their numbers."""


def follow_changed_classes(session: Session, plan: ReleasePlan, party: Party) -> ReleasePlan:
    """The recorded release with the words of today; as it is where none changed since."""
    if plan.recipe.classes_number == party.classes_number:
        return plan
    frozen = {image.row.id: image.row.annotation_id for image in plan.images if not image.is_blind}
    rows = {row.id: apply_judged(row, plan.notes.judged) for row in load_images(session, frozen)}
    names = load_names_since(session, plan.recipe.classes_number)
    recipe = replace(
        plan.recipe,
        classes=party.preset.class_names,
        parts=_name_each(plan.recipe.parts, names[WordKind.PART]),
        actions=_name_each(plan.recipe.actions, names[WordKind.ACTION]),
        classes_number=party.classes_number,
        has_label_map=True,
        lists=(),
        retired={},
    )
    recipe = keep_retired(recipe, rows.values(), party)
    images = tuple(
        replace(
            image,
            row=rows.get(image.row.id, image.row),
            form=image.form and rename_form(image.form, plan.recipe.classes, names, recipe.classes),
        )
        for image in plan.images
    )
    of_classes = names[WordKind.CLASS]
    asked = {key: _name_each(words, of_classes) for key, words in plan.notes.asked.items()}
    return replace(plan, recipe=recipe, images=images, notes=replace(plan.notes, asked=asked))


def _name_each(words: Iterable[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """The words by these names, each once."""
    return tuple(dict.fromkeys(names.get(word, word) for word in words))


def take_corrections(
    session: Session,
    plan: ReleasePlan,
    party: Party,
    put: Put | None = None,
    stripped: Mapping[str, str] | None = None,
) -> ReleasePlan:
    """The release with corrections, today's classes and, where `put` keeps them, newer masks.

    `stripped` has the digests of pictures without metadata by those of the earlier release.
    """
    renamed = replace_pictures(follow_changed_classes(session, plan, party), stripped or {})
    today, unjudged = take_judgements(session, renamed)
    corrected, kept_back = _take_revisions(session, today, party)
    stays = {image.row.id for image in corrected.images if image.is_taken_over}
    kept_back += [left_out for left_out in unjudged if left_out.image_id in stays]
    with_masks = corrected if put is None else add_masks(session, corrected, party, put)
    kept, unmaskable = _keep_masked(today.images, with_masks)
    kept_back += [LeftOut(image_id, _LOSES_MASKS) for image_id in unmaskable]
    difference = compare_releases(plan, replace(plan, images=kept.images))
    changes = tuple(asdict(change) for change in difference.changes)
    taken_over = {image.row.id for image in kept.images if image.is_taken_over}
    judged = {key: words for key, words in today.notes.judged.items() if key in taken_over}
    return replace(
        kept,
        recipe=keep_retired(kept.recipe, (image.row for image in kept.images), party),
        kept_back=tuple(kept_back),
        notes=replace(today.notes, corrections=changes, judged=judged),
    )


def _keep_masked(
    before: Sequence[PlannedImage], corrected: ReleasePlan
) -> tuple[ReleasePlan, list[int]]:
    """The release with images as before where these lose their masks, and the ids of those."""
    images = list[PlannedImage]()
    unmaskable = list[int]()
    for earlier, image in zip(before, corrected.images, strict=True):
        if has_masks(earlier) and not has_masks(image):
            unmaskable.append(image.row.id)
            images.append(replace(earlier, is_taken_over=True))
        else:
            images.append(image)
    stays = set(unmaskable)
    unmasked = [item for item in corrected.unmasked if item.image_id not in stays]
    return replace(corrected, images=tuple(images), unmasked=tuple(unmasked)), unmaskable


def _take_revisions(
    session: Session, plan: ReleasePlan, party: Party
) -> tuple[ReleasePlan, list[LeftOut]]:
    """The release with newer revisions that passed checking, and why other images stay."""
    frozen = {image.row.id: image.row.annotation_id for image in plan.images if not image.is_blind}
    columns = select(Image.id, STATE_AT_REST.label("state"), Image.annotation_id)
    now = {row.id: row for row in iterate_rows(session, columns, Image.id, frozen)}
    newer = {
        image_id: row.annotation_id
        for image_id, row in now.items()
        if row.state in RELEASABLE and row.annotation_id != frozen[image_id]
    }
    rows = {row.id: row for row in load_images(session, newer)}
    shown = [*rows.values(), *(image.row for image in plan.images)]
    plan = replace(plan, recipe=keep_retired(plan.recipe, shown, party))
    images = list[PlannedImage]()
    kept_back = list[LeftOut]()
    for image in plan.images:
        row = rows.get(image.row.id)
        reason = None
        if row is not None and (fault := _find_fault(plan, image, row)):
            reason = f"its correction cannot be released: {fault}"
        elif row is None and not image.is_blind and now[image.row.id].state not in RELEASABLE:
            reason = "its correction has not passed checking yet"
        if reason is not None:
            kept_back.append(LeftOut(image.row.id, reason))
        if row is None or reason is not None:
            images.append(replace(image, is_taken_over=True))
        else:
            images.append(_correct(plan, image, row))
    return replace(plan, images=tuple(images)), kept_back


def _find_fault(plan: ReleasePlan, image: PlannedImage, row: ImageRow) -> str | None:
    """The first reason why the image cannot have this revision; None where it can."""
    if row.taster is not image.row.taster and plan.hides(image):  # its lists are public
        task = f"{row.taster.title()} alone" if row.taster else "all tasks"
        return f"it is for {task} now, and the blind release has it in other lists"
    return find_fault(row, plan.recipe)


def replace_pictures(plan: ReleasePlan, digest_of: Mapping[str, str]) -> ReleasePlan:
    """The release with other files for some pictures."""
    images = (
        replace(image, jpeg_sha256=digest_of.get(image.jpeg_sha256, image.jpeg_sha256))
        for image in plan.images
    )
    return replace(plan, images=tuple(images))


def load_imported(session: Session, party: Party | None = None) -> dict[int, tuple[int, FileForm]]:
    """Revision and form that imported images came with; with a party, classes as named today."""
    releases = session.execute(select(Release.id, Release.settings)).tuples()
    recipes = {key: settings["recipe"] for key, settings in releases if IMPORTED in settings}
    columns = ReleaseImage.image_id, ReleaseImage.annotation_id, ReleaseImage.form
    imported: dict[int, tuple[int, FileForm]] = {}
    for release_id, recipe in sorted(recipes.items()):
        number = recipe.get("classes_number", 0)
        is_older = party is not None and number != party.classes_number
        names = load_names_since(session, number)
        rows = select(*columns).where(ReleaseImage.release_id == release_id)
        for image_id, revision, values in session.execute(rows).tuples():
            form = FORMS.validate_python(values)
            if party is not None and is_older:
                form = rename_form(form, recipe["classes"], names, party.preset.class_names)
            if not form.is_blind:
                imported[image_id] = revision, form
    return imported


def rename_form(
    form: FileForm, classes: Sequence[str], names_today: NamesOfKinds, classes_today: Sequence[str]
) -> FileForm:
    """The form with today's names; masks go where a label of `classes` is another class's now."""
    if form.is_blind:
        return form
    labels = {name: number for number, name in enumerate(classes_today)}
    before = {name: number for number, name in enumerate(classes)}
    names = [item.name for item in form.record.objects]
    objects = tuple(_rename_words(item, names_today) for item in form.record.objects)
    today = [item.name for item in objects]
    asked = form.asked and _name_each(form.asked, names_today[WordKind.CLASS])
    renamed_form = replace(form, record=replace(form.record, objects=objects), asked=asked)
    is_same = [before.get(name) for name in names] == [labels.get(name) for name in today]
    return renamed_form if is_same or not form.masks else renamed_form.without_masks()


def _rename_words(item: VocObject, names: NamesOfKinds) -> VocObject:
    """The object with these names of its class, view, parts and actions."""
    views, parts, actions = (
        names[kind] for kind in (WordKind.VIEW, WordKind.PART, WordKind.ACTION)
    )
    return replace(
        item,
        name=names[WordKind.CLASS].get(item.name, item.name),
        pose=item.pose and views.get(item.pose, item.pose),
        parts=tuple(replace(part, name=parts.get(part.name, part.name)) for part in item.parts),
        actions=item.actions
        and tuple(
            replace(action, name=actions.get(action.name, action.name)) for action in item.actions
        ),
    )


def _fill_poses(objects: Sequence[VocObject]) -> tuple[VocObject, ...]:
    """The objects, each with a pose: readers in use stop where one lacks it."""
    return tuple(replace(item, pose=item.pose or View.UNSPECIFIED.value) for item in objects)


def keep_form(revision: int, form: FileForm, row: ImageRow, recipe: Recipe, year: int) -> FileForm:
    """The form of an imported image in a new release; a changed image has people's objects."""
    record = replace(form.record, folder=f"VOC{year}", objects=_fill_poses(form.record.objects))
    is_apart = bool(form.sets) and TASTERS.issuperset(form.sets)  # nobody was asked of the rest
    form = replace(form, record=record, splits={})
    if row.annotation_id != revision:
        objects = make_record(row, recipe, year, "").objects
        form = replace(form, record=replace(form.record, objects=objects))
        before = next((earlier.objects for earlier in row.revisions if earlier.id == revision), ())
        if not _are_same(before, row.objects):
            sets = {
                folder: numbers
                for folder, numbers in form.sets.items()
                if folder not in _OF_OBJECTS
            }
            if row.taster is not None:
                sets = list_chosen(row)
            elif is_apart:
                sets = {folder: _list_people(row, folder) for folder in form.sets}
            form = replace(form, sets=sets).without_masks()
    if len(form.masks) < len(MASK_FOLDERS):
        sets = {
            folder: numbers for folder, numbers in form.sets.items() if folder != tree.SEGMENTATION
        }
        form = replace(form, sets=sets)
    return replace(form, sets=form.sets or {tree.MAIN: ()})


def _list_people(row: ImageRow, folder: str) -> tuple[int, ...]:
    """The numbers of the people that a list of Layout or Action names."""
    people = [
        (number, item.parts if folder == tree.LAYOUT else item.actions)
        for number, item in enumerate(row.objects, start=1)
        if item.class_name == tree.PERSON
    ]
    return tuple(number for number, words in people if words)


def _correct(plan: ReleasePlan, image: PlannedImage, row: ImageRow) -> PlannedImage:
    """The image with its new revision; an imported one keeps what else its files say."""
    corrected = replace(image, row=row, form=None)
    if image.form is None:
        return corrected
    form = image.form
    if image.row.taster is not row.taster:  # people were asked for more, or for less
        asked = plan.asked(corrected)
        form = replace(form, sets=find_sets(plan, corrected), asked=asked).without_masks()
    elif not _are_same(image.row.objects, row.objects):
        current_sets = find_sets(plan, corrected)
        sets = {
            folder: current_sets.get(folder, ())
            for folder in form.sets
            if folder in current_sets or folder not in _OF_OBJECTS
        }
        form = replace(form, sets=sets)
        form = form.without_masks() if form.masks else form
    elif _changes_void(plan, image, row):
        form = form.without_masks()
    record = replace(form.record, objects=plan.record(corrected).objects)
    return replace(corrected, form=replace(form, record=record))


def _changes_void(plan: ReleasePlan, image: PlannedImage, row: ImageRow) -> bool:
    """Whether masks that were made here show other objects as void than the revision would.

    What an imported tree meant by void is unknown, so that its masks stay.
    """
    drawing = plan.drawings.get((image.form and image.form.segmentation_id) or 0)
    if drawing is None or not drawing.reviews or not voids_difficult(image):
        return False
    before = [item.difficult for item in image.row.objects]
    return before != [item.difficult for item in row.objects]


def _are_same(first: Iterable[AnnotatedObject], second: Iterable[AnnotatedObject]) -> bool:
    """Whether both are the same objects in the same order, wherever their boxes are."""
    before, after = ([(item.key, item.class_name) for item in items] for items in (first, second))
    return before == after
