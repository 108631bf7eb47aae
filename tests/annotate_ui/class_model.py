"""What the random machine expects of classes: which id counts as which, and what each is called."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import select

from catalog.party import Party, read_words
from catalog.preset import ClassSpec
from catalog.refusals import InvalidError
from catalog.tables import Object
from operate.words import apply_edits, merge_words, rename_word, split_class

DRAWN = ("person", "cat", "dog")
"""The classes that people draw, by their ids."""


@dataclass
class ClassModel:
    """The classes by id, as the changes so far make them; an id that is not named is itself."""

    counts_as: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    retired: set[str] = field(default_factory=set)

    def copy(self) -> "ClassModel":
        return ClassModel(dict(self.counts_as), dict(self.names), set(self.retired))

    def today(self, key: str) -> str:
        return self.counts_as.get(key, key)

    def name(self, key: str) -> str:
        return self.names.get(self.today(key), self.today(key))

    def list_open(self) -> list[str]:
        """The ids that count as themselves and can be drawn; `person` can never change."""
        keys = {*DRAWN, *self.counts_as, *self.names, *self.counts_as.values()} - {"person"}
        return sorted(key for key in keys if self.today(key) == key and key not in self.retired)

    def change(self, party: Party, rng: random.Random, number: int, at: datetime) -> None:
        """Rename, merge or split a class at random; what is refused changes nothing."""
        keys = self.list_open()
        kind = rng.choice(["rename", "merge", "split"])
        if len(keys) < (2 if kind == "merge" else 1):
            return
        key, *others = rng.sample(keys, min(2, len(keys)))
        if kind == "rename":
            name = rng.choice(["cat", "dog", f"pet{number}"])  # also one that was free again
            self._rename(party, key, name, at)
        elif kind == "merge":
            self._merge(party, key, others[0], at)
        else:
            self._split(party, key, number, at)

    def change_twice(
        self, party: Party, rng: random.Random, count: Callable[[], int], at: datetime
    ) -> None:
        """Split a class, merge what it became, and give the other one the name that is free."""
        keys = self.list_open()
        if not keys:
            return
        part = self._split(party, rng.choice(keys), count(), at)
        name = self.name(part)
        into = rng.choice([key for key in self.list_open() if key != part])
        self._merge(party, part, into, at)
        self._rename(party, into, name, at)
        self._rename(party, into, f"pet{count()}", at)

    def _rename(self, party: Party, key: str, name: str, at: datetime) -> None:
        with suppress(InvalidError), party.catalogue.writing() as session:
            rename_word(session, party, self.name(key), name, made_by="olga", at=at)
            self.names[key] = name

    def _merge(self, party: Party, key: str, into: str, at: datetime) -> None:
        with party.catalogue.writing() as session:
            merge_words(session, party, self.name(key), self.name(into), made_by="olga", at=at)
        self._move(key, into)

    def _split(self, party: Party, key: str, number: int, at: datetime) -> str:
        """The id that the class counts as now."""
        names = [f"part{number}a", f"part{number}b"]
        with party.catalogue.writing() as session:
            split_class(session, party, self.name(key), names, made_by="olga", at=at)
        self.names |= {name: name for name in names}
        self._move(key, names[0])
        return names[0]

    def edit_preset(self, party: Party, rng: random.Random, number: int, at: datetime) -> Party:
        """The party after a class was retired, brought back or renamed in its preset's file."""
        specs = {spec.key: spec for spec in party.file_preset.classes}
        keys = [key for key in self.list_open() if key in specs]
        names = dict(self.names)
        retired = set(self.retired)
        if retired and rng.random() < 0.7:
            specs |= {key: ClassSpec(name=key, key=key) for key in retired}
            names |= {key: key for key in retired}
            retired = set()
        elif keys and rng.random() < 0.5:
            retired |= {specs.pop(rng.choice(keys)).key}
        elif keys:
            key = rng.choice(keys)
            specs[key] = replace(specs[key], name=f"filed{number}")
            names[key] = f"filed{number}"
        preset = replace(party.file_preset, classes=tuple(specs.values()))
        edited = replace(party, file_preset=preset)
        try:
            with party.catalogue.writing() as session:
                apply_edits(session, edited, made_by="olga", at=at)
        except InvalidError:  # the old name is another class's by now
            return party
        self.names = names
        self.retired = retired
        with party.catalogue.reading() as session:
            return read_words(edited, session)

    def _move(self, key: str, into: str) -> None:
        keys = {key, *(old for old, now in self.counts_as.items() if now == key)}
        self.counts_as |= dict.fromkeys(keys, into)

    def check(self, party: Party) -> None:
        """Every object counts as the class that its author meant, and is called as it is today."""
        with party.catalogue.reading() as session:
            shown = select(Object.class_id, Object.class_today, Object.class_name).distinct()
            for key, today, name in session.execute(shown).tuples():
                assert (today, name) == (self.today(key), self.name(key)), key
