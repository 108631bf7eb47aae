"""Classes, views, parts and actions as rows of `word`, and a preset updated by these rows.

Each word of the preset's file has a row. Renaming, merging or splitting a word changes rows, not
the file. Objects, pages and settings refer to a word by its id (`Word.key`); its name is only
shown. docs/decisions/words-are-rows.md says why an id is a word and not a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from .errors import CatalogueError
from .preset import ClassSpec, PartSpec, Preset, WordSpec
from .preset_words import FIELDS_OF_KINDS
from .session import Lock, hold
from .states import WordKind
from .tables import Word, WordChange


@dataclass(frozen=True)
class Words:
    """What the ids and names of the words of one kind mean today.

    `moved` maps an id that was merged or split to the id that it counts as. `ids` maps every
    present or former name to an id. `retired` maps the id of a word that left the preset to its
    name.
    """

    moved: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    retired: Mapping[str, str] = field(default_factory=dict)

    def today(self, word_id: str) -> str:
        """The id that this id counts as today; the same one unless it was merged or split."""
        return self.moved.get(word_id, word_id)

    def members(self, word_id: str) -> tuple[str, ...]:
        """All ids that count as this word today, its own first."""
        return word_id, *(key for key, today in self.moved.items() if today == word_id)


WordsOfKinds = Mapping[WordKind, Words]
NamesOfKinds = Mapping[WordKind, Mapping[str, str]]
NO_WORDS: WordsOfKinds = {kind: Words() for kind in WordKind}
"""What no change was made of."""


def load_classes_number(session: Session) -> int:
    """The id of the newest change of words; 0 if there is none."""
    return session.scalar(select(func.max(WordChange.id))) or 0


def list_words(session: Session) -> list[Word]:
    """All words, including merged, split and retired ones, in order of their keys."""
    return list(session.scalars(select(Word).order_by(Word.kind, Word.key)))


def list_changes(session: Session) -> list[WordChange]:
    """The changes of words, oldest first."""
    return list(session.scalars(select(WordChange).order_by(WordChange.id)))


def select_kind(
    kind: WordKind, words: Iterable[Word], changes: Iterable[WordChange]
) -> tuple[list[Word], list[WordChange]]:
    """The words and changes of a kind."""
    return (
        [word for word in words if word.kind is kind],
        [change for change in changes if change.kind is kind],
    )


def apply_changes(preset: Preset, words: Iterable[Word], changes: Iterable[WordChange]) -> Preset:
    """The preset of a file with its words merged, split and named as the rows say.

    The first part of a split takes the place and the queries of the old class; other parts are
    added at the end, with the same features. What is merged takes in what the other one allows.
    Raises ValueError where two words would look the same.
    """
    rows = list(words)
    made = list(changes)
    changed: dict[str, Any] = {
        listing: tuple(_change_specs(preset.list_words(kind), *select_kind(kind, rows, made)))
        for kind, listing in FIELDS_OF_KINDS.items()
    }
    if all(getattr(preset, listing) == specs for listing, specs in changed.items()):
        return preset
    return replace(preset, **changed)


def _change_specs(
    given: Iterable[WordSpec], words: Iterable[Word], changes: Iterable[WordChange]
) -> Iterator[WordSpec]:
    """The words of one kind as the rows have them, without retired ones."""
    specs = {spec.key: spec for spec in given}
    for change in changes:
        if change.what == "merge":
            _merge_spec(specs, change.key, change.to_keys[0])
        elif change.what == "split":
            specs = _split_spec(specs, change.key, change.to_keys)
    rows = {word.key: word for word in words}
    for spec in specs.values():
        word = rows.get(spec.key)
        if word is None or (word.retired_at is None and word.name == spec.name):
            yield spec
        elif word.retired_at is None:
            yield replace(spec, name=word.name, display=word.name)


def _merge_spec(specs: dict[str, WordSpec], key: str, into: str) -> None:
    """Let one word take another in, so that no object has a feature too many.

    What was merged into a word that left the file since then is gone with it.
    """
    old = specs.pop(key, None)
    kept = specs.get(into)
    if kept is None:
        return
    if isinstance(kept, ClassSpec) and isinstance(old, ClassSpec):
        queries = {query.casefold(): query for query in (*old.queries, *kept.queries)}
        kept = replace(
            kept,
            queries=tuple(queries.values()),
            parents=tuple(key for key in kept.parents if key in old.parents),
            has_views=kept.has_views or old.has_views,
            has_parts=kept.has_parts or old.has_parts,
            has_actions=kept.has_actions or old.has_actions,
        )
    elif isinstance(kept, PartSpec) and isinstance(old, PartSpec):
        kept = replace(kept, max_count=max(kept.max_count, old.max_count))
    specs[into] = kept


def _split_spec(
    specs: Mapping[str, WordSpec], key: str, to_keys: Iterable[str]
) -> dict[str, WordSpec]:
    """The classes with the first part in the place of a class, and the others at the end."""
    first, *others = to_keys
    split = {
        first if other == key else other: replace(spec, key=first) if other == key else spec
        for other, spec in specs.items()
    }
    spec = specs.get(key)
    if not isinstance(spec, ClassSpec):
        return split
    return split | {part: replace(spec, key=part, queries=()) for part in others}


def read_words(words: Iterable[Word], changes: Iterable[WordChange]) -> Words:
    """The Words that the rows of one kind describe; a present name wins over a former one."""
    rows = list(words)
    ids = dict[str, str]()
    moved = {word.key: word.counts_as for word in rows if word.counts_as != word.key}
    for change in changes:
        ids[change.old_name] = moved.get(change.key, change.key)
        ids |= {
            name: moved.get(key, key)
            for name, key in zip(change.new_names, change.to_keys, strict=True)
        }
    standing = [word for word in rows if word.key not in moved]
    for word in sorted(standing, key=lambda word: word.retired_at is None):
        ids[word.name] = word.key
    retired = {word.key: word.name for word in standing if word.retired_at}
    return Words(moved, ids, retired)


def hold_classes(session: Session, number: int) -> None:
    """Let no class change until the transaction ends; CatalogueError if one did since `number`."""
    hold(session, Lock.CLASSES)
    if load_classes_number(session) != number:
        raise CatalogueError(
            "A class, view, part or action was changed meanwhile. Run the same command again."
        )


def load_names(session: Session, number: int | None = None) -> NamesOfKinds:
    """What each id was called when `number` was the newest change of words; None for today."""
    rows = list_words(session)
    changes = list_changes(session)
    return {kind: _list_names(*select_kind(kind, rows, changes), number) for kind in WordKind}


def _list_names(
    words: Iterable[Word], changes: Sequence[WordChange], number: int | None
) -> dict[str, str]:
    names = {word.key: word.name for word in words}
    made = [change for change in changes if number is None or change.id <= number]
    for change in reversed(changes[len(made) :]):
        names[change.key] = change.old_name
    moved: dict[str, str] = {}
    for change in made:
        if change.to_keys[0] != change.key:
            moved = {
                key: change.to_keys[0] if today == change.key else today
                for key, today in moved.items()
            }
            moved[change.key] = change.to_keys[0]
    return names | {key: names[today] for key, today in moved.items()}


def load_parents(session: Session) -> dict[str, str]:
    """The class that each part of a split was, by their ids."""
    splits = select(WordChange).where(WordChange.what == "split").order_by(WordChange.id)
    return {part: change.key for change in session.scalars(splits) for part in change.to_keys}


def list_wholes(class_id: str, parents: Mapping[str, str]) -> list[str]:
    """The class, what it was split from, and so on; `parents` are those of load_parents."""
    wholes = [class_id]
    while (parent := parents.get(wholes[-1])) is not None:
        wholes.append(parent)
    return wholes


def load_comings(session: Session) -> defaultdict[str, list[WordChange]]:
    """By its id how each class came into the preset of the party, left it or returned."""
    came_or_went = WordChange.what.in_(("add", "retire", "return"))
    changes = select(WordChange).where(WordChange.kind == WordKind.CLASS, came_or_went)
    comings = defaultdict[str, list[WordChange]](list)
    for change in session.scalars(changes.order_by(WordChange.id)):
        comings[change.key].append(change)
    return comings


def had_come(changes: Iterable[WordChange], at: datetime) -> bool:
    """Whether the class of these changes was in the preset by then, or from the beginning."""
    return all(change.made_at <= at for change in changes if change.what == "add")


def had_gone(changes: Iterable[WordChange], at: datetime) -> bool:
    """Whether the class of these changes had left the preset then."""
    before = [change.what for change in changes if change.made_at <= at]
    return bool(before) and before[-1] == "retire"


_MOVED = select(Word.kind, Word.key, Word.counts_as).where(Word.counts_as != Word.key)


def load_moved(session: Session) -> NamesOfKinds:
    """The id that each id counts as since it was merged or split, of those that were."""
    ids: dict[WordKind, dict[str, str]] = {kind: {} for kind in WordKind}
    for kind, key, counts_as in session.execute(_MOVED).tuples():
        ids[kind][key] = counts_as
    return ids


def load_names_since(session: Session, number: int) -> NamesOfKinds:
    """Today's names of words by those of the time when `number` was the newest change."""
    today = load_names(session)
    before = load_names(session, number)
    return {
        kind: {name: today[kind][key] for key, name in before[kind].items()} for kind in WordKind
    }


def register_words(session: Session, preset: Preset) -> None:
    """Give the words of a preset's file their rows, where they have none."""
    known = {(word.kind, word.key) for word in list_words(session)}
    for kind in WordKind:
        for spec in preset.list_words(kind):
            if (kind, spec.key) not in known:
                session.add(make_word(kind, spec.key, spec.name, file_name=spec.name))
    session.flush()


def make_word(kind: WordKind, key: str, name: str, file_name: str | None = None) -> Word:
    """The row of a word that counts as itself."""
    return Word(kind=kind, key=key, name=name, counts_as=key, file_name=file_name)
