"""An annotated object and its parts as plain values, the same for every stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .box import Box
from .image_store import digest_of
from .states import View, WordKind

GROUP_OF = "group_of"
"""The flag of a box around a group, as pages, rows and releases have it."""


def list_changed_keys(before: Mapping[str, Box], after: Mapping[str, Box]) -> list[str]:
    """The keys of objects that are new or have another box: their pixels are drawn again."""
    return [key for key, box in after.items() if before.get(key) != box]


def describe_looks(class_id: str, box: Box) -> str:
    """The digest of what a judge of difficulty sees of an object: its class and its box."""
    return digest_of(f"{class_id} {box.xyxy}".encode())


@dataclass(frozen=True, slots=True)
class AnnotatedPart:
    """A head, hand or foot with its box; `word` is its id in a party, its name in a release."""

    word: str
    box: Box


@dataclass(frozen=True, slots=True)
class AnnotatedObject:
    """One object of a revision, as checking, releases and imports see it.

    `number` is its place in the revision, from 1; `key` stays the same from revision to revision.
    `class_id` is the class that its author chose, and `class_name` what that is called today, or
    was when a release was made; an object that no row holds has no id. `group_of` says that the box
    is around a group; then the object is difficult too. `view`, `actions` and the
    parts have ids that count today in a party, and names in a release or a tree.
    """

    number: int
    key: str
    class_name: str
    box: Box
    view: str = View.UNSPECIFIED.value
    truncated: bool = False
    occluded: bool = False
    difficult: bool = False
    actions: tuple[str, ...] = ()
    point_xy: tuple[int, int] | None = None
    parts: tuple[AnnotatedPart, ...] = ()
    class_id: str = field(default="", compare=False)
    group_of: bool = False


def replace_words(
    item: AnnotatedObject, words: Mapping[WordKind, Mapping[str, str]]
) -> AnnotatedObject:
    """The object with other words for its view, actions and parts; each action stands there once.

    A word that is not among `words` stays as it is.
    """
    views, actions, parts = (
        words.get(kind, {}) for kind in (WordKind.VIEW, WordKind.ACTION, WordKind.PART)
    )
    return replace(
        item,
        view=views.get(item.view, item.view),
        actions=tuple(dict.fromkeys(actions.get(word, word) for word in item.actions)),
        parts=tuple(replace(part, word=parts.get(part.word, part.word)) for part in item.parts),
    )
