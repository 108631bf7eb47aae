"""The images that statistics are taken of: those of a release, or all finished work."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.states import Split
from catalog.tables import Image, Object, Release, ReleaseImage

from .errors import UnknownReleaseError
from .load import load_checked_images, load_objects
from .subjects import CheckedObject

SETS = ("train", "val", "trainval", "test")
WHOLE = "all"


@dataclass(frozen=True)
class CountedImage:
    """One image with its objects and the set that it is in; no set where nothing is released."""

    width_px: int
    height_px: int
    objects: tuple[CheckedObject, ...]
    split: Split | None = None

    def is_in(self, set_name: str) -> bool:
        """Whether a set holds the image; trainval is the union of two, `all` holds everything."""
        if set_name == WHOLE:
            return True
        if set_name == "trainval":
            return self.split in (Split.TRAIN, Split.VAL)
        return self.split is not None and self.split.value == set_name


def set_names(images: list[CountedImage]) -> tuple[str, ...]:
    """The sets to be counted: VOC's four where images have sets, else one of all."""
    return SETS if any(image.split for image in images) else (WHOLE,)


def load_finished(session: Session) -> list[CountedImage]:
    """All annotated and checked images with their newest revisions."""
    return [
        CountedImage(image.width_px, image.height_px, image.objects)
        for image in load_checked_images(session)
    ]


def load_released(session: Session, name: str) -> list[CountedImage]:
    """The images of a release as they are frozen in it, in order of their public ids.

    Raises UnknownReleaseError, which names the releases that there are.
    """
    release_id = session.scalar(select(Release.id).where(Release.name == name))
    if release_id is None:
        names = session.scalars(select(Release.name).order_by(Release.id)).all()
        raise UnknownReleaseError(
            f"There is no release {name}; the releases are: {', '.join(names) or 'none yet'}."
        )
    frozen = select(ReleaseImage.annotation_id).where(ReleaseImage.release_id == release_id)
    objects = load_objects(session, Object.annotation_id.in_(frozen))
    rows = session.execute(
        select(Image.width, Image.height, ReleaseImage.annotation_id, ReleaseImage.split)
        .join(ReleaseImage, ReleaseImage.image_id == Image.id)
        .where(ReleaseImage.release_id == release_id)
        .order_by(ReleaseImage.public_id)
    )
    return [
        CountedImage(width, height, tuple(objects.get(annotation_id, ())), split)
        for width, height, annotation_id, split in rows.tuples()
    ]
