"""The pictures of a tree on their way into the image store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import NamedTuple

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore, digest_of
from catalog.states import ImageState
from export.form import make_blind_form
from export.verify.trees import read_bytes
from export.voc.records import VocImage, VocObject, VocPart

from .drafts import Draft
from .findings import Mend, Skip
from .forms import Forms
from .known import Twin, describe_twin
from .masks import put_masks
from .mending import VIEWS, Mender, UnmendableError
from .picture import PictureError, TreePicture, read_picture
from .tree_image import (
    StoredFile,
    TreeImage,
    TreeObject,
    TreePart,
    as_tree_objects,
    find_origin,
)

DRAFTS_AT_ONCE = 16
"""So many a thread takes at a time: handing over costs as much as a small file."""

Put = Callable[[bytes], str]


class Arrived(NamedTuple):
    """An image whose picture is on its way into the store, and what was mended.

    `encoded_sha256` is the digest of the file that releases hold where it is another one.
    """

    image: TreeImage
    mends: Sequence[Mend]
    encoded_sha256: str | None


Outcome = Arrived | ImageStoreError | Skip


def put_pictures(
    store: ImageStore,
    drafts: Sequence[Draft],
    max_pixels: int,
    pool: Executor | None = None,
    *,
    taken_down: Mapping[str, int],
) -> list[Outcome]:
    """For each draft its image, or what stood against it: the store, or its own files.

    Files of images that were taken down, by their digests, are not stored once more.

    The pictures are in the store, durably, when this returns. Raises ImageStoreError where it takes
    none of them. Where a pool is given, its threads share the work.
    """
    forms = Forms()

    def take(some_drafts: Sequence[Draft]) -> list[Outcome]:
        return [_try(draft, forms, put, max_pixels) for draft in some_drafts]

    with store.putting() as put_any:
        put = _refusing(put_any, taken_down)
        found = pool.map(take, _portions(drafts)) if pool else [take(drafts)]
        return [outcome for outcomes in found for outcome in outcomes]


def _refusing(put: Put, taken_down: Mapping[str, int]) -> Put:
    """The same, which raises PictureError for a file of an image that was taken down."""

    def put_others(data: bytes) -> str:
        image_id = taken_down.get(digest_of(data))
        if image_id is not None:
            raise PictureError(describe_twin(Twin(image_id, ImageState.TAKEN_DOWN)))
        return put(data)

    return put_others if taken_down else put


def _portions(drafts: Sequence[Draft]) -> Iterator[Sequence[Draft]]:
    return (
        drafts[start : start + DRAFTS_AT_ONCE] for start in range(0, len(drafts), DRAFTS_AT_ONCE)
    )


def _try(draft: Draft, forms: Forms, put: Put, max_pixels: int) -> Outcome:
    try:
        return _arrive(draft, forms, put, max_pixels)
    except ImageStoreError as error:
        return error
    except (PictureError, UnmendableError) as error:
        return Skip(draft.image_id, str(error))


def _arrive(draft: Draft, forms: Forms, put: Put, max_pixels: int) -> Arrived:
    data, record = read_bytes(draft.picture), draft.record
    if isinstance(data, str):
        raise PictureError(f"its picture: {data}")
    picture = read_picture(data, record.size, max_pixels)
    objects, mends = _make_objects(draft, picture)
    sha256, masks = put(picture.data), dict[str, str]()
    if draft.masks:
        most, size_wh = (draft.most_classes, len(objects)), (picture.width, picture.height)
        masks, more = put_masks(draft.masks, most, size_wh, put)
        mends = [*mends, *more]
    size = picture.width, picture.height, len(picture.data)
    file = StoredFile(sha256, *size, picture.original_sha256)
    encoded = None if picture.release_data is None else put(picture.release_data)
    image = TreeImage(
        draft.image_id,
        draft.annotation,
        file,
        objects,
        make_blind_form(draft.style) if draft.is_blind else forms.make(record, draft.style),
        find_origin(record),
        masks,
        record.segmented,
    )
    return Arrived(image, [*mends, *_tell_picture(draft, picture)], encoded)


def _make_objects(
    draft: Draft, picture: TreePicture
) -> tuple[tuple[TreeObject, ...], Sequence[Mend]]:
    """The objects, and what of them had to become another value; nothing where all is plain."""
    size = draft.record.size
    if draft.is_plain and size and (size.width, size.height) == (picture.width, picture.height):
        return _copy_objects(draft.record), ()
    mender = Mender(draft.annotation, picture.width, picture.height, draft.find_places)
    return as_tree_objects(mender.make_objects(draft.record)), mender.mends


def _copy_objects(record: VocImage) -> tuple[TreeObject, ...]:
    return tuple([_copy_object(item) for item in record.objects])


def _copy_object(item: VocObject) -> TreeObject:
    box, point, actions = item.box, item.point, item.actions
    return TreeObject(
        item.name,
        int(box.xmin),
        int(box.ymin),
        int(box.xmax),
        int(box.ymax),
        VIEWS[item.pose],
        bool(item.truncated),
        bool(item.occluded),
        bool(item.difficult),
        tuple(sorted([it.name for it in actions if it.is_performed])) if actions else (),
        None if point is None else int(point.x),
        None if point is None else int(point.y),
        tuple([_copy_part(part) for part in item.parts]),
    )


def _copy_part(part: VocPart) -> TreePart:
    box = part.box
    return TreePart(part.name, int(box.xmin), int(box.ymin), int(box.xmax), int(box.ymax))


def _tell_picture(draft: Draft, picture: TreePicture) -> Iterator[Mend]:
    """In what the picture of a release will not be the file of the tree."""
    name = draft.picture
    if not name.endswith(".jpg"):
        yield Mend(name, 1, "picture-name", f"it is called {draft.image_id}.jpg from now on")
    if picture.original_sha256 is not None:
        message = "its EXIF asks to turn it; it is kept with the pixels that its boxes speak of"
        yield Mend(name, 1, "orientation", f"{message}, and without that request")
    if picture.release_data is not None:
        message = "it is no JPEG of three components of 8 bits; releases hold one made of it"
        yield Mend(name, 1, "jpeg-colour", message)
