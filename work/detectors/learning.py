"""What the party's own detector learns from, and when it is worth training again."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.at_rest import rests_in
from catalog.errors import ImageDamagedError, ImageMissingError, ImageUnreadableError
from catalog.image_store import ImageStore
from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image, Object
from vockit.errors import SettingsError
from vockit.format.records import VocBox, VocObject

from .trained import CheckedPicture, TrainedFinder

_CHECKED = (ImageState.CHECKED, ImageState.RELEASED)
_POLL_SECS = 30.0
_MORE = 1.1


def load_pictures(
    party: Party, classes: Sequence[str], most: int
) -> tuple[list[CheckedPicture], list[str]]:
    """The newest checked images whose files are whole, and the classes to learn.

    Of images for one task alone not all objects are drawn, so they teach nothing. Raises
    SettingsError for an unknown class.
    """
    named = list(party.name_today(classes)) or list(party.preset.class_names)
    for name in named:
        if name not in party.preset.class_names:
            known = ", ".join(party.preset.class_names)
            raise SettingsError(f"The party has no class {name!r}; it has {known}.")
    with party.catalogue.reading() as session:
        checked = select(Image.id, Image.sha256, Image.annotation_id).where(
            rests_in(_CHECKED), Image.taster.is_(None)
        )
        rows = session.execute(checked.order_by(Image.id.desc()).limit(most)).all()
        pictures = [
            CheckedPicture(party.store, sha256, _load_objects(session, annotation_id))
            for _, sha256, annotation_id in rows
            if _is_whole(party.store, sha256)
        ]
    return pictures, named


def _is_whole(store: ImageStore, sha256: str) -> bool:
    """Whether the file can be read; one that cannot keeps no other image from being learned."""
    try:
        store.get(sha256)
    except (ImageDamagedError, ImageMissingError, ImageUnreadableError):
        return False
    return True


def _load_objects(session: Session, annotation_id: int) -> list[VocObject]:
    chosen = select(Object).where(Object.annotation_id == annotation_id).order_by(Object.id)
    return [
        VocObject(item.class_name, VocBox(*item.box.xyxy), difficult=bool(item.difficult))
        for item in session.scalars(chosen)
    ]


def find_weights_digest(finder: TrainedFinder) -> str:
    """The SHA-256 of the names and weights of all its classes."""
    return hashlib.sha256(finder.pack()).hexdigest()


def count_checked(party: Party) -> int:
    """How many images are checked or released."""
    counting = select(func.count()).where(rests_in(_CHECKED))
    with party.catalogue.reading() as session:
        return session.scalar(counting) or 0


def wait_for_more(party: Party, before: int, sleep: Callable[[float], None] = time.sleep) -> None:
    """Return once a tenth more images are checked than `before`."""
    while count_checked(party) < max(before * _MORE, before + 1):
        sleep(_POLL_SECS)
