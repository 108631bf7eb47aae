"""The groups of a preset: those that it describes, and those that the paths of classes name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from hashlib import sha256

from .hierarchy import CycleError, Node, make_hierarchy
from .specs import ClassSpec, GroupSpec
from .states import NodeKind

_LONGEST_KEY = 100
MOST_CLASSES = 1000


def arrange_groups(
    classes: Sequence[ClassSpec], given: Sequence[GroupSpec]
) -> tuple[tuple[GroupSpec, ...], Mapping[str, tuple[str, ...]]]:
    """All groups, and those directly above each class, by their ids; parents are ids, too.

    A class's path `groups` names a group that is described, or makes one of its own for each place:
    "Small" below "Animals" is another one than "Small" below "Vehicles". Raises ValueError for the
    first mistake, with its place.
    """
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"classes holds {len(classes):,}, and a party has at most {MOST_CLASSES:,}"
        )
    described = {group.name: group for group in given}
    described |= {group.key: group for group in given}
    groups = {group.key: group for group in given}
    above = {group.key: list(group.parents) for group in given}
    of_classes = {item.key: list(item.parents) for item in classes}
    on_paths = set[str]()
    for item in classes:
        keys = _follow_path(item.groups, described, groups)
        for key, parent in zip(keys[1:], keys, strict=False):
            above.setdefault(key, []).append(parent)
        for key in keys[:1]:
            above.setdefault(key, [])
        of_classes[item.key] += keys[-1:]
        on_paths.update(keys)
    keys_of = {group.name: group.key for group in groups.values()} | {key: key for key in groups}
    parents = {
        key: _refer(keys_of, words, f"groups.{index} ({groups[key].name})", classes)
        for index, (key, words) in enumerate(above.items())
    }
    of_class = {
        item.key: _refer(keys_of, of_classes[item.key], f"classes.{index} ({item.name})", classes)
        for index, item in enumerate(classes)
    }
    _check_words(classes, given, on_paths)
    _check_tree(of_class, parents, groups)
    arranged = tuple(replace(group, parents=parents[key]) for key, group in groups.items())
    return arranged, of_class


def _follow_path(
    path: Sequence[str], described: Mapping[str, GroupSpec], groups: dict[str, GroupSpec]
) -> list[str]:
    """The ids of the groups of a class's path; `groups` gets those that nobody described."""
    keys = list[str]()
    for depth, name in enumerate(path, start=1):
        if name in described:
            keys.append(described[name].key)
            continue
        key = _shorten(" / ".join(path[:depth]))
        groups.setdefault(key, GroupSpec(name=key, display=name))
        keys.append(key)
    return keys


def _shorten(key: str) -> str:
    """An id that a row holds; a longer one ends with a digest."""
    if len(key) <= _LONGEST_KEY:
        return key
    return f"{key[: _LONGEST_KEY - 9].rstrip()}-{sha256(key.encode()).hexdigest()[:8]}"


def _refer(
    keys_of: Mapping[str, str], words: Sequence[str], place: str, classes: Sequence[ClassSpec]
) -> tuple[str, ...]:
    """The ids of the groups that these words name; raises ValueError for another word."""
    for word in words:
        if word in keys_of:
            continue
        if any(item.name == word for item in classes):
            raise ValueError(f"{place}: parents names {word!r}, which is a class and no group")
        near = get_close_matches(word, keys_of, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "describe it under [[groups]]"
        raise ValueError(f"{place}: parents names {word!r}, which is no group; {hint}")
    return tuple(dict.fromkeys(keys_of[word] for word in words))


def _check_words(
    classes: Sequence[ClassSpec], given: Sequence[GroupSpec], on_paths: set[str]
) -> None:
    """Raise ValueError for a question without words, and for a word that two of them have."""
    for index, group in enumerate(given):
        if not group.words and group.key not in on_paths:
            raise ValueError(
                f"groups.{index} ({group.name}): the key words is missing, which its question "
                'needs, as words = "an animal"'
            )
    places = dict[str, tuple[str, str]]()  # the id and the place of whose word it is
    for place, owner, word in _list_said(classes, given):
        first_owner, first = places.setdefault(word.casefold(), (owner, place))
        if first_owner != owner:
            raise ValueError(f"{place} says {word!r}, as {first} does; a question needs its own")


def _list_said(
    classes: Sequence[ClassSpec], given: Sequence[GroupSpec]
) -> Iterator[tuple[str, str, str]]:
    """Each word that people read in a question: its place, whose it is, and the word."""
    listings: tuple[tuple[str, Sequence[ClassSpec | GroupSpec]], ...] = (
        ("classes", classes),
        ("groups", given),
    )
    for listing, specs in listings:
        for index, spec in enumerate(specs):
            place = f"{listing}.{index} ({spec.name})"
            owner = f"{listing} {spec.key}"
            if spec.words:
                yield f"{place}: words", owner, spec.words
                yield f"{place}: display", owner, spec.display
            for word in spec.synonyms:
                yield f"{place}: synonyms", owner, word


def _check_tree(
    of_class: Mapping[str, Sequence[str]],
    parents: Mapping[str, Sequence[str]],
    groups: Mapping[str, GroupSpec],
) -> None:
    """Raise ValueError for groups in a cycle, and for a group without any class."""
    try:
        hierarchy = make_hierarchy(of_class, parents)
    except CycleError as error:
        names = " is below ".join(groups[key].name for key in error.keys)
        raise ValueError(f"groups: {names}; a group cannot be above itself") from error
    for index, (key, group) in enumerate(groups.items()):
        if not hierarchy.classes_below[Node(NodeKind.GROUP, key)]:
            raise ValueError(f"groups.{index} ({group.name}): no class is below it")
