"""The pictures of a tree on their way into the image store, several threads at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore
from export.verify.trees import read_bytes

from .drafts import Draft
from .findings import Mend
from .mending import Mender, UnmendableError
from .picture import PictureError, read_picture
from .tree_image import StoredFile, TreeImage

DRAFTS_AT_ONCE = 16
"""So many a thread takes at a time: handing over costs as much as a small file."""

Put = Callable[[bytes], str]


@dataclass(frozen=True)
class Arrived:
    """An image whose picture is on its way into the store, and what was mended.

    `encoded_sha256` is the digest of the file that releases hold where it is another one.
    """

    image: TreeImage
    mends: Sequence[Mend]
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
    mender = Mender(draft.annotation, picture.width, picture.height, draft.find_lines)
    objects = mender.make_objects(draft.record)
    file = StoredFile(
        put(picture.data),
        picture.width,
        picture.height,
        len(picture.data),
        picture.original_sha256,
    )
    encoded = None if picture.release_data is None else put(picture.release_data)
    return Arrived(TreeImage(draft.image_id, draft.record, file, objects), mender.mends, encoded)
