"""Which releases a party has."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from catalog.states import ImageState
from catalog.tables import Image, Release, ReleaseImage
from export.errors import ReleaseNameError
from export.load import load_release
from export.notes import Notes, parse_notes
from export.plan import ReleasePlan
from export.planning import load_plan


@dataclass(frozen=True)
class ListedRelease:
    """A release and the numbers of its images and of those of them that were taken down."""

    name: str
    year: int
    created_at: datetime
    images: int
    withdrawn: int
    notes: Notes


def list_releases(session: Session) -> list[ListedRelease]:
    """Every release of the party, the earliest first."""
    is_gone = case((Image.state == ImageState.TAKEN_DOWN, 1), else_=0)
    counted = (
        select(ReleaseImage.release_id, func.count(), func.sum(is_gone))
        .join(Image, Image.id == ReleaseImage.image_id)
        .group_by(ReleaseImage.release_id)
    )
    counts = {release_id: (images, gone) for release_id, images, gone in session.execute(counted)}
    return [
        ListedRelease(
            release.name,
            release.year,
            release.created_at,
            *counts.get(release.id, (0, 0)),
            parse_notes(release.settings.get("notes", {})),
        )
        for release in session.scalars(select(Release).order_by(Release.id))
    ]


def get_plan(session: Session, name: str) -> ReleasePlan:
    """The release of that name in full; raises ReleaseNameError where there is none."""
    plan = load_plan(session, name)
    if plan is None:
        raise ReleaseNameError(
            f"There is no release {name}; `vocparty release list` names those there are."
        )
    return plan


def load_image_ids(session: Session, name: str) -> dict[str, int]:
    """The image behind every public id of a release, also of those taken down."""
    frozen = load_release(session, name)
    return {} if frozen is None else {it.public_id: it.image_id for it in frozen.images}
