"""The images that statistics are taken of: those of a release, or all finished work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.errors import SettingsError
from catalog.states import Split
from catalog.tables import Image, Object, Release, ReleaseImage

from .load import load_checked_images, load_objects

SEGMENTATION = "ImageSets/Segmentation"
"""The folder of sets that a form names, where an image has masks."""


@dataclass(frozen=True)
class CountedImage:
    """One image with its objects and the set that it is in; no set where nothing is released.

    `is_segmented` says that a release has masks of it; `segmented_split` is its segmentation set.
    """

    width_px: int
    height_px: int
    objects: tuple[AnnotatedObject, ...]
    split: Split | None = None
    is_segmented: bool = False
    segmented_split: Split | None = None


def load_finished(session: Session) -> list[CountedImage]:
    """All annotated and checked images with their newest revisions."""
    forms = session.execute(
        select(ReleaseImage.image_id, ReleaseImage.form).where(ReleaseImage.form.is_not(None))
    ).tuples()
    segmented = {image_id for image_id, form in forms if _is_segmented(form or {})}
    return [
        CountedImage(
            image.width_px, image.height_px, image.objects, is_segmented=image.image_id in segmented
        )
        for image in load_checked_images(session)
    ]


def load_released(session: Session, name: str) -> list[CountedImage]:
    """The images of a release as they are frozen in it, in order of their public ids.

    Images whose annotation an imported tree held back are not counted: their objects are unknown.
    Raises SettingsError, which names the releases that there are.
    """
    release_id = session.scalar(select(Release.id).where(Release.name == name))
    if release_id is None:
        names = session.scalars(select(Release.name).order_by(Release.id)).all()
        raise SettingsError(
            f"There is no release {name}; the releases are: {', '.join(names) or 'none yet'}."
        )
    frozen = select(ReleaseImage.annotation_id).where(ReleaseImage.release_id == release_id)
    objects = load_objects(session, Object.annotation_id.in_(frozen))
    rows = session.execute(
        select(Image, ReleaseImage)
        .join(ReleaseImage, ReleaseImage.image_id == Image.id)
        .where(ReleaseImage.release_id == release_id)
        .order_by(ReleaseImage.public_id)
    )
    return [
        CountedImage(
            image.width,
            image.height,
            objects.get(row.annotation_id, ()),
            row.split,
            _is_segmented(row.form or {}),
            Split((row.form or {}).get("splits", {}).get(SEGMENTATION) or row.split),
        )
        for image, row in rows.tuples()
        if not (row.form or {}).get("is_blind")
    ]


def _is_segmented(form: Mapping[str, Any]) -> bool:
    """Whether the files of an image have masks, say so, or are listed for segmentation."""
    if form.get("is_blind"):
        return False
    listed = SEGMENTATION in form.get("sets", {})
    return bool(form.get("masks") or form.get("is_segmented") or listed)
