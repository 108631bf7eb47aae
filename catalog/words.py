"""The classes of a party as rows of the table `word`, and a preset updated by these rows.

Each class of the preset's file has a row. Renaming, merging or splitting a class changes rows, not
the file. Objects, pages and settings refer to a class by its id (`Word.key`); its name is only
shown. docs/decisions/words-are-rows.md says why an id is a word and not a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from .errors import CatalogueError
from .preset import ClassSpec, Preset
from .session import Lock, hold
from .states import WordKind
from .tables import Word, WordChange


@dataclass(frozen=True)
class Classes:
    """What the ids and names of classes mean today.

    `moved` maps an id that was merged or split to the id that it counts as. `ids` maps every
    present or former name to an id. `retired` maps the id of a class that left the preset to its
    name.
    """

    moved: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    retired: Mapping[str, str] = field(default_factory=dict)

    def today(self, class_id: str) -> str:
        """The id that this id counts as today; the same one unless it was merged or split."""
        return self.moved.get(class_id, class_id)

    def members(self, class_id: str) -> tuple[str, ...]:
        """All ids that count as this class today, its own first."""
        return class_id, *(key for key, today in self.moved.items() if today == class_id)


def load_classes_number(session: Session) -> int:
    """The id of the newest change of words; 0 if there is none."""
    return session.scalar(select(func.max(WordChange.id))) or 0


def list_words(session: Session, kind: WordKind) -> list[Word]:
    """All words of a kind, including merged, split and retired ones, in order of their keys."""
    return list(session.scalars(select(Word).where(Word.kind == kind).order_by(Word.key)))


def list_changes(session: Session, kind: WordKind | None = None) -> list[WordChange]:
    """The changes of words, oldest first; only those of `kind` if it is given."""
    chosen = select(WordChange).order_by(WordChange.id)
    return list(session.scalars(chosen if kind is None else chosen.where(WordChange.kind == kind)))


def apply_changes(preset: Preset, words: Iterable[Word], changes: Iterable[WordChange]) -> Preset:
    """The preset of a file with its classes merged, split and named as the rows say.

    The first part of a split takes the place and the queries of the old class; other parts are
    added at the end, with the same features. A merged class takes in queries and features. Raises
    ValueError where two classes would look the same.
    """
    specs = {spec.key: spec for spec in preset.classes}
    for change in changes:
        if change.what == "merge":
            _merge_spec(specs, change.key, change.to_keys[0])
        elif change.what == "split":
            specs = _split_spec(specs, change.key, change.to_keys)
    rows = {word.key: word for word in words}
    named = (_name(spec, rows.get(spec.key)) for spec in specs.values())
    return replace(preset, classes=tuple(spec for spec in named if spec is not None))


def _name(spec: ClassSpec, word: Word | None) -> ClassSpec | None:
    """The class with the name of its row; None if it is retired."""
    if word is None or word.name == spec.name:
        return spec if word is None or word.retired_at is None else None
    return replace(spec, name=word.name, display=word.name) if word.retired_at is None else None


def _merge_spec(specs: dict[str, ClassSpec], key: str, into: str) -> None:
    """Let one class take another in, so that no object has a feature too many."""
    if key not in specs or into not in specs:
        return
    old = specs.pop(key)
    kept = specs[into]
    queries = {query.casefold(): query for query in (*old.queries, *kept.queries)}
    specs[into] = replace(
        kept,
        queries=tuple(queries.values()),
        has_views=kept.has_views or old.has_views,
        has_parts=kept.has_parts or old.has_parts,
        has_actions=kept.has_actions or old.has_actions,
    )


def _split_spec(
    specs: Mapping[str, ClassSpec], key: str, to_keys: Iterable[str]
) -> dict[str, ClassSpec]:
    """The classes with the first part in the place of a class, and the others at the end."""
    first, *others = to_keys
    split = {
        first if other == key else other: replace(spec, key=first) if other == key else spec
        for other, spec in specs.items()
    }
    if key not in specs:
        return split
    return split | {part: replace(specs[key], key=part, queries=()) for part in others}


def read_classes(words: Iterable[Word], changes: Iterable[WordChange]) -> Classes:
    """The Classes that the rows describe; a present name wins over a former one."""
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
    return Classes(moved, ids, retired)


def hold_classes(session: Session, number: int) -> None:
    """Let no class change until the transaction ends; CatalogueError if one did since `number`."""
    hold(session, Lock.CLASSES)
    if load_classes_number(session) != number:
        raise CatalogueError(
            "A class was renamed, merged or split meanwhile. Run the same command again."
        )


def load_names(session: Session, number: int | None = None) -> dict[str, str]:
    """What each id of a class was called when `number` was the newest change; None for today."""
    names = {word.key: word.name for word in list_words(session, WordKind.CLASS)}
    changes = list_changes(session, WordKind.CLASS)
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


def load_names_since(session: Session, number: int) -> dict[str, str]:
    """Today's names of classes by those of the time when `number` was the newest change."""
    today = load_names(session)
    return {name: today[key] for key, name in load_names(session, number).items()}


def register_words(session: Session, preset: Preset) -> None:
    """Give the words of a preset's file their rows, where they have none."""
    known = {word.key for word in list_words(session, WordKind.CLASS)}
    for spec in preset.classes:
        if spec.key not in known:
            session.add(make_word(WordKind.CLASS, spec.key, spec.name, file_name=spec.name))
    session.flush()


def make_word(kind: WordKind, key: str, name: str, file_name: str | None = None) -> Word:
    """The row of a word that counts as itself."""
    return Word(kind=kind, key=key, name=name, counts_as=key, file_name=file_name)
