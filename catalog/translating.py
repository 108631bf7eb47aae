"""What an answer of an earlier plan means in the classes and groups of a later one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from .hierarchy import Hierarchy, Node, make_hierarchy, read_hierarchy
from .states import NodeKind, WordKind
from .tables import QuestionPlan
from .words import list_wholes, load_moved, load_parents


class Heard(NamedTuple):
    """An answer about an image: whether the picture shows a node, as one person said."""

    node: Node
    is_yes: bool


@dataclass(frozen=True)
class Translator:
    """From the hierarchy of an answer's time to that of today.

    `moved` has what merged and split classes count as, `wholes` what each part was split from, by
    ids. A no holds for each class that was below the node then, whole or as a part; a class that
    came since, or took another in, was not asked for. A yes holds where all that was asked for then
    is below the node today.
    """

    then: Hierarchy
    today: Hierarchy
    moved: Mapping[str, str]
    wholes: Mapping[str, str]

    def translate(self, heard: Heard) -> Iterator[Heard]:
        """What the answer says today: itself where nothing changed, several, or nothing."""
        if heard.node not in self.then.parents:
            return
        if self._is_unchanged:
            yield heard
        elif heard.is_yes:
            yield from self._translate_yes(heard.node)
        else:
            yield from self._translate_no(heard.node)

    @cached_property
    def _is_unchanged(self) -> bool:
        return self.then.parents == self.today.parents

    @cached_property
    def _origins(self) -> Mapping[Node, frozenset[Node]]:
        """The classes of then that make up each class of today, or that it was a part of."""
        then = {node for node in self.then.parents if node.kind is NodeKind.CLASS}
        origins = dict[Node, frozenset[Node]]()
        for node in self.today.parents:
            if node.kind is not NodeKind.CLASS:
                continue
            members = {node.key, *(old for old, new in self.moved.items() if new == node.key)}
            wholes = {whole for key in members for whole in list_wholes(key, self.wholes)}
            origins[node] = frozenset(Node(NodeKind.CLASS, key) for key in wholes) & then
        return origins

    def _translate_yes(self, node: Node) -> Iterator[Heard]:
        """Where a class was split nobody said which part; a group above the parts is there."""
        below = self.then.classes_below[node]
        today = {item: self._list_heirs(item) for item in below}
        if node.kind is NodeKind.CLASS:
            heirs = today[node]
            if len(heirs) == 1 and node.key not in self.wholes.values():
                yield Heard(heirs[0], is_yes=True)
        elif all(today.values()) and node in self.today.parents:
            now_below = self.today.classes_below[node]
            if all(now_below.issuperset(heirs) for heirs in today.values()):
                yield Heard(node, is_yes=True)

    def _list_heirs(self, node: Node) -> list[Node]:
        """What a class of then is today: itself, what it was merged into, or its parts."""
        return [item for item, origins in self._origins.items() if node in origins]

    def _translate_no(self, node: Node) -> Iterator[Heard]:
        below = self.then.classes_below[node]
        closed = {item for item, origins in self._origins.items() if origins and origins <= below}
        if node in self.today.parents and self.today.classes_below[node] <= closed:
            yield Heard(node, is_yes=False)
            closed -= self.today.classes_below[node]
        for item in self.today.parents:
            if item in closed:
                yield Heard(item, is_yes=False)


def load_today(session: Session) -> Hierarchy:
    """The newest plan's classes and groups, without classes that were merged or split since.

    An empty one where nothing was asked yet.
    """
    newest = select(QuestionPlan.body).order_by(QuestionPlan.id.desc()).limit(1)
    body = session.scalar(newest)
    if body is None:
        return make_hierarchy({}, {})
    moved = load_moved(session)[WordKind.CLASS]
    standing = [item for item in body["classes"] if item["key"] not in moved]
    return read_hierarchy({**body, "classes": standing})


def make_translators(
    session: Session, today: Hierarchy, plan_ids: Collection[int]
) -> dict[int, Translator]:
    """For each plan the Translator of its answers into this hierarchy."""
    moved = load_moved(session)[WordKind.CLASS] if plan_ids else {}
    wholes = load_parents(session) if plan_ids else {}
    chosen = select(QuestionPlan.id, QuestionPlan.body).where(QuestionPlan.id.in_(plan_ids))
    return {
        plan_id: Translator(then=read_hierarchy(body), today=today, moved=moved, wholes=wholes)
        for plan_id, body in (session.execute(chosen).tuples() if plan_ids else ())
    }
