"""Classes, views, parts and actions as rows of `word`, and the preset built from file and rows.

Each word of the preset's file has a row. Renaming, merging or splitting a word changes rows, not
the file. Objects, pages and settings refer to a word by its id (`Word.key`); its name is only
shown. docs/decisions/words-are-rows.md says why an id is a word and not a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from vockit.errors import SettingsError

from .errors import CatalogueError
from .preset import FIELDS_OF_KINDS, ClassSpec, PartSpec, Preset, WordSpec
from .session import Lock, hold
from .settings import FILE_NAME
from .states import WordKind
from .tables import Word, WordChange

if TYPE_CHECKING:
    from .party import Party


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


def follow_classes(party: Party, session: Session) -> Party:
    """The party with the present classes; the same object if no class has changed."""
    number = load_classes_number(session)
    if number == party.classes_number:
        return party
    return read_words(party, session)


def read_words(party: Party, session: Session) -> Party:
    """The party whose preset and settings come from its files, updated by the rows of words.

    Raises SettingsError if party.toml gives queries for an unknown class.
    """
    rows, changes = list_words(session), list_changes(session)
    words = {kind: _read_words(*_select(kind, rows, changes)) for kind in WordKind}
    preset = apply_changes(party.file_preset, rows, changes)
    of_file = _Reader(party.file_preset, preset, words[WordKind.CLASS])
    targets: Counter[str] = Counter()
    for word, wanted in party.file_targets.items():
        spec = of_file.find(word)
        targets[spec.name if spec else word] += wanted
    collect = replace(party.settings.collect, class_targets=dict(targets))
    return replace(
        party,
        preset=_add_queries(preset, collect.queries, of_file),
        words=words,
        settings=replace(party.settings, collect=collect),
        classes_number=changes[-1].id if changes else 0,
    )


@dataclass(frozen=True)
class _Reader:
    """Finds the class that party.toml means by an id of the preset's file, or by a name."""

    file_preset: Preset
    preset: Preset
    classes: Words

    def find(self, word: str) -> ClassSpec | None:
        """The class as it is today, or None. An id wins over a name, a name over a former one."""
        named = self.preset.find_class(word)
        if self.file_preset.find_class_of(word) is not None:
            class_id = word
        elif named is not None:
            class_id = named.key
        else:
            class_id = self.classes.ids.get(word, word)
        return self.preset.find_class_of(self.classes.today(class_id))


def _add_queries(preset: Preset, queries: Mapping[str, Sequence[str]], of_file: _Reader) -> Preset:
    """The preset with the queries of party.toml added; SettingsError for an unknown class."""
    more: dict[str, tuple[str, ...]] = {}
    for word, added in queries.items():
        spec = of_file.find(word)
        if spec is None:
            raise SettingsError(f"{FILE_NAME}: collect.queries names {word!r}, which is no class.")
        more[spec.key] = (*more.get(spec.key, ()), *added)
    classes = tuple(
        replace(spec, queries=tuple(dict.fromkeys((*spec.queries, *more.get(spec.key, ())))))
        for spec in preset.classes
    )
    return replace(preset, classes=classes)


def list_words(session: Session) -> list[Word]:
    """All words, including merged, split and retired ones, in order of their keys."""
    return list(session.scalars(select(Word).order_by(Word.kind, Word.key)))


def list_changes(session: Session) -> list[WordChange]:
    """The changes of words, oldest first."""
    return list(session.scalars(select(WordChange).order_by(WordChange.id)))


def _select(
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
    rows, made = list(words), list(changes)
    changed: dict[str, Any] = {
        listing: tuple(_change_specs(preset.list_words(kind), *_select(kind, rows, made)))
        for kind, listing in FIELDS_OF_KINDS.items()
    }
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
    """Let one word take another in, so that no object has a feature too many."""
    if key not in specs or into not in specs:
        return
    old, kept = specs.pop(key), specs[into]
    if isinstance(kept, ClassSpec) and isinstance(old, ClassSpec):
        queries = {query.casefold(): query for query in (*old.queries, *kept.queries)}
        kept = replace(
            kept,
            queries=tuple(queries.values()),
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


def _read_words(words: Iterable[Word], changes: Iterable[WordChange]) -> Words:
    """The Words that the rows of one kind describe; a present name wins over a former one."""
    rows, ids = list(words), dict[str, str]()
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


def find_word(party: Party, kind: WordKind, word: str) -> WordSpec | None:
    """The word that a person means: by its name, a name that it had, or its id; or None."""
    named = party.preset.find_named(kind, word)
    return named or find_word_today(party, kind, party.words[kind].ids.get(word, word))


def find_word_today(party: Party, kind: WordKind, word_id: str) -> WordSpec | None:
    """The word that an id counts as today, as pages send it; None where there is none."""
    return party.preset.find(kind, party.words[kind].today(word_id))


def find_class(party: Party, word: str) -> ClassSpec | None:
    """The class that a person means, as find_word has it."""
    spec = find_word(party, WordKind.CLASS, word)
    return spec if isinstance(spec, ClassSpec) else None


def find_class_today(party: Party, class_id: str) -> ClassSpec | None:
    """The class that an id counts as today, as find_word_today has it."""
    return party.preset.find_class_of(party.classes.today(class_id))


def name_today(party: Party, words: Iterable[str]) -> tuple[str, ...]:
    """Today's names of the classes that a person means, each once; other words as they are."""
    specs = ((word, find_class(party, word)) for word in words)
    return tuple(dict.fromkeys(spec.name if spec else word for word, spec in specs))


def list_ids(party: Party) -> NamesOfKinds:
    """The id of each word by its name; a present name wins over a former one."""
    return {
        kind: {
            **party.words[kind].ids,
            **{spec.name: spec.key for spec in party.preset.list_words(kind)},
        }
        for kind in WordKind
    }


def load_names(session: Session, number: int | None = None) -> NamesOfKinds:
    """What each id was called when `number` was the newest change of words; None for today."""
    rows, changes = list_words(session), list_changes(session)
    return {kind: _list_names(*_select(kind, rows, changes), number) for kind in WordKind}


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


def load_moved(session: Session) -> NamesOfKinds:
    """The id that each id counts as since it was merged or split, of those that were."""
    moved = select(Word.kind, Word.key, Word.counts_as).where(Word.counts_as != Word.key)
    ids: dict[WordKind, dict[str, str]] = {kind: {} for kind in WordKind}
    for kind, key, counts_as in session.execute(moved).tuples():
        ids[kind][key] = counts_as
    return ids


def load_names_since(session: Session, number: int) -> NamesOfKinds:
    """Today's names of words by those of the time when `number` was the newest change."""
    today, before = load_names(session), load_names(session, number)
    return {
        kind: {name: today[kind][key] for key, name in before[kind].items()} for kind in WordKind
    }


@dataclass(frozen=True)
class Edit:
    """One difference between the preset's file and the rows: what to do to the row of a word.

    `what` is "add", "rename", "retire" or "return"; `was` is the name that the row has.
    """

    kind: WordKind
    what: str
    key: str
    was: str
    name: str


def find_edits(preset: Preset, words: Iterable[Word], parents: Mapping[str, str]) -> list[Edit]:
    """How an organiser edited the preset's file since it was read last, word by word, by key.

    `parents` are those of load_parents: a part of a split is gone with the line of its parent.
    """
    rows = list(words)
    return [
        edit
        for kind in WordKind
        for edit in _find_edits(
            kind,
            preset.list_words(kind),
            {word.key: word for word in rows if word.kind is kind},
            parents if kind is WordKind.CLASS else {},
        )
    ]


def _find_edits(
    kind: WordKind,
    specs: Iterable[WordSpec],
    rows: dict[str, Word],
    parents: Mapping[str, str],
) -> Iterator[Edit]:
    """The edits of the words of one kind; takes those that the file has out of `rows`."""
    lines = set()
    for spec in specs:
        lines.add(spec.key)
        row = rows.pop(spec.key, None)
        if row is None:
            yield Edit(kind, "add", spec.key, spec.name, spec.name)
        elif row.retired_at is not None:
            yield Edit(kind, "return", spec.key, row.name, spec.name)
        elif spec.name not in (row.file_name, row.name):
            yield Edit(kind, "rename", spec.key, row.name, spec.name)
    for key, row in sorted(rows.items()):
        is_in_use = row.counts_as == key and row.retired_at is None
        is_part = row.file_name is None
        if is_in_use and not (is_part and _has_line(key, lines, parents)):
            yield Edit(kind, "retire", key, row.name, row.name)


def _has_line(key: str, lines: Set[str], parents: Mapping[str, str]) -> bool:
    """Whether a class, or one that it is a part of, has a line in the preset's file."""
    while key not in lines and key in parents:
        key = parents[key]
    return key in lines


def refuse_edits(party: Party, session: Session) -> None:
    """Raise SettingsError where the preset's file was edited and no one has said what is meant."""
    words = list_words(session)
    edits = find_edits(party.file_preset, words, load_parents(session)) if words else []
    if not edits:
        return
    named = "; ".join(map(_describe_edit, edits[:_EDITS_SHOWN]))
    more = f"; and {len(edits) - _EDITS_SHOWN} more" if len(edits) > _EDITS_SHOWN else ""
    raise SettingsError(
        f"{party.settings.preset} was edited: {named}{more}. Nothing was changed. "
        "See what each line is taken for with `vocparty classes apply`, or undo the edit."
    )


_EDITS_SHOWN = 3


def _describe_edit(edit: Edit) -> str:
    of_kind = "" if edit.kind is WordKind.CLASS else f"the {edit.kind} "
    return (
        of_kind
        + {
            "add": f"{edit.name} is new",
            "return": f"{edit.name} is back",
            "rename": f"{edit.was} is called {edit.name}",
            "retire": f"{edit.was} is gone",
        }[edit.what]
    )


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
