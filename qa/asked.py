"""Two revisions with the classes that both were asked for, where one is from before a split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.words import load_parents

from .load import load_objects_of

Objects = tuple[AnnotatedObject, ...]


def load_pairs(
    session: Session, pairs: Sequence[tuple[int | None, int | None]]
) -> list[tuple[Objects, Objects]]:
    """The objects of the two revisions of each pair; None has no objects.

    Who was asked for a sofa gave a right answer, although a sofa is a couch or a daybed since:
    where either revision still has a class that was split, its parts count as that class in both.
    """
    wanted = [revision_id for pair in pairs for revision_id in pair if revision_id is not None]
    objects = load_objects_of(session, wanted)
    parents = load_parents(session)
    return [
        compare_as_asked(objects.get(first or 0, ()), objects.get(second or 0, ()), parents)
        for first, second in pairs
    ]


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
        wholes = [asked[key] for key in _list_wholes(item.class_id, parents) if key in asked]
        return replace(item, class_name=wholes[-1]) if wholes else item

    return tuple(map(follow, first)), tuple(map(follow, second))


def _list_wholes(class_id: str, parents: Mapping[str, str]) -> Iterator[str]:
    """The class, what it was split from, and so on."""
    yield class_id
    while (parent := parents.get(class_id)) is not None:
        yield parent
        class_id = parent
