"""The files of a release's tree: pictures, annotations, image sets, label map and masks.

A photograph keeps its pixels bit for bit, without what could identify people or places. Only a file
that is no 8-bit colour JPEG is encoded anew; the release records the digest of either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from catalog.errors import ImageDamagedError, ImageMissingError, ImageUnreadableError
from catalog.image_store import ImageStore, digest_of
from vockit.foreign.folder import write_file
from vockit.foreign.given_persons import format_given
from vockit.format import image_sets, tree
from vockit.format.class_counts import is_in_set
from vockit.format.given_persons import GIVING, GivenPerson
from vockit.format.jpeg import JpegError, pad_jpeg, read_jpeg_header, strip_jpeg, to_rgb_jpeg
from vockit.format.masks import find_colour
from vockit.format.metadata import find_metadata, has_profile
from vockit.format.release_digest import digest_lists
from vockit.format.threads import ThreadPool
from vockit.format.tree import PERSON
from vockit.report.progress import Advance
from vockit.verify.trees import label_classes

from .blind import BLOCK_BYTES
from .forms import list_chosen
from .plan import PlannedImage, ReleasePlan
from .recipe import Recipe
from .rows import ImageRow, ReleaseJpegs

THREADS = 8
"""Threads that read, decode and write pictures; each waits for a disk or for a store elsewhere."""
Put = Callable[[bytes], str]
"""Stores bytes and returns their digest."""


def settle_jpegs(store: ImageStore, images: Sequence[ImageRow], put: Put) -> ReleaseJpegs:
    """The files of the images; those encoded anew went through `put`. Raises ImageStoreError."""
    with ThreadPool(THREADS) as pool:
        settled = pool.map(lambda image: _settle_jpeg(store, image, put), images)
        jpeg_of = dict(zip([image.sha256 for image in images], settled, strict=True))
    return ReleaseJpegs(
        encoded={
            digest: jpeg.sha256
            for digest, jpeg in jpeg_of.items()
            if jpeg.sha256 not in ("", digest)
        },
        faults={digest: jpeg.fault for digest, jpeg in jpeg_of.items() if jpeg.fault},
        missing={digest for digest, jpeg in jpeg_of.items() if jpeg.is_missing},
    )


@dataclass(frozen=True)
class _SettledJpeg:
    """The digest of what a release holds of an image, or why it can hold nothing."""

    sha256: str = ""
    fault: str = ""
    is_missing: bool = False


def _settle_jpeg(store: ImageStore, image: ImageRow, put: Put) -> _SettledJpeg:
    """The image's file as it can be released; one encoded anew went through `put`."""
    refused = "its file cannot be released"
    try:
        data = store.get(image.sha256)
    except ImageMissingError:
        return _SettledJpeg(fault="its file is not in the image store", is_missing=True)
    except ImageUnreadableError:
        return _SettledJpeg(fault=f"{refused}: it cannot be read", is_missing=True)
    except ImageDamagedError:
        return _SettledJpeg(fault=f"{refused}: it is not what was stored", is_missing=True)
    try:
        released = _to_voc_jpeg(data)
        header = read_jpeg_header(released)
    except JpegError as error:
        return _SettledJpeg(fault=f"{refused}: {error}")
    if (header.width, header.height) != (image.width, image.height):
        return _SettledJpeg(
            fault=f"{refused}: it has {header.width} x {header.height} pixels, "
            f"but was annotated as {image.width} x {image.height}"
        )
    return _SettledJpeg(image.sha256 if released is data else put(released))


def _to_voc_jpeg(data: bytes) -> bytes:
    """The picture as VOC could have released it: the same bytes where they are fit."""
    try:
        return strip_jpeg(data) if read_jpeg_header(data).fits_voc else to_rgb_jpeg(data)
    except JpegError:  # no JPEG that VOC could have released
        return to_rgb_jpeg(data)


def strip_pictures(
    store: ImageStore, images: Sequence[PlannedImage], put: Put
) -> tuple[dict[str, str], dict[str, str]]:
    """Digests of pictures without metadata by those of the images, and why some keep theirs.

    The new files went through `put`; every pixel is the same. Raises ImageStoreError.
    """

    def strip(sha256: str) -> tuple[str, str | None]:
        data = store.get(sha256)
        try:
            stripped = strip_jpeg(data)
        except JpegError as error:
            return sha256, f"its metadata cannot be removed from the file alone: {error}"
        return (sha256 if stripped is data else put(stripped)), None

    digests = sorted({image.jpeg_sha256 for image in images})
    with ThreadPool(THREADS) as pool:
        results = dict(zip(digests, pool.map(strip, digests), strict=True))
    stripped = {
        digest: new_digest for digest, (new_digest, _) in results.items() if new_digest != digest
    }
    return stripped, {digest: fault for digest, (_, fault) in results.items() if fault}


@dataclass(frozen=True)
class WrittenPicture:
    """What was written of a picture; `is_encoded` where a new release changed stored pixels."""

    path: str
    sha256: str
    metadata: tuple[str, ...]
    has_profile: bool
    is_encoded: bool


def write_pictures(
    plan: ReleasePlan, store: ImageStore, folder: Path, advance: Advance
) -> dict[str, WrittenPicture]:
    """Write the pictures, those of a blind test set padded; what was written by public id.

    The metadata are those of the file before it is padded, as it will be in the opened release.
    """

    def write(image: PlannedImage) -> WrittenPicture:
        data = released = store.get(image.jpeg_sha256)
        if plan.hides(image):
            data = pad_jpeg(strip_jpeg(released), BLOCK_BYTES)
        path = jpeg_path(plan, image)
        write_file(folder, path, data)
        return WrittenPicture(
            path=path,
            sha256=image.jpeg_sha256 if data is released else digest_of(data),
            metadata=find_metadata(released),
            has_profile=has_profile(released),
            is_encoded=not plan.is_recorded and _is_encoded(image, store, released),
        )

    written = dict[str, WrittenPicture]()
    with ThreadPool(THREADS) as pool:
        for image, picture in zip(plan.images, pool.map(write, plan.images), strict=True):
            written[image.public_id] = picture
            advance(1)
    return written


def _is_encoded(image: PlannedImage, store: ImageStore, released: bytes) -> bool:
    """Whether the released file has other pixels than the stored one, not only less metadata."""
    if image.jpeg_sha256 == image.row.sha256:
        return False
    try:
        return strip_jpeg(store.get(image.row.sha256)) != strip_jpeg(released)
    except JpegError:  # what could not be released as it was
        return True


def tree_path(plan: ReleasePlan) -> str:
    """The folder of the VOC tree below the folder that is written to."""
    return f"{tree.DEVKIT}/VOC{plan.year}"


def jpeg_path(plan: ReleasePlan, image: PlannedImage) -> str:
    """The path of an image's picture below the folder that is written to."""
    return f"{tree_path(plan)}/{tree.jpeg_path(image.public_id)}"


Sets = Mapping[str, tuple[int, ...]]


def format_set_files(plan: ReleasePlan) -> list[tuple[str, str]]:
    """Every set file's path below the tree and its text.

    An image whose annotation is held back is in lists of images alone: it has no line of a label,
    which would say that it shows no object. Where Layout or Action alone ask about it, its people
    are given with their boxes, which these tasks start from.
    """
    files = list[tuple[str, str]]()
    sets_of = {image.public_id: find_sets(plan, image) for image in plan.images}
    set_names = [name for name in image_sets.SETS if name == "trainval" or name in plan.splits]
    for set_name, folder in product(set_names, _list_folders(plan, sets_of.values())):
        is_hidden = plan.is_blind and set_name in image_sets.TESTS
        images = [
            image
            for image in plan.images
            if folder in sets_of[image.public_id]
            and is_in_set(set_name, _find_split(image, folder))
        ]
        if folder in GIVING and set_name in image_sets.TESTS and plan.notes.blind_salt is not None:
            given = [image for image in images if _gives_people(image, sets_of[image.public_id])]
            if is_hidden:
                files += format_given(folder, set_name, _list_people(plan, given, folder))
                continue
            images = given or images
        ids = [image.public_id for image in images]
        text = image_sets.format_images(ids)
        if folder == tree.LAYOUT and plan.year >= image_sets.FIRST_LAYOUT_OF_OBJECTS:
            text = image_sets.format_labels(
                (image_id, number) for image_id in ids for number in sets_of[image_id][folder]
            )
        files.append((tree.set_path(folder, set_name), text))
        shown = [image for image in images if plan.shows(image)]
        if is_hidden or (images and not shown):  # of what is held back nothing is known
            continue
        if folder == tree.MAIN:
            files += _format_class_files(plan, shown, set_name)
        elif folder == tree.ACTION:
            files += _format_action_files(plan, shown, set_name)
    lists = plan.recipe.lists
    return [file for file in files if not lists or file[0] in lists]


def _list_folders(plan: ReleasePlan, listing: Iterable[Sets]) -> list[str]:
    """The folders that have lists."""
    names = {tree.MAIN}.union(*listing)
    tasks = plan.recipe.tasks if plan.recipe.lists else names.intersection(plan.recipe.tasks)
    return sorted({tree.MAIN, *tasks, *names.intersection([tree.SEGMENTATION])})


def _find_split(image: PlannedImage, folder: str) -> image_sets.Split:
    """The set that the folder's lists have the image in."""
    return image.form.splits.get(folder, image.split) if image.form else image.split


def _gives_people(image: PlannedImage, sets: Sets) -> bool:
    """Whether a blind release gives the boxes of the image's people: Main does not ask for them."""
    return tree.MAIN not in sets and not image.is_blind


def _list_people(
    plan: ReleasePlan, images: Iterable[PlannedImage], folder: str
) -> Iterator[GivenPerson]:
    """The people of these images whom the folder lists."""
    for image in images:
        objects = plan.records[image.public_id].objects
        for number in find_sets(plan, image)[folder]:
            item = objects[number - 1]
            yield GivenPerson(image.public_id, number, item.box, item.point)


def digest_release(plan: ReleasePlan) -> str:
    """The digest of the lists of Main, by which results are known to be for this release."""
    texts = dict(format_set_files(plan))
    paths = {name: tree.set_path(tree.MAIN, name) for name in image_sets.SETS}
    words_of = {name: texts[path].encode().split() for name, path in paths.items() if path in texts}
    return digest_lists(f"VOC{plan.year}", words_of)


def _format_class_files(
    plan: ReleasePlan, shown: Sequence[PlannedImage], set_name: str
) -> Iterator[tuple[str, str]]:
    """The label file of each class, with a line for each image that was asked about it."""
    labels_of = {image.public_id: label_classes(plan.record(image).objects) for image in shown}
    asked_of = {image.public_id: plan.asked(image) for image in shown}
    for name in plan.recipe.classes:
        lines = [
            (image_id, labels.get(name, -1))
            for image_id, labels in labels_of.items()
            if (asked := asked_of[image_id]) is None or name in asked
        ]
        yield tree.label_path(tree.MAIN, name, set_name), image_sets.format_labels(lines)


def _format_action_files(
    plan: ReleasePlan, shown: Sequence[PlannedImage], set_name: str
) -> Iterator[tuple[str, str]]:
    """The label file of each action, with a line for each listed person of the images."""
    people = [
        (image.public_id, number, image.row.objects[number - 1].actions)
        for image in shown
        for number in find_sets(plan, image)[tree.ACTION]
    ]
    for action in sorted(plan.recipe.actions):
        labels = ((image_id, no, 1 if action in done else -1) for image_id, no, done in people)
        path = tree.label_path(tree.ACTION, action, set_name)
        yield path, image_sets.format_object_labels(labels)


def find_sets(plan: ReleasePlan, image: PlannedImage) -> Sets:
    """The folders of sets that list the image, each with the numbers of the people it lists."""
    if image.form is not None:
        return image.form.sets
    objects = image.row.objects
    tasks = plan.recipe.tasks
    if image.row.taster is not None:
        return list_chosen(image.row)
    people = [place for place, item in enumerate(objects, start=1) if item.class_name == PERSON]
    sets: dict[str, tuple[int, ...]] = {tree.MAIN: ()}
    drawn = [place for place in people if objects[place - 1].parts]
    if tree.LAYOUT in tasks and drawn and plan.has_points(image) is plan.layout_has_points:
        sets[tree.LAYOUT] = tuple(drawn)
    is_performed = len(people) == len(objects) and all(item.actions for item in objects)
    if tree.ACTION in tasks and is_performed and plan.has_points(image):
        sets[tree.ACTION] = tuple(people)
    return sets


def format_label_map(recipe: Recipe) -> str:
    """Datumaro's form; parts and actions are those of `person`, else of every class."""
    lines = ["# label:color_rgb:parts:actions", "background:0,0,0::"]
    for number, name in enumerate(recipe.classes, start=1):
        is_bearer = PERSON not in recipe.classes or name == PERSON
        parts = ",".join(recipe.parts) if is_bearer else ""
        actions = ",".join(recipe.actions) if is_bearer else ""
        colour = ",".join(map(str, find_colour(number)))
        lines.append(f"{name}:{colour}:{parts}:{actions}")
    return "".join(f"{line}\n" for line in lines)
