"""A tree's pictures and masks are checked and put into the store.

Readers of VOC trees do not turn pictures by their EXIF orientation, browsers do: a picture is
stored with the pixels that its boxes were drawn on, and without that request.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image, ImageOps
from sqlalchemy.orm import Session

from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore, digest_of
from catalog.rings import MOST_CORNERS
from catalog.session import keep_files
from catalog.states import ImageState
from export.drawings import find_outlines
from export.verify.masks import read_masks
from export.verify.trees import MASK_FOLDERS, read_bytes
from voc import jpeg
from voc.masks import Labels
from voc.records import Number, VocSize

from .corrections import UncorrectableError, fit, make_objects
from .drafts import Import
from .rows import describe_twin
from .tree_image import StoredFile, TreeImage


@dataclass(frozen=True)
class TreePicture:
    """A file to be stored; `release_data` is what releases hold of one that is no colour JPEG."""

    data: bytes
    size_wh: tuple[int, int]
    original_sha256: str | None = None
    release_data: bytes | None = None


def read_picture(data: bytes, size: VocSize | None, max_pixels: int) -> TreePicture:
    """The picture of a JPEG whose annotation says this size, if any; raises UncorrectableError."""
    try:
        header = jpeg.read_jpeg_header(data)
        lying = header.width, header.height
        if header.width * header.height > max_pixels:
            raise UncorrectableError(f"its picture has {header.width} x {header.height} pixels")
        with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
            image.draft(None, (1, 1))  # all bytes are read, an eighth of each side is computed
            image.load()
        said = (size.width, size.height) if size and size.width and size.height else lying
        if said != lying:
            stored = _turn_upright(data, said, lying)
            header = jpeg.read_jpeg_header(stored)
        else:
            stored = data if header.orientation == jpeg.UPRIGHT else jpeg.strip_jpeg(data)
        release_data = None if header.fits_voc else jpeg.to_rgb_jpeg(stored)
    except UncorrectableError:
        raise
    except jpeg.UNDECODABLE as error:
        raise UncorrectableError(f"its picture is no whole JPEG: {error}") from error
    original = None if stored is data else digest_of(data)
    return TreePicture(stored, (header.width, header.height), original, release_data)


def _turn_upright(data: bytes, said: tuple[Number, Number], lying: tuple[int, int]) -> bytes:
    with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
        upright = ImageOps.exif_transpose(image)
        profile = image.info.get("icc_profile")
    if said != upright.size:
        raise UncorrectableError(
            f"its annotation says {said[0]} x {said[1]} pixels, "
            f"but its picture has {lying[0]} x {lying[1]}"
        )
    upright.info.pop("exif", None)
    target = io.BytesIO()
    upright.save(target, "JPEG", quality=jpeg.QUALITY, subsampling=0, icc_profile=profile)
    return target.getvalue()


IMAGES_AT_ONCE = 500
"""Images that share a transaction."""


def store_files(run: Import, image: TreeImage) -> None:
    """Store the files of the image, or note why it is left out; raises ImageStoreError."""
    try:
        _store(run, image)
    except UncorrectableError as error:
        image.reason = str(error)


def _store(run: Import, image: TreeImage) -> None:
    def put(data: bytes) -> str:
        down = run.storable.taken_down
        if down and (image_id := down.get(digest_of(data))) is not None:
            raise UncorrectableError(describe_twin(image_id, ImageState.TAKEN_DOWN))
        return run.party.store.put(data)

    data = read_bytes(run.root / image.picture)
    if isinstance(data, str):
        raise UncorrectableError(f"its picture: {data}")
    picture = read_picture(data, image.form.record.size, run.party.settings.collect.max_pixels)
    record = fit(image, image.form.record, picture.size_wh)
    record = replace(record, filename=f"{image.image_id}.jpg")
    image.objects = make_objects(record)
    told = *picture.size_wh, len(picture.data), picture.original_sha256
    image.file = StoredFile(put(picture.data), *told)
    most = run.most_classes, len(image.objects)
    masks, violations = read_masks(run.root, image.masks, most, picture.size_wh)
    faults = {it.file: it for it in reversed(violations)}
    kept = {it: put(mask.data) for it, mask in masks.items() if image.masks[it] not in faults}
    if picture.release_data is not None:
        image.encoded_sha256 = put(picture.release_data)
    _tell_picture(image, picture)
    for it in faults.values():
        image.tell_file(it.file, it.rule, f"the mask is left behind: {it.message}")
    image.form = replace(image.form, record=record, masks=kept)
    if len(kept) == len(MASK_FOLDERS):
        _outline(image, masks[MASK_FOLDERS[1]].labels)


def _outline(image: TreeImage, labels: Labels) -> None:
    """Give the image the outlines of its mask of objects, for people to go on from."""
    image.outlines = find_outlines(labels, [it.key for it in image.objects])
    corners = sum(len(ring) for it in image.outlines for ring in it.rings)
    if corners > MOST_CORNERS:
        image.outlines = ()
        message = f"its outlines have {corners:,} corners, more than the {MOST_CORNERS:,} that can "
        message += "be edited; releases keep the mask, and people who edit it begin anew"
        image.tell_file(image.masks[MASK_FOLDERS[1]], "mask", message)


def check_stored(session: Session, store: ImageStore, images: Sequence[TreeImage]) -> None:
    """Raise ImageMissingError where a file was deleted meanwhile; none goes until the commit."""
    if store.folder is None:
        return
    keep_files(session)
    for image in images:
        if not all(map(store.has, filter(None, (image.file.sha256, image.encoded_sha256)))):
            raise ImageMissingError(
                f"The picture of {image.image_id} was deleted from the image store by another "
                "command; what is recorded stays, and the same command goes on from there."
            )


def _tell_picture(image: TreeImage, picture: TreePicture) -> None:
    """In what the picture of a release will not be the file of the tree."""
    name = image.picture
    if not name.endswith(f"{image.image_id}.jpg"):
        image.tell_file(name, "picture-name", f"it is called {image.image_id}.jpg from now on")
    if picture.original_sha256 is not None:
        message = "its EXIF asks to turn it; it is kept with the pixels that its boxes speak of"
        image.tell_file(name, "orientation", f"{message}, and without that request")
    if picture.release_data is not None:
        message = "it is no JPEG of three components of 8 bits; releases hold one made of it"
        image.tell_file(name, "jpeg-colour", message)
