"""The pictures of a release: which file each image gets, and writing it.

A photograph goes into a release as it was collected, its pixels bit for bit, but without what could
identify people or places (EXIF, XMP, comments). Only a file that is no 8-bit colour JPEG (grey,
CMYK, another format), which VOC never released, is encoded anew. Either file goes into the image
store too, and the release records its digest, so that later exports give the same bytes whatever
version of the encoder there is then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore, digest_of
from voc.jpeg import JpegError, pad_jpeg, read_jpeg_header, strip_jpeg, to_rgb_jpeg

from .blind import BLOCK_BYTES
from .errors import DamagedImageError
from .folder import write_file
from .plan import PlannedImage, ReleasePlan
from .rows import ImageRow, ReleaseJpegs
from .tree_files import jpeg_path

Advance = Callable[[int], object]

THREADS = 4
"""Digests, reading and writing leave the interpreter to other threads."""


Put = Callable[[bytes], str]
"""Stores bytes and returns their digest."""


def settle_jpegs(store: ImageStore, images: Sequence[ImageRow], put: Put) -> ReleaseJpegs:
    """The files of the images; those encoded anew went through `put` when this returns.

    Raises ImageStoreError where the store cannot be reached or does not take a file.
    """
    encoded: dict[str, str] = {}
    faults: dict[str, str] = {}
    with ThreadPoolExecutor(THREADS) as pool:
        settled = pool.map(lambda image: _settle(store, put, image), images)
        for image, (digest, fault) in zip(images, settled, strict=True):
            if fault is not None:
                faults[image.sha256] = fault
            elif digest != image.sha256:
                encoded[image.sha256] = digest
    return encoded, faults


def write_pictures(
    plan: ReleasePlan, store: ImageStore, folder: Path, advance: Advance
) -> dict[str, str]:
    """Write the pictures, those of a blind test set padded; the digests by path.

    `advance` is called with how many more are written. Raises DamagedImageError where a file is not
    what was stored, and OSError where one cannot be written.
    """
    digests: dict[str, str] = {}
    pool = ThreadPoolExecutor(THREADS)
    try:
        written = pool.map(lambda image: _write(plan, image, store, folder), plan.images)
        for path, digest in written:
            digests[path] = digest
            advance(1)
    finally:
        pool.shutdown(cancel_futures=True)
    return digests


def _settle(store: ImageStore, put: Put, image: ImageRow) -> tuple[str, str | None]:
    """The digest of the file that the image gets, and why it gets none."""
    try:
        return _store(store, put, image), None
    except ImageMissingError:
        return image.sha256, "its file is not in the image store"
    except JpegError as error:
        return image.sha256, f"its file cannot be released: {error}"


def _store(store: ImageStore, put: Put, image: ImageRow) -> str:
    data = store.get(image.sha256)
    if digest_of(data) != image.sha256:
        raise JpegError("it is not what was stored")
    is_kept = False
    try:
        header = read_jpeg_header(data)
        is_kept = header.fits_voc
        released = strip_jpeg(data) if is_kept else to_rgb_jpeg(data)
    except JpegError:  # no JPEG that VOC could have released
        is_kept, released = False, to_rgb_jpeg(data)
    if not is_kept:
        header = read_jpeg_header(released)
    digest = image.sha256 if released is data else put(released)
    if (header.width, header.height) != (image.width, image.height):
        raise JpegError(
            f"it has {header.width} x {header.height} pixels, "
            f"but was annotated as {image.width} x {image.height}"
        )
    return digest


def _write(
    plan: ReleasePlan, image: PlannedImage, store: ImageStore, folder: Path
) -> tuple[str, str]:
    """Write the picture of an image; its path and digest."""
    path, data, digest = jpeg_path(plan, image), _read(store, image.jpeg_sha256), image.jpeg_sha256
    if plan.hides(image):
        data = pad_jpeg(strip_jpeg(data), BLOCK_BYTES)
        digest = digest_of(data)
    write_file(folder, path, data)
    return path, digest


def _read(store: ImageStore, sha256: str) -> bytes:
    try:
        data = store.get(sha256)
    except ImageMissingError as error:
        raise DamagedImageError(
            f"The file {sha256} is not in the image store; bring it back from a copy, "
            "nothing was released."
        ) from error
    if digest_of(data) != sha256:
        raise DamagedImageError(
            f"The file {sha256} in the image store is not what was stored; bring it back from a "
            "copy, nothing was released."
        )
    return data
