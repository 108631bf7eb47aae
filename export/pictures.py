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
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore, digest_of
from voc.jpeg import JpegError, pad_jpeg, read_jpeg_header, strip_jpeg, to_rgb_jpeg

from .blind import BLOCK_BYTES
from .errors import DamagedImageError
from .folder import write_file
from .plan import ReleasePlan
from .portions import Advance
from .rows import ImageRow, ReleaseJpegs
from .tree_files import jpeg_path

THREADS = 8
"""They wait for the disk or the store."""
Put = Callable[[bytes], str]
"""Stores bytes and returns their digest."""
Picture = tuple[str, str, bool]
"""A picture's path in the release, its digest, and whether a blind release pads it."""


def settle_jpegs(store: ImageStore, images: Sequence[ImageRow], put: Put) -> ReleaseJpegs:
    """The files of the images; those encoded anew went through `put`. Raises ImageStoreError."""
    with ThreadPoolExecutor(THREADS) as pool:
        settled = list(pool.map(partial(_settle, store, put), images))
    encoded = {it: digest for it, digest, _ in settled if digest != it}
    return encoded, {sha256: fault for sha256, _, fault in settled if fault}


@contextmanager
def write_pictures(
    plan: ReleasePlan, store: ImageStore, folder: Path, advance: Advance
) -> Iterator[Iterator[tuple[str, str]]]:
    """Write the pictures, those of a blind test set padded, beside the block; paths and digests.

    Raises DamagedImageError and OSError.
    """
    pictures = [(jpeg_path(plan, it), it.jpeg_sha256, plan.hides(it)) for it in plan.images]
    pool = ThreadPoolExecutor(THREADS)
    try:
        yield _count(pool.map(partial(_write, store, folder), pictures), advance)
    finally:
        pool.shutdown(cancel_futures=True)


def _count(written: Iterator[tuple[str, str]], advance: Advance) -> Iterator[tuple[str, str]]:
    for path_and_digest in written:
        yield path_and_digest
        advance(1)


def _settle(store: ImageStore, put: Put, image: ImageRow) -> tuple[str, str, str | None]:
    """The digests of the stored file and of the one that the image gets, or why it gets none."""
    sha256 = image.sha256
    try:
        return sha256, _store(store, put, image), None
    except ImageMissingError:
        return sha256, sha256, "its file is not in the image store"
    except ImageDamagedError:
        return sha256, sha256, "its file cannot be released: it is not what was stored"
    except JpegError as error:
        return sha256, sha256, f"its file cannot be released: {error}"


def _store(store: ImageStore, put: Put, image: ImageRow) -> str:
    data = store.get(image.sha256)
    try:
        is_kept = read_jpeg_header(data).fits_voc
        released = strip_jpeg(data) if is_kept else to_rgb_jpeg(data)
    except JpegError:  # no JPEG that VOC could have released
        released = to_rgb_jpeg(data)
    header = read_jpeg_header(released)
    digest = image.sha256 if released is data else put(released)
    if (header.width, header.height) != (image.width, image.height):
        raise JpegError(
            f"it has {header.width} x {header.height} pixels, "
            f"but was annotated as {image.width} x {image.height}"
        )
    return digest


def _write(store: ImageStore, folder: Path, picture: Picture) -> tuple[str, str]:
    """Write one picture; its path and the digest of what was written."""
    path, sha256, is_hidden = picture
    try:
        data = store.get(sha256)
    except (ImageMissingError, ImageDamagedError) as error:
        fault = "in the image store is not what was stored"
        if isinstance(error, ImageMissingError):
            fault = "is not in the image store"
        raise DamagedImageError(
            f"The file {sha256} {fault}; bring it back from a copy, nothing was released."
        ) from error
    if is_hidden:
        data = pad_jpeg(strip_jpeg(data), BLOCK_BYTES)
    write_file(folder, path, data)
    return path, digest_of(data) if is_hidden else sha256
