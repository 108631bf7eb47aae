"""The words of a party today: those of its preset's file and party.toml, updated by the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from vockit.errors import SettingsError

from .preset import ClassSpec, Preset
from .settings import FILE_NAME
from .states import WordKind
from .words import (
    Words,
    WordsOfKinds,
    apply_changes,
    list_changes,
    list_words,
    read_words,
    select_kind,
)


@dataclass(frozen=True)
class PresentWords:
    """The words after the change `number`: as a preset, their ids, the images wanted by class."""

    preset: Preset
    words: WordsOfKinds
    targets: Mapping[str, int]
    number: int


def load_present_words(
    session: Session,
    file_preset: Preset,
    file_targets: Mapping[str, int],
    queries: Mapping[str, Sequence[str]],
) -> PresentWords:
    """The words that the preset's file and party.toml mean today.

    Raises SettingsError if party.toml gives queries for an unknown class.
    """
    rows = list_words(session)
    changes = list_changes(session)
    words = {kind: read_words(*select_kind(kind, rows, changes)) for kind in WordKind}
    preset = apply_changes(file_preset, rows, changes)
    of_file = _Reader(file_preset, preset, words[WordKind.CLASS])
    targets: Counter[str] = Counter()
    for word, wanted in file_targets.items():
        spec = of_file.find(word)
        targets[spec.name if spec else word] += wanted
    return PresentWords(
        preset=_add_queries(preset, queries, of_file),
        words=words,
        targets=dict(targets),
        number=changes[-1].id if changes else 0,
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
    if not more:
        return preset
    classes = tuple(
        replace(spec, queries=tuple(dict.fromkeys((*spec.queries, *more.get(spec.key, ())))))
        for spec in preset.classes
    )
    return replace(preset, classes=classes)
