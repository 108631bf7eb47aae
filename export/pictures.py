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
from pathlib import Path

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
Shape = tuple[str, int, int]
"""Digest, width and height of a stored image."""
Picture = tuple[str, str, bool]
"""A picture's path in the release, its digest, and whether a blind release pads it."""


def settle_jpegs(store: ImageStore, images: Sequence[ImageRow], put: Put) -> ReleaseJpegs:
    """The files of the images; those encoded anew went through `put` when this returns.

    Raises ImageStoreError where the store cannot be reached or does not take a file.
    """
    encoded: dict[str, str] = {}
    faults: dict[str, str] = {}
    shapes = [(image.sha256, image.width, image.height) for image in images]
    with in_portions(partial(_settle_all, store, put), shapes) as settled:
        for sha256, digest, fault in (one for some in settled for one in some):
            if fault is not None:
                faults[sha256] = fault
            elif digest != sha256:
                encoded[sha256] = digest
    return encoded, faults


def write_pictures(
    plan: ReleasePlan, store: ImageStore, folder: Path, advance: Advance
) -> AbstractContextManager[Iterator[dict[str, str]]]:
    """Write the pictures, those of a blind test set padded; the digests by path, some at a time.

    `advance` is called with how many more are written. Raises DamagedImageError where a file is not
    what was stored, and OSError where one cannot be written.
    """
    pictures = [(jpeg_path(plan, it), it.jpeg_sha256, plan.hides(it)) for it in plan.images]
    return in_portions(partial(_write_all, store, folder), pictures, advance)


def _settle_all(
    store: ImageStore, put: Put, shapes: Sequence[Shape]
) -> list[tuple[str, str, str | None]]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(partial(_settle, store, put), shapes))


def _settle(store: ImageStore, put: Put, shape: Shape) -> tuple[str, str, str | None]:
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
    is_kept = False
    try:
        header = read_jpeg_header(data)
        is_kept = header.fits_voc
        released = strip_jpeg(data) if is_kept else to_rgb_jpeg(data)
    except JpegError:  # no JPEG that VOC could have released
        is_kept, released = False, to_rgb_jpeg(data)
    if not is_kept:
        header = read_jpeg_header(released)
    digest = sha256 if released is data else put(released)
    if (header.width, header.height) != (width, height):
        raise JpegError(
            f"it has {header.width} x {header.height} pixels, "
            f"but was annotated as {width} x {height}"
        )
    return digest


def _write_all(store: ImageStore, folder: Path, pictures: Sequence[Picture]) -> dict[str, str]:
    with ThreadPoolExecutor(THREADS) as pool:
        return dict(pool.map(partial(_write, store, folder), pictures))


def _write(store: ImageStore, folder: Path, picture: Picture) -> tuple[str, str]:
    """Write one picture; its path and the digest of what was written."""
    path, digest, is_hidden = picture
    data = _read(store, digest)
    if is_hidden:
        data = pad_jpeg(strip_jpeg(data), BLOCK_BYTES)
        digest = digest_of(data)
    write_file(folder, path, data)
    return path, digest


def _read(store: ImageStore, sha256: str) -> bytes:
    try:
        return store.get(sha256)
    except ImageMissingError as error:
        raise DamagedImageError(
            f"The file {sha256} is not in the image store; bring it back from a copy, "
            "nothing was released."
        ) from error
    except ImageDamagedError as error:
        raise DamagedImageError(
            f"The file {sha256} in the image store is not what was stored; bring it back from a "
            "copy, nothing was released."
        ) from error
