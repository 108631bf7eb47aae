"""Two revisions with the classes that both were asked for, as classes come, go and are split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.session import in_parts
from catalog.states import WordKind
from catalog.tables import Annotation
from catalog.words import (
    had_come,
    had_gone,
    list_wholes,
    load_comings,
    load_moved,
    load_parents,
)

from .load import load_objects_of

Objects = tuple[AnnotatedObject, ...]


def load_pairs(
    session: Session, pairs: Sequence[tuple[int | None, int | None]]
) -> list[tuple[Objects, Objects]]:
    """The objects of the two revisions of each pair; None has no objects.

    Who was asked for a sofa gave a right answer, although a sofa is a couch or a daybed since:
    where either revision still has a class that was split, its parts count as that class in both.
    A class that was not in the preset when either was saved counts in neither.
    """
    wanted = [revision_id for pair in pairs for revision_id in pair if revision_id is not None]
    objects = load_objects_of(session, wanted)
    parents = load_parents(session)
    presence = _Presence(session, wanted)
    return [
        compare_as_asked(
            presence.leave_out(objects.get(first or 0, ()), second),
            presence.leave_out(objects.get(second or 0, ()), first),
            parents,
        )
        for first, second in pairs
    ]


class _Presence:
    """Which classes the preset had when revisions were saved."""

    def __init__(self, session: Session, revision_ids: Iterable[int]) -> None:
        self.changes = load_comings(session)
        self.saved_at = dict[int, datetime]()
        self.today = load_moved(session)[WordKind.CLASS] if self.changes else {}
        for some in in_parts(sorted(set(revision_ids)) if self.changes else ()):
            saved = select(Annotation.id, Annotation.saved_at).where(Annotation.id.in_(some))
            self.saved_at |= dict(session.execute(saved).tuples().all())

    def leave_out(self, objects: Objects, other_id: int | None) -> Objects:
        """The objects but those of classes that were not there when the other one was saved."""
        at = self.saved_at.get(other_id or 0)
        if at is None:  # no class came or went, or the other one is a discard
            return objects
        return tuple(item for item in objects if self._was_asked(item.class_id, at))

    def _was_asked(self, class_id: str, at: datetime) -> bool:
        """Whether its author's class was there, and what that counts as today had not gone."""
        today = self.today.get(class_id, class_id)
        return had_come(self.changes[class_id], at) and not had_gone(self.changes[today], at)


def compare_as_asked(
    first: Objects, second: Objects, parents: Mapping[str, str]
) -> tuple[Objects, Objects]:
    """Both revisions, with the parts of a split as the class that either of them was asked for.

    `parents` has the class that each part was split from.
    """
    names = {item.class_id: item.class_name for item in (*first, *second)}
    asked = {class_id: names[class_id] for class_id in set(parents.values()) & names.keys()}
    if not asked:
        return first, second

    def follow(item: AnnotatedObject) -> AnnotatedObject:
        wholes = [asked[key] for key in list_wholes(item.class_id, parents) if key in asked]
        return replace(item, class_name=wholes[-1]) if wholes else item

    return tuple(map(follow, first)), tuple(map(follow, second))
