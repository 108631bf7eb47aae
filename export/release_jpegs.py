"""Which stored file each image of a release gets: its own, or one encoded anew.

A photograph goes into a release as it was collected, its pixels bit for bit, but without what could
identify people or places (EXIF, XMP, comments). Only a file that is no 8-bit colour JPEG (grey,
CMYK, another format), which VOC never released, is encoded anew. Either file goes into the image
store too, and the release records its digest, so that later exports give the same bytes whatever
version of the encoder there is then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore, digest_of

from .copying import Stamp, find_stamp
from .forked import FEWEST_IMAGES, beside
from .jpeg import JpegError, JpegHeader, read_jpeg_header, to_rgb_jpeg
from .rows import ImageRow
from .strip_jpeg import strip_jpeg
from .threads import map_in_threads

_Put = Callable[[bytes], str]


@dataclass(frozen=True)
class ReleaseJpegs:
    """Digests of the files that are not as stored, and why some have none, by the stored digest.

    `stamps` are those of files that are released as stored, when their digests were taken.
    """

    encoded: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    stamps: dict[str, Stamp] = field(default_factory=dict)

    def digest_for(self, sha256: str) -> str:
        """The digest of the file that a release holds for the stored one."""
        return self.encoded.get(sha256, sha256)


def settle_jpegs(store: ImageStore, images: Sequence[ImageRow]) -> ReleaseJpegs:
    """The files of the images; those encoded anew are in the image store when this returns.

    Of many in a folder two processes look at half each. Raises ImageStoreError where the store
    cannot be reached or does not take a file.
    """
    if store.folder is None or len(images) < FEWEST_IMAGES:
        return _settle_some(store, images)
    half = len(images) // 2
    with beside(lambda: _settle_some(store, images[half:])) as take_others:
        some, others = _settle_some(store, images[:half]), take_others()
    return ReleaseJpegs(
        encoded=some.encoded | others.encoded,
        faults=some.faults | others.faults,
        stamps=some.stamps | others.stamps,
    )


def _settle_some(store: ImageStore, images: Sequence[ImageRow]) -> ReleaseJpegs:
    jpegs = ReleaseJpegs()
    with store.putting() as put:
        settled = map_in_threads(lambda image: _settle(store, put, image), images)
        for image, (digest, stamp, fault) in zip(images, settled, strict=True):
            if fault is not None:
                jpegs.faults[image.sha256] = fault
            elif digest != image.sha256:
                jpegs.encoded[image.sha256] = digest
            elif stamp is not None:
                jpegs.stamps[image.sha256] = stamp
    return jpegs


def _settle(store: ImageStore, put: _Put, image: ImageRow) -> tuple[str, Stamp | None, str | None]:
    """The digest of the image's file, the stamp of the stored one, and why none is released."""
    try:
        stamp = find_stamp(store.folder, image.sha256)  # before its bytes are read
        return _store(store, put, image), stamp, None
    except (ImageMissingError, FileNotFoundError):
        return image.sha256, None, "its file is not in the image store"
    except JpegError as error:
        return image.sha256, None, f"its file cannot be released: {error}"


def _store(store: ImageStore, put: _Put, image: ImageRow) -> str:
    data = store.get(image.sha256)
    if digest_of(data) != image.sha256:
        raise JpegError("it is not what was stored")
    header = _find_header(data)
    released = _find_stripped(data) if header is not None and header.fits_voc else None
    if header is None or released is None:
        released = to_rgb_jpeg(data)
        header = read_jpeg_header(released)
    digest = image.sha256 if released is data else put(released)
    if (header.width, header.height) != (image.width, image.height):
        raise JpegError(
            f"it has {header.width} x {header.height} pixels, "
            f"but was annotated as {image.width} x {image.height}"
        )
    return digest


def _find_stripped(data: bytes) -> bytes | None:
    try:
        return strip_jpeg(data)
    except JpegError:
        return None


def _find_header(data: bytes) -> JpegHeader | None:
    try:
        return read_jpeg_header(data)
    except JpegError:
        return None
