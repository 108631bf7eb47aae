"""The pictures of a release: which file each image gets, and writing it.

A photograph keeps its pixels bit for bit, without what could identify people or places (EXIF, XMP,
comments). Only a file that is no 8-bit colour JPEG, which VOC never released, is encoded anew. The
release records the digest of either, so that later exports give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore, digest_of
from voc.jpeg import JpegError, pad_jpeg, read_jpeg_header, strip_jpeg, to_rgb_jpeg

from .blind import BLOCK_BYTES
from .errors import DamagedImageError
from .folder import write_file
from .plan import ReleasePlan
from .portions import Advance, Item, Result, map_images
from .rows import ImageRow, ReleaseJpegs
from .tree_files import jpeg_path

THREADS = 8
Put = Callable[[bytes], str]
"""Stores bytes and returns their digest."""
Shape = tuple[str, int, int]
"""A stored file's digest, and the width and height that were annotated."""
Picture = tuple[str, str, bool]
"""A picture's path in the release, its digest, and whether a blind release pads it."""


def settle_jpegs(store: ImageStore, images: Sequence[ImageRow], put: Put) -> ReleaseJpegs:
    """The files of the images; those encoded anew went through `put`. Raises ImageStoreError."""
    shapes = [(it.sha256, it.width, it.height) for it in images]
    settled = list(_map(store, partial(_settle, store, put), shapes))
    encoded = {it: digest for it, digest, _ in settled if digest != it}
    return encoded, {sha256: fault for sha256, _, fault in settled if fault}


def write_pictures(
    plan: ReleasePlan, store: ImageStore, folder: Path, advance: Advance
) -> dict[str, str]:
    """Write the pictures, those of a blind test set padded; their digests by path.

    Raises DamagedImageError and OSError.
    """
    pictures = [(jpeg_path(plan, it), it.jpeg_sha256, plan.hides(it)) for it in plan.images]
    digests = {}
    for path, digest in _map(store, partial(_write, store, folder), pictures):
        digests[path] = digest
        advance(1)
    return digests


def _map(
    store: ImageStore, work: Callable[[Item], Result], items: Sequence[Item]
) -> Iterator[Result]:
    """The results in order, worked on in threads where they wait for a store elsewhere."""
    if store.folder is not None:
        yield from map_images(work, items)
        return
    with ThreadPoolExecutor(THREADS) as pool:
        yield from pool.map(work, items)


def _settle(store: ImageStore, put: Put, shape: Shape) -> tuple[str, str, str | None]:
    """The digests of the stored file and of the one that the image gets, or why it gets none."""
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
