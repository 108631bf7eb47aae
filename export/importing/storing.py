"""The pictures of a tree on their way into the image store, several threads at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore
from export.verify.trees import read_bytes

from .drafts import Draft
from .findings import Mend
from .masks import put_masks
from .mending import Mender, UnmendableError
from .picture import PictureError, TreePicture, read_picture
from .tree_image import StoredFile, TreeImage

DRAFTS_AT_ONCE = 16
"""So many a thread takes at a time: handing over costs as much as a small file."""

Put = Callable[[bytes], str]


@dataclass(frozen=True)
class Arrived:
    """An image whose picture is on its way into the store, and what was mended.

    `masks` are the digests of its segmentation masks, by their folders; `encoded_sha256` is that of
    the file that releases hold where it is another one.
    """

    image: TreeImage
    mends: Sequence[Mend]
    masks: Mapping[str, str]
    encoded_sha256: str | None


Outcome = Arrived | ImageStoreError | str


def put_pictures(
    store: ImageStore, drafts: Sequence[Draft], max_pixels: int, pool: Executor
) -> list[Outcome]:
    """For each draft its image, or what stood against it: the store, or its own files.

    The pictures are in the store, durably, when this returns. Raises ImageStoreError where it takes
    none of them.
    """

    def take(some_drafts: Sequence[Draft]) -> list[Outcome]:
        return [_try(draft, put, max_pixels) for draft in some_drafts]

    with store.putting() as put:
        return [outcome for found in pool.map(take, _portions(drafts)) for outcome in found]


def _portions(drafts: Sequence[Draft]) -> Iterator[Sequence[Draft]]:
    return (
        drafts[start : start + DRAFTS_AT_ONCE] for start in range(0, len(drafts), DRAFTS_AT_ONCE)
    )


def _try(draft: Draft, put: Put, max_pixels: int) -> Outcome:
    try:
        return _arrive(draft, put, max_pixels)
    except ImageStoreError as error:
        return error
    except (PictureError, UnmendableError) as error:
        return str(error)


def _arrive(draft: Draft, put: Put, max_pixels: int) -> Arrived:
    data = read_bytes(draft.picture)
    if isinstance(data, str):
        raise PictureError(f"its picture: {data}")
    picture = read_picture(data, draft.record.size, max_pixels)
    size_wh = picture.width, picture.height
    mender = Mender(draft.annotation, *size_wh, draft.find_places)
    objects = mender.make_objects(draft.record)
    most = draft.most_classes, len(objects)
    masks, mends = put_masks(draft.masks, most, size_wh, put) if draft.masks else ({}, [])
    file = StoredFile(put(picture.data), *size_wh, len(picture.data), picture.original_sha256)
    encoded = None if picture.release_data is None else put(picture.release_data)
    image = TreeImage(draft.image_id, draft.record, file, objects)
    told = [*mender.mends, *mends, *_tell_picture(draft, picture)]
    return Arrived(image, told, masks, encoded)


def _tell_picture(draft: Draft, picture: TreePicture) -> Iterator[Mend]:
    """In what the picture of a release will not be the file of the tree."""
    name = str(draft.picture)
    if draft.picture.suffix != ".jpg":
        yield Mend(name, 1, "picture-name", f"it is called {draft.image_id}.jpg from now on")
    if picture.original_sha256 is not None:
        message = "its EXIF asks to turn it; it is kept with the pixels that its boxes speak of"
        yield Mend(name, 1, "orientation", f"{message}, and without that request")
    if picture.release_data is not None:
        message = "it is no JPEG of three components of 8 bits; releases hold one made of it"
        yield Mend(name, 1, "jpeg-colour", message)
