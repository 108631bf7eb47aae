"""Which classes people were asked about in each image: all, or some where nobody said more.

A release takes these answers as values, however they came about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.settled import load_settled
from catalog.states import Source, WordKind
from catalog.tables import Photo, Query, Word
from catalog.words import (
    had_come,
    had_gone,
    list_wholes,
    load_comings,
    load_names,
    load_parents,
)

from .loading import iterate_rows
from .plan import PlannedImage, ReleasePlan, is_taster
from .rows import ImageRow

Asked = Mapping[int, tuple[str, ...]]
"""The classes that an image was asked about, in label order, by its id; not where it was all."""


def load_asked(session: Session, images: Iterable[ImageRow], classes: Collection[str]) -> Asked:
    """Of images that searches found, the classes of the queries and of settled questions.

    An image was asked about all of the classes where neither a search found it nor people answered
    questions about it, or where the last checker said that nothing is missing.
    """
    rows = list(images)
    answered = {image.id for image in rows if image.answers}
    queries = {
        image.id: {photo.query_class for photo in image.photos if photo.query_class}
        for image in rows
        if not image.is_complete
    }
    wanted = {
        image_id: names for image_id, names in queries.items() if names or image_id in answered
    }
    seen = _load_seen(session, wanted)
    asked = {
        image_id: tuple(name for name in classes if name in names | seen[image_id])
        for image_id, names in wanted.items()
    }
    return {image_id: names for image_id, names in asked.items() if len(names) < len(classes)}


def _load_seen(session: Session, image_ids: Collection[int]) -> defaultdict[int, set[str]]:
    """By image the classes of which people settled whether it shows them, in names of today."""
    names = load_names(session)[WordKind.CLASS]
    seen = defaultdict[int, set[str]](set)
    for image_id, settled in load_settled(session, image_ids).items():
        seen[image_id] = {names.get(class_id, class_id) for class_id in settled}
    return seen


def leave_out_unasked(session: Session, plan: ReleasePlan, party: Party) -> ReleasePlan:
    """The plan in which no image was asked about a class that nobody looked for.

    That is a class of which the image has no object, and which came into the preset only after
    people looked at the image, or had left it. Of an image that came with labels of another tool,
    at which nobody here looked, it is also each class that the lists of its import lack. Where a
    look asks about all classes, by the setting, one since then asked about such a class, although
    an earlier release says otherwise.
    """
    asks_all = party.settings.export.exhaustive == "all"
    looked_for = LookedFor(session, [image.row.id for image in plan.images])
    if not (looked_for.keys or looked_for.labelled):
        return plan
    images = list[PlannedImage]()
    asked_of = dict[str, tuple[str, ...]]()
    for image in plan.images:
        if is_taster(image):
            images.append(image)
            continue
        asked = None if image.is_blind else looked_for.find_asked(plan, image, asks_all=asks_all)
        if image.form is not None:
            image = replace(image, form=replace(image.form, asked=asked))
        elif asked is not None:
            asked_of[image.public_id] = asked
        images.append(image)
    return replace(plan, images=tuple(images), notes=replace(plan.notes, asked=asked_of))


class LookedFor:
    """The classes that came or went while people worked, and those of imported labels."""

    def __init__(self, session: Session, image_ids: Collection[int]) -> None:
        self._changes = load_comings(session)
        self._parents = load_parents(session) if self._changes else {}
        standing = select(Word.name, Word.key).where(
            Word.kind == WordKind.CLASS, Word.counts_as == Word.key
        )
        self.keys = {name: key for name, key in session.execute(standing) if self._changed(key)}
        """The ids of the classes that came or went, by their names of today."""
        self.labelled = _load_labelled(session, image_ids)

    def find_asked(
        self, plan: ReleasePlan, image: PlannedImage, *, asks_all: bool
    ) -> tuple[str, ...] | None:
        """The classes that the image was asked about, None where it was about all of them."""
        classes = plan.recipe.classes
        before = plan.asked(image)
        shown = {item.class_name for item in image.row.objects}
        labelled = shown | self.labelled.get(image.row.id, {*classes})
        others = labelled - self.keys.keys()
        if before is None or (asks_all and others <= {*before}):
            before = classes
        if not image.row.has_second_look:
            before = tuple(name for name in before if name in labelled)
        looks = _list_looks(image.row)
        asked = tuple(
            name
            for name in before
            if name in shown or name not in self.keys or self._was_there(self.keys[name], looks)
        )
        return asked if len(asked) < len(classes) else None

    def was_about(self, classes: Iterable[str], at: datetime) -> bool:
        """Whether somebody who was asked about all classes then was asked about these."""
        return all(self._was_there(self.keys[name], [at]) for name in classes if name in self.keys)

    def _changed(self, key: str) -> bool:
        return any(word in self._changes for word in list_wholes(key, self._parents))

    def _was_there(self, key: str, looks: Iterable[datetime]) -> bool:
        """Whether the class was in the preset at one of these times."""
        changes = [self._changes.get(word, []) for word in list_wholes(key, self._parents)]
        return any(
            all(had_come(some, at) for some in changes) and not had_gone(changes[0], at)
            for at in looks
        )


def _load_labelled(session: Session, image_ids: Collection[int]) -> dict[int, set[str]]:
    """By image that came with labels of another tool the classes that it was searched for there."""
    labelled = select(Photo.image_id, Photo.query_id).where(Photo.source == Source.DATASET)
    import_of = dict(
        tuple(row) for row in iterate_rows(session, labelled, Photo.image_id, image_ids)
    )
    names = load_names(session)[WordKind.CLASS] if import_of else {}
    columns = select(Query.id, Query.searched_ids).where(Query.source == Source.DATASET)
    searched = {
        query_id: {names.get(class_id, class_id) for class_id in class_ids or ()}
        for query_id, class_ids in session.execute(columns)
    }
    return {image_id: searched[query_id] for image_id, query_id in import_of.items()}


def _list_looks(row: ImageRow) -> list[datetime]:
    """When people saved what became the annotation of the image, and let it pass."""
    passed = (review for review in row.reviews if review.accepts(row.annotation_id))
    return [
        *(revision.saved_at for revision in row.revisions),
        *(review.reviewed_at for review in passed),
    ]
