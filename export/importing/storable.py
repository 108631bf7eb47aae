"""What of a tree is stored at all: nothing that was taken down, no mask that no release may hold.

A file that no row leads to could never be found again, and so never be erased with its image.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Annotation, BlockedOwner, Image, Photo, Release, ReleaseImage


@dataclass(frozen=True)
class Storable:
    """The images that the release may hold, those taken down, owners left out and why.

    `known` are all images that came from a tree before; `taken_down` are images by the digests of
    their files, wherever they came from; `hidden` are those that the release is recorded without
    the annotation of.
    """

    releasable: frozenset[str] = frozenset()
    withdrawn: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    blocked: Mapping[str, str] = field(default_factory=dict)
    taken_down: Mapping[str, int] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


def load_storable(session: Session, name: str, listed: Collection[str]) -> Storable:
    """What holds for an import of the release of that name; `listed` are in a set of the tree."""
    blocked = session.execute(select(BlockedOwner.owner_id, BlockedOwner.reason))
    down = select(Image.sha256, Image.id).where(Image.state == ImageState.TAKEN_DOWN)
    return Storable(
        _load_releasable(session, name, listed),
        _load_withdrawn(session),
        frozenset(session.scalars(select(Photo.source_id).where(Photo.source == Source.VOC))),
        dict(blocked.tuples().all()),
        dict(session.execute(down).tuples().all()),
        _load_hidden(session, name),
    )


def _load_releasable(session: Session, name: str, listed: Collection[str]) -> frozenset[str]:
    """A release is never changed, so that images which come later stay outside."""
    release_id = session.scalar(select(Release.id).where(Release.name == name))
    if release_id is None:
        return frozenset(listed)
    of_release = ReleaseImage.release_id == release_id
    return frozenset(session.scalars(select(ReleaseImage.public_id).where(of_release)))


def _load_hidden(session: Session, name: str) -> frozenset[str]:
    hidden = (
        select(ReleaseImage.public_id)
        .join(Release, Release.id == ReleaseImage.release_id)
        .join(Annotation, Annotation.id == ReleaseImage.annotation_id)
        .where(Release.name == name, Annotation.is_finished.is_(False))
    )
    return frozenset(session.scalars(hidden))


def _load_withdrawn(session: Session) -> frozenset[str]:
    is_down = or_(Photo.state == PhotoState.WITHDRAWN, Image.state == ImageState.TAKEN_DOWN)
    found = (
        select(Photo.source_id)
        .outerjoin(Image, Image.id == Photo.image_id)
        .where(Photo.source == Source.VOC, is_down)
    )
    return frozenset(session.scalars(found))
