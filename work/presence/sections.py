"""A wide group is asked about in sections: a few of its children in one question; pure.

A "yes" to a group of twelve classes leaves twelve questions. Asked about as "an apple / a banana /
a cherry" and so on, most of them are answered by the "no" to their section.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

MOST_TOGETHER = 5
"""So many nouns are read in one question. Measured in docs/measurements/questions.md."""
_LONGEST_PARENT = 90
_ROOT = ""

Questions = Mapping[str, Sequence[Mapping[str, Any]]]


class _Child(NamedTuple):
    listing: str
    key: str
    words: str


def add_sections(questions: Questions) -> Questions:
    """The classes and groups of a plan, with sections as groups below each one that is too wide.

    The children of a group keep their order, groups before classes; its sections have as many
    children as one another, or one more.
    """
    parents = {
        (listing, item["key"]): list(item["parents"])
        for listing, items in questions.items()
        for item in items
    }
    taken = {item["key"] for item in questions["groups"]}
    sections = list[dict[str, Any]]()
    for parent, children in _list_children(questions).items():
        for members in _divide(children):
            key = _make_key(parent, taken)
            taken.add(key)
            words = " / ".join(child.words for child in members)
            above = [] if parent == _ROOT else [parent]
            sections.append({"key": key, "words": words, "parents": above})
            for child in members:
                given = parents[child.listing, child.key]
                kept = [other for other in given if other != parent]
                parents[child.listing, child.key] = [*kept, key]
    placed = {
        listing: [{**item, "parents": parents[listing, item["key"]]} for item in items]
        for listing, items in questions.items()
    }
    return {**placed, "groups": [*placed["groups"], *sections]}


def _list_children(questions: Questions) -> Mapping[str, list[_Child]]:
    """What is directly below each group, by its key, and below the root."""
    children = defaultdict[str, list[_Child]](list)
    for listing in ("groups", "classes"):
        for item in questions[listing]:
            for parent in item["parents"] or [_ROOT]:
                children[parent].append(_Child(listing, item["key"], item["words"]))
    return children


def _divide(children: Sequence[_Child]) -> list[Sequence[_Child]]:
    """The sections of these children; none where they are few enough to be asked one by one."""
    if len(children) <= MOST_TOGETHER:
        return []
    count = -(-len(children) // MOST_TOGETHER)
    starts = [len(children) * number // count for number in range(count + 1)]
    return [children[start:end] for start, end in pairwise(starts)]


def _make_key(parent: str, taken: set[str]) -> str:
    """An id that no group has: the parent's with the next free number."""
    number = 1
    while (key := f"{parent[:_LONGEST_PARENT]} [{number}]".lstrip()) in taken:
        number += 1
    return key
