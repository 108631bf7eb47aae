"""The images that statistics are taken of: those of a release, or all finished work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.states import Split
from catalog.tables import Image, Object, Release, ReleaseImage

from .errors import UnknownReleaseError
from .load import load_checked_images, load_objects
from .subjects import CheckedObject

SETS = ("train", "val", "trainval", "test")
WHOLE = "all"
SEGMENTATION = "ImageSets/Segmentation"
"""The folder of sets that a form names, where an image came with masks."""


@dataclass(frozen=True)
class CountedImage:
    """One image with its objects and the set that it is in; no set where nothing is released.

    `is_segmented` says that it was imported with masks; `segmented_split` is its segmentation set.
    """

    width_px: int
    height_px: int
    objects: tuple[CheckedObject, ...]
    split: Split | None = None
    is_segmented: bool = False
    segmented_split: Split | None = None

    def is_in(self, set_name: str) -> bool:
        """Whether a set holds the image; trainval is the union of two, `all` holds everything."""
        return _holds(set_name, self.split)

    def is_segmented_in(self, set_name: str) -> bool:
        """Whether a segmentation set holds the image."""
        return self.is_segmented and _holds(set_name, self.segmented_split)


def _holds(set_name: str, split: Split | None) -> bool:
    if set_name == WHOLE:
        return True
    if set_name == "trainval":
        return split in (Split.TRAIN, Split.VAL)
    return split is not None and split.value == set_name


def set_names(images: list[CountedImage]) -> tuple[str, ...]:
    """The sets to be counted: VOC's four where images have sets, else one of all."""
    return SETS if any(image.split for image in images) else (WHOLE,)


def load_finished(session: Session) -> list[CountedImage]:
    """All annotated and checked images with their newest revisions."""
    segmented = _find_segmented(session)
    return [
        CountedImage(
            image.width_px,
            image.height_px,
            image.objects,
            is_segmented=image.image_id in segmented,
        )
        for image in load_checked_images(session)
    ]


def load_released(session: Session, name: str) -> list[CountedImage]:
    """The images of a release as they are frozen in it, in order of their public ids.

    Images whose annotation an imported tree held back are not counted: nobody knows their objects.
    Raises UnknownReleaseError, which names the releases that there are.
    """
    release_id = _get_release_id(session, name)
    frozen = select(ReleaseImage.annotation_id).where(ReleaseImage.release_id == release_id)
    objects = load_objects(session, Object.annotation_id.in_(frozen))
    frozen_as = (ReleaseImage.annotation_id, ReleaseImage.split, ReleaseImage.form)
    rows = session.execute(
        select(Image.width, Image.height, *frozen_as)
        .join(ReleaseImage, ReleaseImage.image_id == Image.id)
        .where(ReleaseImage.release_id == release_id)
        .order_by(ReleaseImage.public_id)
    )
    return [
        CountedImage(
            width,
            height,
            tuple(objects.get(annotation_id, ())),
            split,
            _is_segmented(form),
            _find_segmented_split(form, split),
        )
        for width, height, annotation_id, split, form in rows.tuples()
        if not _is_blind(form)
    ]


def _get_release_id(session: Session, name: str) -> int:
    """Raises UnknownReleaseError."""
    release_id = session.scalar(select(Release.id).where(Release.name == name))
    if release_id is None:
        names = session.scalars(select(Release.name).order_by(Release.id)).all()
        raise UnknownReleaseError(
            f"There is no release {name}; the releases are: {', '.join(names) or 'none yet'}."
        )
    return release_id


def _find_segmented(session: Session) -> set[int]:
    """The images that any release, imported ones among them, has with masks."""
    rows: Iterable[tuple[int, Mapping[str, Any] | None]] = session.execute(
        select(ReleaseImage.image_id, ReleaseImage.form).where(ReleaseImage.form.is_not(None))
    ).tuples()
    return {image_id for image_id, form in rows if _is_segmented(form)}


def _is_blind(form: Mapping[str, Any] | None) -> bool:
    """Whether a form says that the image came without its annotation."""
    return bool((form or {}).get("is_blind"))


def _is_segmented(form: Mapping[str, Any] | None) -> bool:
    """Whether the files of an image have masks, say so, or are listed for segmentation."""
    said = {} if form is None or _is_blind(form) else form
    listed = SEGMENTATION in said.get("sets", {})
    return bool(said.get("masks") or said.get("is_segmented") or listed)


def _find_segmented_split(form: Mapping[str, Any] | None, own: Split) -> Split:
    split = (form or {}).get("splits", {}).get(SEGMENTATION)
    return own if split is None else Split(split)
