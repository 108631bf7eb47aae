"""Writing the pictures of a release: each is the file that was planned, or nothing is released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore, digest_of

from .blind import BLOCK_BYTES
from .copying import copy_stored
from .errors import DamagedImageError
from .files import jpeg_path
from .folder import write_file
from .forked import FEWEST_IMAGES, beside
from .plan import PlannedImage, ReleasePlan
from .strip_jpeg import pad_jpeg, strip_jpeg
from .tally import Advance, Tally
from .threads import map_in_threads


def write_pictures(
    plan: ReleasePlan, store: ImageStore, folder: Path, advance: Advance
) -> dict[str, str]:
    """Write the pictures, those of a blind test set filled up; the digests by path.

    Of many that lie in a folder two processes write half each. `advance` is called with how many
    more are written. Raises DamagedImageError where a file is not what was stored, and OSError
    where one cannot be written.
    """
    images = plan.images
    pays = store.folder is not None and len(images) >= FEWEST_IMAGES
    half = len(images) // 2 if pays else len(images)
    tally = Tally(len(images), advance)

    def write(some: Sequence[PlannedImage]) -> dict[str, str]:
        digests: dict[str, str] = {}
        for path, digest in _write(plan, some, store, folder):
            digests[path] = digest
            tally.count()
        return digests

    with beside(lambda: write(images[half:]), pays=pays) as take_others:
        digests = write(images[:half]) | take_others()
    tally.finish()
    return digests


def _write(
    plan: ReleasePlan, images: Sequence[PlannedImage], store: ImageStore, folder: Path
) -> Iterator[tuple[str, str]]:
    """Write the pictures of some images of the plan; the path and digest of each."""
    stored = store.folder

    def write(image: PlannedImage) -> tuple[str, str]:
        path = jpeg_path(plan, image)
        if plan.hides(image):
            data = pad_jpeg(strip_jpeg(_read(store, image.jpeg_sha256)), BLOCK_BYTES)
            write_file(folder, path, data)
            return path, digest_of(data)
        digest = image.jpeg_sha256
        if not copy_stored(stored, digest, image.stamp, f"{folder}/{path}"):
            write_file(folder, path, _read(store, digest))
        return path, digest

    return map_in_threads(write, images)


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
