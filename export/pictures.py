"""The pictures of a release: which file each image gets, and writing it.

A photograph goes into a release as it was collected, its pixels bit for bit, but without what could
identify people or places (EXIF, XMP, comments). Only a file that is no 8-bit colour JPEG (grey,
CMYK, another format), which VOC never released, is encoded anew. Either file goes into the image
store too, and the release records its digest, so that later exports give the same bytes whatever
version of the encoder there is then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore, digest_of
from voc.jpeg import JpegError, pad_jpeg, read_jpeg_header, strip_jpeg, to_rgb_jpeg

from .blind import BLOCK_BYTES
from .errors import DamagedImageError
from .folder import write_file
from .plan import ReleasePlan
from .portions import Advance, in_portions
from .rows import ImageRow, ReleaseJpegs
from .tree_files import jpeg_path

THREADS = 4
"""In each process; they wait for the store."""
Put = Callable[[bytes], str]
"""Stores bytes and returns their digest."""
Picture = tuple[str, str, bool]
"""A picture's path in the release, its digest, and whether a blind release pads it."""
Item = TypeVar("Item")
Result = TypeVar("Result")


def settle_jpegs(store: ImageStore, images: Sequence[ImageRow], put: Put) -> ReleaseJpegs:
    """The files of the images; those encoded anew went through `put`. Raises ImageStoreError."""
    encoded: dict[str, str] = {}
    faults: dict[str, str] = {}
    work = partial(_in_threads, partial(_settle, store, put))
    shapes = [(image.sha256, image.width, image.height) for image in images]
    with in_portions(work, shapes) as settled:
        for sha256, digest, fault in chain.from_iterable(settled):
            if fault is not None:
                faults[sha256] = fault
            elif digest != sha256:
                encoded[sha256] = digest
    return encoded, faults


def write_pictures(
    plan: ReleasePlan, store: ImageStore, folder: Path, advance: Advance
) -> AbstractContextManager[Iterator[list[tuple[str, str]]]]:
    """Write the pictures, those of a blind test set padded; paths and digests, some at a time.

    Raises DamagedImageError and OSError.
    """
    pictures = [(jpeg_path(plan, it), it.jpeg_sha256, plan.hides(it)) for it in plan.images]
    return in_portions(partial(_in_threads, partial(_write, store, folder)), pictures, advance)


def _in_threads(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, items))


def _settle(
    store: ImageStore, put: Put, shape: tuple[str, int, int]
) -> tuple[str, str, str | None]:
    """The digests of the stored file and of the one that the image gets, and why it gets none."""
    sha256 = shape[0]
    try:
        return sha256, _store(store, put, *shape), None
    except ImageMissingError:
        return sha256, sha256, "its file is not in the image store"
    except ImageDamagedError:
        return sha256, sha256, "its file cannot be released: it is not what was stored"
    except JpegError as error:
        return sha256, sha256, f"its file cannot be released: {error}"


def _store(store: ImageStore, put: Put, sha256: str, width: int, height: int) -> str:
    data = store.get(sha256)
    try:
        is_kept = read_jpeg_header(data).fits_voc
        released = strip_jpeg(data) if is_kept else to_rgb_jpeg(data)
    except JpegError:  # no JPEG that VOC could have released
        released = to_rgb_jpeg(data)
    header = read_jpeg_header(released)
    digest = sha256 if released is data else put(released)
    if (header.width, header.height) != (width, height):
        raise JpegError(
            f"it has {header.width} x {header.height} pixels, "
            f"but was annotated as {width} x {height}"
        )
    return digest


def _write(store: ImageStore, folder: Path, picture: Picture) -> tuple[str, str]:
    """Write one picture; its path and the digest of what was written."""
    path, sha256, is_hidden = picture
    try:
        data = store.get(sha256)
    except (ImageMissingError, ImageDamagedError) as error:
        is_missing = isinstance(error, ImageMissingError)
        fault = (
            "is not in the image store"
            if is_missing
            else "in the image store is not what was stored"
        )
        raise DamagedImageError(
            f"The file {sha256} {fault}; bring it back from a copy, nothing was released."
        ) from error
    if is_hidden:
        data = pad_jpeg(strip_jpeg(data), BLOCK_BYTES)
    write_file(folder, path, data)
    return path, digest_of(data) if is_hidden else sha256
