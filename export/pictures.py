"""The pictures of a release: which file each image gets, and writing it.

A photograph keeps its pixels bit for bit, without what could identify people or places (EXIF, XMP,
comments). Only a file that is no 8-bit colour JPEG, which VOC never released, is encoded anew. The
release records the digest of either, so that later exports give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore, digest_of
from voc.jpeg import JpegError, pad_jpeg, read_jpeg_header, strip_jpeg, to_rgb_jpeg

from .blind import BLOCK_BYTES
from .errors import ExportError
from .folder import write_file
from .plan import PlannedImage, ReleasePlan
from .rows import ImageRow, ReleaseJpegs
from .tree_files import jpeg_path

THREADS = 8
"""Threads that read, digest and write; each waits for the disk or for a store elsewhere."""
Advance = Callable[[int], object]
Put = Callable[[bytes], str]
"""Stores bytes and returns their digest."""


def settle_jpegs(store: ImageStore, images: Sequence[ImageRow], put: Put) -> ReleaseJpegs:
    """The files of the images; those encoded anew went through `put`. Raises ImageStoreError."""

    def settle(image: ImageRow) -> tuple[str, str | None]:
        try:
            return _store(store, put, image), None
        except ImageMissingError:
            return image.sha256, "its file is not in the image store"
        except ImageDamagedError:
            return image.sha256, "its file cannot be released: it is not what was stored"
        except JpegError as error:
            return image.sha256, f"its file cannot be released: {error}"

    with ThreadPoolExecutor(THREADS) as pool:
        settled = dict(zip([it.sha256 for it in images], pool.map(settle, images), strict=True))
    encoded = {it: digest for it, (digest, _) in settled.items() if digest != it}
    return encoded, {it: fault for it, (_, fault) in settled.items() if fault}


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


def write_pictures(
    plan: ReleasePlan, store: ImageStore, folder: Path, advance: Advance
) -> dict[str, str]:
    """Write the pictures, those of a blind test set padded; their digests by path.

    Raises ExportError and OSError.
    """

    def write(image: PlannedImage) -> tuple[str, str]:
        path, sha256 = jpeg_path(plan, image), image.jpeg_sha256
        try:
            data = store.get(sha256)
        except (ImageMissingError, ImageDamagedError) as error:
            fault = "in the image store is not what was stored"
            if isinstance(error, ImageMissingError):
                fault = "is not in the image store"
            raise ExportError(
                f"The file {sha256} {fault}; bring it back from a copy, nothing was released."
            ) from error
        if plan.hides(image):
            data = pad_jpeg(strip_jpeg(data), BLOCK_BYTES)
        write_file(folder, path, data)
        return path, digest_of(data) if plan.hides(image) else sha256

    digests = {}
    with ThreadPoolExecutor(THREADS) as pool:
        for path, digest in pool.map(write, plan.images):
            digests[path] = digest
            advance(1)
    return digests
