"""Classes renamed, merged or split while a party runs: the preset and the names in force.

Rows of objects have today's names (operate/classes.py writes them). A preset's file,
settings, an open page or a release has the names of its time; these functions translate them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from .errors import CatalogueError
from .preset import ClassSpec, Preset
from .session import Lock, hold
from .tables import ClassChange

if TYPE_CHECKING:
    from .party import Party


def load_classes_number(session: Session) -> int:
    """The number of the newest change of classes, 0 where there was none."""
    return session.scalar(select(func.max(ClassChange.id))) or 0


def follow_classes(party: Party, session: Session) -> Party:
    """The party with its classes as they are now; the same one where nothing changed."""
    number = load_classes_number(session)
    if number == party.classes_number:
        return party
    preset, former = party.preset, dict(party.former_classes)
    targets = dict(party.settings.collect.class_targets)
    for change in _load_newer(session, party.classes_number):
        old_name, first = change.old_name, change.new_names[0]
        preset = change_preset(preset, old_name, change.new_names)
        former = _follow_names(former, change) | {old_name: first}
        former = {name: now for name, now in former.items() if name not in change.new_names}
        if old_name in targets and first != old_name:
            targets[first] = targets.get(first, 0) + targets.pop(old_name)
    collect = replace(party.settings.collect, class_targets=targets)
    settings = replace(party.settings, collect=collect)
    return replace(
        party, preset=preset, settings=settings, classes_number=number, former_classes=former
    )


def load_names_since(session: Session, number: int) -> dict[str, str]:
    """Today's names of the classes renamed or merged after change `number`, by those of then.

    Unlike `former_classes`, it tells two classes that exchanged their names.
    """
    names: dict[str, str] = {}
    for change in _load_newer(session, number):
        names = {change.old_name: change.new_names[0]} | _follow_names(names, change)
    return names


def _load_newer(session: Session, number: int) -> Iterable[ClassChange]:
    newer = select(ClassChange).where(ClassChange.id > number)
    return session.scalars(newer.order_by(ClassChange.id))


def _follow_names(names: Mapping[str, str], change: ClassChange) -> dict[str, str]:
    """Today's names by those of once, after one more change."""
    first = change.new_names[0]
    return {name: first if now == change.old_name else now for name, now in names.items()}


def hold_classes(session: Session, number: int) -> None:
    """Let no class change until the transaction ends; CatalogueError if one did since `number`."""
    hold(session, Lock.CLASSES)
    if load_classes_number(session) != number:
        raise CatalogueError(
            "A class was renamed, merged or split meanwhile. Run the same command again."
        )


def change_preset(preset: Preset, old_name: str, new_names: Sequence[str]) -> Preset:
    """The preset with the class under its new names; one that has no such class any more is as is.

    The first new name takes the place, the rule and the queries of the old one; where that is a
    class already, it takes them in. Other new names are added at the end, with the same features.
    Raises ValueError where two classes would look the same.
    """
    old, (first, *others) = preset.find_class(old_name), new_names
    if old is None:
        return preset
    into = None if first == old_name else preset.find_class(first)
    renamed = old if first == old_name else replace(old, name=first, display=first)
    taken = renamed if into is None else _merge(into, old)
    classes = [
        taken if spec.name in (old_name, first) else spec
        for spec in preset.classes
        if into is None or spec.name != old_name
    ]
    known = preset.class_names
    added = [
        replace(old, name=name, display=name, queries=()) for name in others if name not in known
    ]
    return replace(preset, classes=(*classes, *added))


def name_at(class_name: str, former_classes: str | None, number: int) -> str:
    """The name that an object's class had when `number` was the newest change."""
    for entry in (former_classes or "").split(","):
        change, _, name = entry.partition(":")
        if change and int(change) > number:
            return name
    return class_name


def name_today(names: Iterable[str], former_classes: Mapping[str, str]) -> tuple[str, ...]:
    """The names as they are today, each once; what is a class today keeps its name."""
    return tuple(dict.fromkeys(former_classes.get(name, name) for name in names))


def _merge(into: ClassSpec, old: ClassSpec) -> ClassSpec:
    """The class with the queries and features of both, so that no object has one too many."""
    return replace(
        into,
        queries=tuple(
            {query.casefold(): query for query in (*old.queries, *into.queries)}.values()
        ),
        has_views=into.has_views or old.has_views,
        has_parts=into.has_parts or old.has_parts,
        has_actions=into.has_actions or old.has_actions,
    )
