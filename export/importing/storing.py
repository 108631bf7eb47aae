"""The pictures of a tree on their way into the image store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import NamedTuple

from sqlalchemy.orm import Session

from catalog.errors import ImageMissingError, ImageStoreError
from catalog.file_lock import keep_files
from catalog.image_store import ImageStore, digest_of
from catalog.states import ImageState
from export.form import make_blind_form
from export.verify.trees import read_bytes
from export.voc.records import VocImage, VocObject, VocPart

from .brought import Brought
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

_SUFFIX = ".jpg"
_NO_MASKS: Mapping[str, str] = {}


class _Stored(NamedTuple):
    """A picture in the store, and what is not as the tree's own files say.

    `objects` are given where they had to be mended, `encoded_sha256` is the digest of the file that
    releases hold where it is another one.
    """

    file: StoredFile
    objects: tuple[TreeObject, ...] | None = None
    mends: Sequence[Mend] = ()
    masks: Mapping[str, str] = _NO_MASKS
    encoded_sha256: str | None = None


_Outcome = _Stored | ImageStoreError | Skip


def put_pictures(
    store: ImageStore,
    drafts: Sequence[Draft],
    max_pixels: int,
    pool: Executor | None = None,
    *,
    taken_down: Mapping[str, int],
) -> Brought:
    """The drafts' images, and what stood against the others: the store, or their own files.

    Files of images that were taken down, by their digests, are not stored once more. Where a pool
    is given, its threads share the work.
    """

    def take(some_drafts: Sequence[Draft]) -> list[_Outcome]:
        return [_try(draft, put, max_pixels) for draft in some_drafts]

    try:
        with store.putting() as put_any:
            put = _refusing(put_any, taken_down)
            found = pool.map(take, _portions(drafts)) if pool else [take(drafts)]
            outcomes = [outcome for outcomes in found for outcome in outcomes]
    except ImageStoreError as error:
        return Brought(fault=error)
    return _sort_out(drafts, outcomes)


def check_stored(session: Session, store: ImageStore, images: Sequence[TreeImage]) -> None:
    """Raise ImageMissingError where a file in a folder was deleted, as another photo's, meanwhile.

    None goes until this transaction ends.
    """
    if store.folder is None:
        return
    keep_files(session)
    gone = next((it.image_id for it in images if not store.has(it.file.sha256)), None)
    if gone is not None:
        raise ImageMissingError(
            f"The picture of {gone} was deleted from the image store by another command; what is "
            "recorded stays, and the same command goes on from there."
        )


def _sort_out(drafts: Sequence[Draft], outcomes: Sequence[_Outcome]) -> Brought:
    """The images are made when all pictures are stored: a loop without files takes half as long."""
    forms = Forms()
    pairs = zip(drafts, outcomes, strict=True)
    stored = [(draft, it) for draft, it in pairs if isinstance(it, _Stored)]
    return Brought(
        images=[_make_image(draft, it, forms) for draft, it in stored],
        mends={draft.image_id: it.mends for draft, it in stored if it.mends},
        encoded={draft.image_id: it.encoded_sha256 for draft, it in stored if it.encoded_sha256},
        skipped=[it for it in outcomes if isinstance(it, Skip)],
        fault=next((it for it in outcomes if isinstance(it, ImageStoreError)), None),
    )


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


def _try(draft: Draft, put: Put, max_pixels: int) -> _Outcome:
    try:
        return _store(draft, put, max_pixels)
    except ImageStoreError as error:
        return error
    except (PictureError, UnmendableError) as error:
        return Skip(draft.image_id, str(error))


def _store(draft: Draft, put: Put, max_pixels: int) -> _Stored:
    data = read_bytes(draft.picture)
    if isinstance(data, str):
        raise PictureError(f"its picture: {data}")
    picture = read_picture(data, draft.record.size, max_pixels)
    if picture.data is data and _is_as_told(draft, picture):
        return _Stored(StoredFile(put(data), *picture.size_wh, len(data)))
    return _store_mended(draft, picture, put)


def _is_as_told(draft: Draft, picture: TreePicture) -> bool:
    """Whether there is nothing to mend or to tell, and no mask."""
    if not draft.is_plain or draft.masks or not draft.picture.endswith(_SUFFIX):
        return False
    size = draft.record.size
    fits = draft.is_blind if size is None else (size.width, size.height) == picture.size_wh
    return fits and picture.release_data is None


def _store_mended(draft: Draft, picture: TreePicture, put: Put) -> _Stored:
    size_wh = picture.size_wh
    mender = Mender(draft.annotation, *size_wh, draft.find_places)
    objects = as_tree_objects(mender.make_objects(draft.record))
    file = StoredFile(put(picture.data), *size_wh, len(picture.data), picture.original_sha256)
    masks, mends = put_masks(draft.masks, (draft.most_classes, len(objects)), size_wh, put)
    encoded = None if picture.release_data is None else put(picture.release_data)
    mends = [*mender.mends, *mends, *_tell_picture(draft, picture)]
    return _Stored(file, objects, mends, masks, encoded)


def _make_image(draft: Draft, stored: _Stored, forms: Forms) -> TreeImage:
    record = draft.record
    return TreeImage(
        draft.image_id,
        draft.annotation,
        stored.file,
        _copy_objects(record) if stored.objects is None else stored.objects,
        make_blind_form(draft.style) if draft.is_blind else forms.make(record, draft.style),
        find_origin(record),
        stored.masks,
        record.segmented,
    )


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
    if not name.endswith(_SUFFIX):
        yield Mend(name, 1, "picture-name", f"it is called {draft.image_id}.jpg from now on")
    if picture.original_sha256 is not None:
        message = "its EXIF asks to turn it; it is kept with the pixels that its boxes speak of"
        yield Mend(name, 1, "orientation", f"{message}, and without that request")
    if picture.release_data is not None:
        message = "it is no JPEG of three components of 8 bits; releases hold one made of it"
        yield Mend(name, 1, "jpeg-colour", message)
