"""What statistics count: the images of a release or all finished work, and the papers' tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject, describe_looks
from catalog.box import Box
from catalog.preset import Preset
from catalog.sentences import Sentence, say
from catalog.states import ImageState, PhotoState, WordKind
from catalog.tables import Image, Object, Photo, Release, ReleaseImage
from catalog.words import load_names_since
from vockit.errors import SettingsError
from vockit.format.class_counts import (
    WHOLE,
    Count,
    CountTable,
    Table,
    choose_sets,
    count_by_set,
    is_in_set,
)
from vockit.format.image_sets import Split
from vockit.format.records import VocBox
from vockit.report.localization import Edges, PlacedObject, chance_of_boxes, place
from vockit.report.set_comparison import SetImage, SetObject, compare_sets, find_year

from .difficulty import LastJudgement, load_last_judgements
from .load import load_checked_images, load_objects
from .matching import add_drawn

SEGMENTATION = "ImageSets/Segmentation"  # the folder of sets of a form whose image has masks

SIZE_EDGES = tuple(round(share * 0.1, 1) for share in range(11))
"""Of the square root of the share of the image that a box covers."""

ASPECT_EDGES = (0.0, 0.25, 0.5, 0.67, 0.8, 1.25, 1.5, 2.0, 4.0, float("inf"))
"""Of width by height in pixels; the middle bin holds what is nearly square."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class CountedImage:
    """One image with its objects and the set that it is in; no set where nothing is released.

    `is_segmented` says that a release has masks of it; `segmented_split` is its segmentation set.
    Owner and year are those of its first photograph, where two test sets are compared, and nobody
    was asked whether it shows the `unasked` classes.
    """

    width_px: int
    height_px: int
    objects: tuple[AnnotatedObject, ...]
    split: Split | None = None
    is_segmented: bool = False
    segmented_split: Split | None = None
    owner: str | None = None
    year: int | None = None
    unasked: frozenset[str] = frozenset()


def load_finished(session: Session) -> list[CountedImage]:
    """All annotated and checked images with their newest revisions, difficult as judged last."""
    forms = session.execute(
        select(ReleaseImage.image_id, ReleaseImage.form).where(ReleaseImage.form.is_not(None))
    ).tuples()
    segmented = {image_id for image_id, form in forms if _is_segmented(form or {})}
    judged = load_last_judgements(session)
    return [
        CountedImage(
            image.width_px,
            image.height_px,
            tuple(
                _follow_judgement(item, judged.get((image.image_id, item.key)))
                for item in image.objects
            ),
            is_segmented=image.image_id in segmented,
        )
        for image in load_checked_images(session)
    ]


def _follow_judgement(item: AnnotatedObject, last: LastJudgement | None) -> AnnotatedObject:
    """The object as it was judged last, also after a release froze it."""
    if last is None or last.is_difficult == item.difficult:
        return item
    if item.group_of:
        return item
    looks_so = last.looks_sha256 == describe_looks(item.class_id, item.box)
    return replace(item, difficult=last.is_difficult) if looks_so else item


def load_released(session: Session, name: str) -> list[CountedImage]:
    """The images of a release as they are frozen in it, in order of their public ids.

    Objects are difficult as its files say. Images that were taken down since are not counted, as
    they are in no copy that is written now, nor those whose annotation an imported tree held back:
    their objects are unknown. Raises SettingsError, which names the releases
    that there are.
    """
    release = session.scalar(select(Release).where(Release.name == name))
    if release is None:
        names = session.scalars(select(Release.name).order_by(Release.id)).all()
        raise SettingsError(
            f"There is no release {name}; the releases are: {', '.join(names) or 'none yet'}."
        )
    frozen = select(ReleaseImage.annotation_id).where(ReleaseImage.release_id == release.id)
    objects = load_objects(session, Object.annotation_id.in_(frozen))
    rows = session.execute(
        select(Image, ReleaseImage)
        .join(ReleaseImage, ReleaseImage.image_id == Image.id)
        .where(ReleaseImage.release_id == release.id, Image.state != ImageState.TAKEN_DOWN)
        .order_by(ReleaseImage.public_id)
    )
    judged = (release.settings.get("notes") or {}).get("judged") or {}
    counted = {
        image.id: CountedImage(
            image.width,
            image.height,
            _apply_judged(objects.get(row.annotation_id, ()), judged.get(str(image.id), {})),
            row.split,
            _is_segmented(row.form or {}),
            Split((row.form or {}).get("splits", {}).get(SEGMENTATION) or row.split),
        )
        for image, row in rows.tuples()
        if not (row.form or {}).get("is_blind")
    }
    if any(image.split is Split.TEST2 for image in counted.values()):
        unasked = _load_unasked(session, release)
        asked = {
            image_id: replace(image, unasked=unasked.get(image_id, frozenset()))
            for image_id, image in counted.items()
        }
        counted = asked | _add_photos(session, release.id, asked)
    return list(counted.values())


def _load_unasked(session: Session, release: Release) -> dict[int, frozenset[str]]:
    """By image the classes of a release that it was not asked about, if any, in names of today."""
    recipe = release.settings["recipe"]
    names = load_names_since(session, recipe.get("classes_number", 0))[WordKind.CLASS]
    noted = (release.settings.get("notes") or {}).get("asked") or {}
    asked_of = {
        image.image_id: image.form.get("asked") if image.form else noted.get(image.public_id)
        for image in release.images
    }
    return {
        image_id: frozenset(
            names.get(name, name) for name in recipe["classes"] if name not in asked
        )
        for image_id, asked in asked_of.items()
        if asked is not None
    }


def _add_photos(
    session: Session, release_id: int, counted: Mapping[int, CountedImage]
) -> dict[int, CountedImage]:
    """The images of a release with owner and year of the first photograph of each."""
    columns = ReleaseImage.image_id, Photo.owner_id, Photo.owner_name, Photo.uploaded_at
    photos = session.execute(
        select(*columns, Photo.taken_at_text)
        .join(ReleaseImage, ReleaseImage.image_id == Photo.image_id)
        .where(ReleaseImage.release_id == release_id, Photo.state != PhotoState.WITHDRAWN)
        .order_by(Photo.id.desc())
    ).tuples()
    return {
        image_id: replace(
            counted[image_id], owner=owner_id or name, year=find_year(uploaded_at, taken_at)
        )
        for image_id, owner_id, name, uploaded_at, taken_at in photos
        if image_id in counted
    }


def _apply_judged(
    objects: Iterable[AnnotatedObject], judged: Mapping[str, bool]
) -> tuple[AnnotatedObject, ...]:
    """The objects as the release notes that they were judged since they were frozen, by key."""
    return tuple(replace(item, difficult=judged.get(item.key, item.difficult)) for item in objects)


def _is_segmented(form: Mapping[str, Any]) -> bool:
    """Whether the files of an image have masks, say so, or are listed for segmentation."""
    if form.get("is_blind"):
        return False
    listed = SEGMENTATION in form.get("sets", {})
    return bool(form.get("masks") or form.get("is_segmented") or listed)


@dataclass(frozen=True)
class Spread:
    """Quantiles of a measure over some objects, and how many fall between the edges."""

    name: str
    objects: int
    quantiles: tuple[float, ...]
    counts: tuple[int, ...]


def spread_sizes(images: Sequence[CountedImage], class_names: Sequence[str]) -> list[Spread]:
    """How large the boxes of each class are: the square root of the share of the image."""

    def measure(box: Box, image: CountedImage) -> float:
        return math.sqrt(box.area_px / (image.width_px * image.height_px))

    return _spread(images, class_names, measure, SIZE_EDGES)


def spread_aspects(images: Sequence[CountedImage], class_names: Sequence[str]) -> list[Spread]:
    """How long the boxes of each class are: width by height."""
    return _spread(
        images, class_names, lambda image, _: image.width_px / image.height_px, ASPECT_EDGES
    )


def count_together(images: Sequence[CountedImage], class_names: Sequence[str]) -> NDArray[np.int64]:
    """How many images show both of two classes; on the diagonal, how many show the one."""
    places = {name: place for place, name in enumerate(class_names)}
    counts = np.zeros((len(class_names), len(class_names)), dtype=np.int64)
    for image in images:
        shown = sorted({places[item.class_name] for item in image.objects})
        counts[np.ix_(shown, shown)] += 1
    return counts


def measure_chances(
    images: Sequence[CountedImage], class_names: Sequence[str]
) -> list[tuple[str, int, float | None]]:
    """Each class with its objects and the share of pairs of their boxes that overlap by half.

    All images have one size then. None of fewer than two objects. Difficult objects count.
    """
    boxes: dict[str, list[Edges]] = {name: [] for name in class_names}
    for image in images:
        for item in place_objects(image):
            boxes[item.class_name].append(item.edges)
    return [(name, len(some), chance_of_boxes(some)) for name, some in boxes.items()]


def place_objects(image: CountedImage) -> list[PlacedObject]:
    """The objects of the image with their edges as shares of it."""
    size_wh = image.width_px, image.height_px
    return [
        PlacedObject(item.class_name, item.difficult, place(VocBox(*item.box.xyxy), size_wh))
        for item in image.objects
    ]


def _spread(
    images: Sequence[CountedImage],
    class_names: Sequence[str],
    measure: Callable[[Box, CountedImage], float],
    edges: Sequence[float],
) -> list[Spread]:
    """Of each class with boxes; bins hold their lower edge, the last one its upper edge too."""
    values: dict[str, list[float]] = {name: [] for name in class_names}
    for image in images:
        for item in image.objects:
            values.setdefault(item.class_name, []).append(measure(item.box, image))
    spreads = []
    for name, some in values.items():
        if some:
            counts, _ = np.histogram(some, bins=np.array(edges))
            quantiles = np.quantile(some, QUANTILES).tolist()
            spreads.append(Spread(name, len(some), tuple(quantiles), tuple(counts.tolist())))
    return spreads


def count_main(
    images: Sequence[CountedImage], class_names: Sequence[str], *, all_objects: bool
) -> CountTable:
    """Table 1: objects of every class; the total counts every image of the set."""
    drawn = [(image.split, image) for image in images]
    shown = ("table1", say("Main image sets"), say("Images"))
    return _count_classes(shown, drawn, class_names, set_names(images), all_objects)


def count_segmentation(
    images: Sequence[CountedImage], class_names: Sequence[str], *, all_objects: bool
) -> CountTable:
    """Table 2: as table 1, of images with masks."""
    drawn = [(image.segmented_split, image) for image in images if image.is_segmented]
    shown = ("table2", say("Segmentation image sets"), say("Images with masks"))
    return _count_classes(shown, drawn, class_names, set_names(images), all_objects)


def count_layout(images: Sequence[CountedImage], preset: Preset) -> CountTable:
    """Table 3: objects whose parts are given, of the classes that have parts."""
    sets = set_names(images)
    names = [item.name for item in preset.classes if item.has_parts]
    drawn = [
        (image.split, [(shown.class_name,) for shown in image.objects if shown.parts])
        for image in images
    ]
    rows, _ = count_by_set(drawn, names, sets)
    caption = say("Images that show at least one object with parts, and objects with parts.")
    empty = say("No class of the preset has parts, so the table has no rows.")
    return CountTable("table3", say("Layout image sets"), caption, sets, rows, empty=empty)


def count_actions(images: Sequence[CountedImage], preset: Preset) -> CountTable:
    """Table 4: objects that do each action; several may be done at once."""
    sets = set_names(images)
    names = {item.key: item.name for item in preset.actions}
    drawn = [
        (image.split, [[names.get(key, key) for key in item.actions] for item in image.objects])
        for image in images
    ]
    performed = {name for _, items in drawn for item in items for name in item}
    shown = add_drawn(names.values(), performed) if names else ()
    rows, total = count_by_set(drawn, shown, sets)
    caption = say("Images that show someone doing it, and how many do; one may do several things.")
    empty = say("The preset has no actions, so the table has no rows.")
    return CountTable("table4", say("Action image sets"), caption, sets, rows, total, empty)


def set_names(images: Iterable[CountedImage]) -> tuple[str, ...]:
    """The sets to be counted: those of the release where images have sets, else one of all."""
    splits = {image.split for image in images}
    return choose_sets(splits) if any(splits) else (WHOLE,)


def compare_test_sets(images: Iterable[CountedImage], class_names: Sequence[str]) -> Table | None:
    """What differs between trainval and two test sets; None where there are not two."""
    images = list(images)
    if all(image.split is not Split.TEST2 for image in images):
        return None
    shown = [
        SetImage(
            set_name=str(image.split),
            size_wh=(image.width_px, image.height_px),
            objects=[
                SetObject(item.class_name, item.difficult, item.box.area_px)
                for item in image.objects
            ],
            owner=image.owner,
            year=image.year,
            unasked=image.unasked,
        )
        for image in images
    ]
    return compare_sets(shown, ("trainval", "test", "test2"), class_names)


def _count_classes(
    shown: tuple[str, Sentence, Sentence],
    drawn: Sequence[tuple[Split | None, CountedImage]],
    class_names: Sequence[str],
    sets: tuple[str, ...],
    all_objects: bool,
) -> CountTable:
    """The table of these images; without a row where there is no image."""
    name, title, images = shown
    caption = say(
        "{images} that show at least one object of the class, and objects; of {objects}.",
        images=images,
        objects=say("all objects") if all_objects else say("objects that are not difficult"),
    )
    if not drawn and name == "table2":
        empty = say("No image has segmentation masks in a release.")
        return CountTable(name, title, caption, sets, (), empty=empty)
    words = [
        (split, [(item.class_name,) for item in image.objects if all_objects or not item.difficult])
        for split, image in drawn
    ]
    rows, objects = count_by_set(words, class_names, sets)
    total = tuple(
        Count(sum(is_in_set(name_of_set, split) for split, _ in drawn), count.objects)
        for name_of_set, count in zip(sets, objects, strict=True)
    )
    return CountTable(name, title, caption, sets, rows, total)
