"""What a release records besides its rows: settings that decide bytes, forms of files, notes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from catalog.party import Party
from catalog.preset import AnnotationStyle, Preset
from catalog.settings import FILE_NAME, ExportSettings, Settings
from catalog.states import Source, WordKind
from vockit.format import records, tree, write
from vockit.format.image_sets import Split
from vockit.format.read import ACTIONS, EXCLUSIVE_ACTION, PERSON_PARTS, POSES
from vockit.format.text import fit_text, is_plain_text

from .errors import ReleaseNameError
from .rows import ImageRow

STYLES = dict(zip(AnnotationStyle, write.STYLES, strict=True))
FLAGS = ("truncated", "occluded", "difficult")
FLAGS_OF = dict.fromkeys(AnnotationStyle, FLAGS) | {
    AnnotationStyle.VOC2007: ("truncated", "difficult")
}
_FLAG = "flag"
IMPORTED = "imported"
"""The key by which a release's settings say that it came with a tree."""
MOST_NAME_CHARS = 100
FLICKR = ExportSettings().image
"""What `image` says unless the organiser chose something."""


def import_name(tree_name: str) -> str:
    """The name of the person who stands for the import of a tree."""
    return f"import {tree_name}"[:MOST_NAME_CHARS]


@dataclass(frozen=True)
class Recipe:
    """The settings of a release, frozen."""

    preset: str
    style: AnnotationStyle
    database: str
    annotation: str
    image: str
    classes: tuple[str, ...]  # in label order
    flags: tuple[str, ...]
    parts: tuple[str, ...]
    actions: tuple[str, ...]
    train_share: float
    val_share: float
    test_share: float
    seed: int
    format: int = 2
    tasks: tuple[str, ...] = (tree.MAIN,)  # folders of sets
    has_label_map: bool = False
    lists: tuple[str, ...] = ()  # set files, where an imported tree had others
    classes_number: int = 0
    retired: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words by kind that left the preset, while objects of the release still have them.

    They are among classes, parts and actions too.
    """

    @property
    def shares(self) -> dict[Split, float]:
        """What part of the images each set gets."""
        shares = self.train_share, self.val_share, self.test_share
        return dict(zip(Split, shares, strict=True))

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them; what tells of changed words only where some changed."""
        values = asdict(self)
        unchanged = {key for key in ("classes_number", "retired") if not values[key]}
        return {key: value for key, value in values.items() if key not in unchanged}


def make_recipe(
    settings: Settings,
    preset: Preset,
    style: AnnotationStyle | None = None,
    classes_number: int = 0,
) -> Recipe:
    """The recipe that a party's settings and preset give; raises ReleaseNameError."""
    export = settings.export
    style = style or preset.style
    # annotation files have had actions since 2011 only
    is_2012 = style is AnnotationStyle.VOC2012
    actions = tuple(action.name for action in preset.actions) if is_2012 else ()
    parts = tuple(part.name for part in preset.parts)
    return Recipe(
        preset=preset.name,
        style=style,
        database=_text("database", export.database) or fit_text(f"The {settings.name} Database"),
        annotation=_text("annotation", export.annotation) or fit_text(settings.name) or "?",
        image=_text("image", export.image) or FLICKR,
        classes=preset.class_names,
        flags=tuple(flag.name for flag in preset.flags if flag.name in FLAGS_OF[style]),
        parts=parts,
        actions=actions,
        train_share=export.train_share,
        val_share=export.val_share,
        test_share=export.test_share,
        seed=export.seed,
        classes_number=classes_number,
        has_label_map=_has_own_words(preset, actions),
        tasks=_list_tasks(parts, actions),
    )


def keep_labels(recipe: Recipe, earlier: Recipe, party: Party) -> Recipe:
    """The recipe with the retired classes of an earlier one, in the order of its masks' labels."""
    retired = party.words[WordKind.CLASS].retired.values()
    kept = [name for name in earlier.classes if name in retired]
    return replace(
        recipe,
        classes=_add_words(recipe.classes, kept),
        has_label_map=recipe.has_label_map or bool(kept),
    )


def keep_retired(recipe: Recipe, rows: Iterable[ImageRow], party: Party) -> Recipe:
    """The recipe with the words that left the preset while objects of these images have them.

    Classes that it has stay, also where no object has them any more: masks are numbered by them.
    """
    retired = _list_retired(recipe, rows, party)
    if not retired:
        return replace(recipe, retired={})
    parts = _add_words(recipe.parts, retired.get(WordKind.PART, ()))
    actions = _add_words(recipe.actions, retired.get(WordKind.ACTION, ()))
    return replace(
        recipe,
        classes=_add_words(recipe.classes, retired.get(WordKind.CLASS, ())),
        parts=parts,
        actions=actions,
        has_label_map=recipe.has_label_map or retired.keys() != {_FLAG},
        tasks=_add_words(recipe.tasks, _list_tasks(parts, actions)),
        retired=retired,
    )


def _list_retired(
    recipe: Recipe, rows: Iterable[ImageRow], party: Party
) -> dict[str, tuple[str, ...]]:
    """By kind the words, flags among them, that objects have and the preset has no more."""
    used = defaultdict[str, set[str]](set)
    for item in (item for row in rows for item in row.objects):
        used[WordKind.CLASS].add(item.class_name)
        used[WordKind.VIEW].add(item.view)
        used[WordKind.PART].update(part.word for part in item.parts)
        used[WordKind.ACTION].update(item.actions)
        used[_FLAG].update(flag for flag in FLAGS_OF[recipe.style] if getattr(item, flag))
    gone: dict[str, set[str]] = {kind: {*party.words[kind].retired.values()} for kind in WordKind}
    gone[_FLAG] = {*FLAGS} - {*recipe.flags} - {flag.name for flag in party.preset.flags}
    if recipe.style is not AnnotationStyle.VOC2012:  # its files have no actions
        del gone[WordKind.ACTION]
    kept = {kind: used[kind] & names for kind, names in gone.items()}
    return {str(kind): tuple(sorted(names)) for kind, names in kept.items() if names}


def list_retired(recipe: Recipe) -> list[str]:
    """What left the preset while objects of the release have it, each word with its kind."""
    return [f"the {kind} {word}" for kind, words in recipe.retired.items() for word in words]


def _add_words(words: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """The words, then those that they lack."""
    return tuple(dict.fromkeys((*words, *more)))


def _list_tasks(parts: Collection[str], actions: Collection[str]) -> tuple[str, ...]:
    """The folders of image sets that a release has besides that of its masks."""
    tasks = [tree.MAIN]
    if parts:
        tasks.append(tree.LAYOUT)
    if actions:
        tasks.append(tree.ACTION)
    return tuple(tasks)


def _has_own_words(preset: Preset, actions: Collection[str]) -> bool:
    """Whether a preset has words that VOC has not, which a release's labelmap.txt announces."""
    most = {part.name: part.max_count for part in preset.parts}
    return (
        preset.class_names != tree.VOC_CLASSES
        or not set(actions) <= set(ACTIONS)
        or not {view.name for view in preset.views} <= set(POSES)
        or any(count > PERSON_PARTS.get(name, 0) for name, count in most.items())
        or any(
            action.name == EXCLUSIVE_ACTION and not action.is_exclusive
            for action in preset.actions
            if action.name in actions
        )
    )


Facts = dict[str, Any]
"""What the datasheet tells of a party's queries, people, checks and agreement, as JSON has it."""


@dataclass(frozen=True)
class BoundGroup:
    """Images that no split may part, by their public ids, and what binds them.

    `near_pairs` are those that are near-duplicates of one another, not only over images that are
    in no release.
    """

    images: tuple[str, ...]
    relations: tuple[str, ...]
    near_pairs: tuple[tuple[str, str], ...] = ()

    def without(self, withdrawn: Collection[str]) -> BoundGroup:
        """The group without these identifiers."""
        return BoundGroup(
            images=tuple(public_id for public_id in self.images if public_id not in withdrawn),
            relations=self.relations,
            near_pairs=tuple(pair for pair in self.near_pairs if not {*pair} & {*withdrawn}),
        )


@dataclass(frozen=True)
class Notes:
    """How a release came about."""

    extends: str | None = None
    corrects: str | None = None
    corrections: tuple[dict[str, Any], ...] = ()  # since that one
    forced: tuple[str, ...] = ()  # what it was made in spite of
    groups: tuple[BoundGroup, ...] = ()
    parted: tuple[BoundGroup, ...] = ()  # groups of the extended release that lie in two sets
    renamed: dict[str, str] = field(default_factory=dict)  # old names of an imported tree
    about: dict[str, Any] = field(default_factory=dict)
    part: dict[str, Any] = field(default_factory=dict)
    unbound: tuple[dict[str, Any], ...] = ()  # what bound owners
    torn: tuple[dict[str, Any], ...] = ()  # left out, since it is bound to two sets
    images_without_file: int = 0  # left out, since theirs was missing or damaged
    blind_salt: str | None = None
    facts: Facts | None = None
    judged: dict[int, dict[str, bool]] = field(default_factory=dict)  # difficult, by image and key
    kept: dict[str, str] = field(default_factory=dict)  # digests of files by path

    def without(self, withdrawn: Collection[str]) -> Notes:
        """The notes without these identifiers; a single image is no group."""
        return replace(
            self,
            groups=_without(self.groups, withdrawn),
            parted=_without(self.parted, withdrawn),
            renamed={new: old for new, old in self.renamed.items() if new not in withdrawn},
            unbound=_keep_others(self.unbound, withdrawn),
            torn=_keep_others(self.torn, withdrawn),
        )


def _without(groups: Iterable[BoundGroup], withdrawn: Collection[str]) -> tuple[BoundGroup, ...]:
    left = [group.without(withdrawn) for group in groups]
    return tuple(group for group in left if len(group.images) > 1)


def _keep_others(
    left_out: Iterable[dict[str, Any]], withdrawn: Collection[str]
) -> tuple[dict[str, Any], ...]:
    """What was left out, with those of its relatives that are not withdrawn."""
    return tuple(
        image | {"kept": [kept for kept in image["kept"] if kept not in withdrawn]}
        for image in left_out
    )


def parse_notes(settings: Mapping[str, Any]) -> Notes:
    """The notes in a release's row; an older one has none."""
    return TypeAdapter(Notes).validate_python(settings.get("notes", {}))


def _text(key: str, text: str) -> str:
    if text and not is_plain_text(text):
        raise ReleaseNameError(
            f"{FILE_NAME}: export.{key} = {text!r} is wrong: expected one line without <, > and &, "
            "which the development kit cannot read."
        )
    return text


DEPTH = 3
UNKNOWN = "?"
"""What the release of 2007 has for an owner who is not known."""
SOURCES_OF_FLICKR = (Source.FLICKR, Source.VOC)  # an earlier VOC release took its own from there
_FLICKR_PAGE = re.compile(r"https://www\.flickr\.com/photos/[^/]+/([0-9]+)/?")
FLICKR_PHOTO = "https://www.flickr.com/photo.gne?id="
"""What an imported photo's page begins with; its Flickr id follows."""


@dataclass(frozen=True)
class FileForm:
    """The files of an image that was imported or taken over, frozen in a release."""

    style: AnnotationStyle
    record: records.VocImage
    sets: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # objects listed by folder
    splits: Mapping[str, Split] = field(default_factory=dict)  # where a folder has another set
    masks: Mapping[str, str] = field(default_factory=dict)  # digests by folder
    is_blind: bool = False  # the makers hold the annotation back
    segmentation_id: int | None = None
    labels_difficult: bool = False  # so do masks that were made here with that setting

    def without_owner(self) -> records.VocImage:
        """The record, in which an owner is not named."""
        owner = self.record.owner and records.VocOwner(UNKNOWN, UNKNOWN)
        return replace(self.record, owner=owner)

    def without_masks(self) -> FileForm:
        """The same of an image whose masks do not show its objects any more."""
        sets = {
            folder: numbers for folder, numbers in self.sets.items() if folder != tree.SEGMENTATION
        }
        record = replace(self.record, segmented=False)
        return replace(
            self,
            record=record,
            sets=sets,
            masks={},
            segmentation_id=None,
            labels_difficult=False,
        )

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them, without defaults; qa reads `is_segmented` too."""
        values: dict[str, Any] = FORMS.dump_python(self, mode="json", exclude_defaults=True)
        return values | ({"is_segmented": True} if self.record.segmented else {})


FORMS = TypeAdapter(FileForm)


def make_record(row: ImageRow, recipe: Recipe, year: int, public_id: str) -> records.VocImage:
    """What the annotation file of an image says that was annotated here.

    A flag that the recipe has not is given where it is set. Actions and points are in a file only
    where every object has them, as the kit reads them in all or none; owner and flickrid in files
    of 2007 only.
    """
    is_2007 = recipe.style is AnnotationStyle.VOC2007
    photo = row.photos[0] if row.photos else None
    items = row.objects
    has_actions = bool(recipe.actions) and all(item.actions for item in items)
    other_flags = [flag for flag in FLAGS_OF[recipe.style] if flag not in recipe.flags]
    has_points = recipe.style is AnnotationStyle.VOC2012 and all(item.point_xy for item in items)
    objects = [
        records.VocObject(
            name=item.class_name,
            box=records.VocBox(*item.box.xyxy),
            pose=item.view,
            **{flag: getattr(item, flag) for flag in recipe.flags},
            **{flag: True for flag in other_flags if getattr(item, flag)},
            parts=tuple(
                records.VocPart(part.word, records.VocBox(*part.box.xyxy))
                for part in (item.parts if recipe.parts else ())
            ),
            actions=tuple(
                records.VocAction(name, name in item.actions) for name in sorted(recipe.actions)
            )
            if has_actions
            else None,
            point=records.VocPoint(*item.point_xy) if has_points and item.point_xy else None,
        )
        for item in items
    ]
    source = recipe.image
    page = (photo and photo.page_url) or ""
    flickrid = ""
    of_flickr = _FLICKR_PAGE.fullmatch(page) if photo and photo.source is Source.TABLE else None
    is_flickrs = of_flickr or (photo is not None and photo.source in SOURCES_OF_FLICKR)
    if photo is not None and not is_flickrs and source == FLICKR:
        source = photo.source.value
    if of_flickr is not None:
        flickrid = of_flickr[1]
    elif photo is not None and photo.source is Source.FLICKR:
        flickrid = photo.source_id
    elif page.startswith(FLICKR_PHOTO):  # an imported one
        flickrid = page.removeprefix(FLICKR_PHOTO)
    flickrid = fit_text(flickrid) if is_2007 else ""
    # never without, since the kit of 2007 wants the same children in all files of a set
    names = (photo.owner_id, photo.owner_name) if photo else ("", "")
    owner = records.VocOwner(*(fit_text(name or "") or UNKNOWN for name in names))
    return records.VocImage(
        filename=f"{public_id}.jpg",
        folder=f"VOC{year}",
        source=records.VocSource(recipe.database, recipe.annotation, source, flickrid or None),
        owner=owner if is_2007 else None,
        size=records.VocSize(row.width, row.height, DEPTH),
        segmented=False,
        objects=tuple(objects),
    )


def find_fault(row: ImageRow, recipe: Recipe) -> str | None:
    """The first reason why the image cannot be in a release; None where it can."""
    if not row.is_accepted:
        return "no checker accepted its newest revision"
    if not row.objects:
        return "it has no object, and the development kit cannot read an annotation without any"
    for number, item in enumerate(row.objects, start=1):
        if item.class_name not in recipe.classes:
            return f"the class {item.class_name!r} of object {number} is not in the preset"
        if recipe.actions and not set(item.actions) <= set(recipe.actions):
            return f"an action of object {number} is not in the preset"
        if recipe.parts and not {part.word for part in item.parts} <= set(recipe.parts):
            return f"a part of object {number} is not in the preset"
        boxes = (item.box, *(part.box for part in item.parts))
        if not all(box.is_inside(row.width, row.height) for box in boxes):
            return f"a box of object {number} leaves the image of {row.width} x {row.height}"
        x, y = item.point_xy or (1, 1)
        if not (1 <= x <= row.width and 1 <= y <= row.height):
            return f"the point of object {number} is not in the image"
    return None
