"""How an organiser edited the words of the preset's file since it was read last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from sqlalchemy.orm import Session

from vockit.errors import SettingsError

from .preset import Preset, WordSpec
from .states import WordKind
from .tables import Word
from .words import list_words, load_parents

_EDITS_SHOWN = 3


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

    `parents` are those of load_parents: a part of a split is gone, and back, with the line of its
    parent. The line of a word that was merged or split says nothing any more.
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
    rows: Mapping[str, Word],
    parents: Mapping[str, str],
) -> Iterator[Edit]:
    """The edits of the words of one kind: those of the file's lines, then of words without one."""
    lines = set()
    for spec in specs:
        lines.add(spec.key)
        if edit := _compare_line(kind, spec, rows.get(spec.key)):
            yield edit
    for key, row in sorted(rows.items()):
        if key in lines or row.counts_as != key:
            continue
        is_part = row.file_name is None
        stays = is_part and _has_line(key, lines, parents)
        if stays and row.retired_at is not None:
            yield Edit(kind, "return", key, row.name, row.name)
        elif not stays and row.retired_at is None:
            yield Edit(kind, "retire", key, row.name, row.name)


def _compare_line(kind: WordKind, spec: WordSpec, row: Word | None) -> Edit | None:
    """What a line of the file asks for; None where its word is as it says, or counts as another."""
    if row is None:
        return Edit(kind, "add", spec.key, spec.name, spec.name)
    if row.counts_as != row.key:
        return None
    if row.retired_at is not None:
        return Edit(kind, "return", spec.key, row.name, spec.name)
    if spec.name not in (row.file_name, row.name):
        return Edit(kind, "rename", spec.key, row.name, spec.name)
    return None


def _has_line(key: str, lines: Set[str], parents: Mapping[str, str]) -> bool:
    """Whether a class, or one that it is a part of, has a line in the preset's file."""
    while key not in lines and key in parents:
        key = parents[key]
    return key in lines


def refuse_edits(session: Session, file_preset: Preset, file: str) -> None:
    """Raise SettingsError where the preset's file was edited and no one has said what is meant."""
    words = list_words(session)
    edits = find_edits(file_preset, words, load_parents(session)) if words else []
    if not edits:
        return
    named = "; ".join(map(_describe_edit, edits[:_EDITS_SHOWN]))
    more = f"; and {len(edits) - _EDITS_SHOWN} more" if len(edits) > _EDITS_SHOWN else ""
    raise SettingsError(
        f"{file} was edited: {named}{more}. Nothing was changed. "
        "See what each line is taken for with `vocparty classes apply`, or undo the edit."
    )


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
