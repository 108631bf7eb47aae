"""Which classes people were asked about in each image: all, or some where nobody said more.

A release takes these answers as values, however they came about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.states import WordKind
from catalog.tables import Presence
from catalog.words import load_names

from .rows import ImageRow, iterate_rows

Asked = Mapping[int, tuple[str, ...]]
"""The classes that an image was asked about, in label order, by its id; not where it was all."""


def load_asked(session: Session, images: Iterable[ImageRow], classes: Collection[str]) -> Asked:
    """Of images that searches found, the classes of the queries and of the presence pass.

    An image was asked about all of the classes where no search found it, or where the last checker
    said that nothing is missing.
    """
    queries = {
        image.id: {photo.query_class for photo in image.photos if photo.query_class}
        for image in images
        if not image.is_complete
    }
    wanted = {image_id: names for image_id, names in queries.items() if names}
    seen = _load_seen(session, wanted)
    asked = {
        image_id: tuple(name for name in classes if name in names | seen[image_id])
        for image_id, names in wanted.items()
    }
    return {image_id: names for image_id, names in asked.items() if len(names) < len(classes)}


def _load_seen(session: Session, image_ids: Collection[int]) -> defaultdict[int, set[str]]:
    """By image the classes of which someone said whether it shows them, in names of today."""
    names = load_names(session)[WordKind.CLASS]
    answers = select(Presence.image_id, Presence.class_id).where(Presence.set_aside_at.is_(None))
    seen = defaultdict[int, set[str]](set)
    for image_id, class_id in iterate_rows(session, answers, Presence.image_id, image_ids):
        seen[image_id].add(names.get(class_id, class_id))
    return seen
