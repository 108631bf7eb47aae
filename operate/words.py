"""Renaming and merging classes, views, parts and actions while a party runs; splitting classes.

Objects refer to words by their ids, so no object is touched: a rename changes the name of one row,
a merge and a split what an id counts as (docs/decisions/words-are-rows.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from itertools import count

from pydantic import ValidationError
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from catalog.party import Party, follow_classes, read_words
from catalog.preset import Preset
from catalog.preset_edits import Edit, find_edits
from catalog.refusals import InvalidError
from catalog.sentences import Sentence, say
from catalog.session import Lock, hold
from catalog.states import ImageState, WordKind
from catalog.tables import Image, Object, Word, WordChange
from catalog.words import (
    list_words,
    load_parents,
    make_word,
    register_words,
)
from vockit.format.plural import format_count
from work.campaigns import Wish, make_campaign
from work.lookup import has_word

PERSON = "person"  # VOC's parts and actions are of this class (VOC2012 devkit, 8.2 and 8.3)


def rename_word(
    session: Session,
    party: Party,
    old: str,
    new: str,
    *,
    kind: WordKind = WordKind.CLASS,
    made_by: str,
    at: datetime,
) -> str:
    """Rename a word, and return a sentence on it; raises InvalidError."""
    party = _begin(session, party, kind, old)
    if old == new:
        raise InvalidError(say("{old} is called so already. Name another word.", old=old))
    if party.preset.find_named(kind, new) is not None:
        option = "" if kind is WordKind.CLASS else f" --kind {kind}"
        command = f"vocparty classes merge {old} {new}{option}"
        raise InvalidError(
            say("{new} already exists. To merge, run `{command}`.", new=new, command=command)
        )
    key = _get_id(party, kind, old)
    word = session.get_one(Word, (kind, key))
    in_file = party.file_preset.find(kind, key)
    word.name = new
    word.file_name = in_file.name if in_file else None
    made = Made(kind, "rename", {key: new}, made_by, at)
    objects = _make_change(session, party, old, made).objects
    return f"{old} is renamed to {new} in {_say(objects)}. Earlier releases keep {old}."


def merge_words(
    session: Session,
    party: Party,
    old: str,
    into: str,
    *,
    kind: WordKind = WordKind.CLASS,
    made_by: str,
    at: datetime,
) -> str:
    """Merge a word into another, and return a sentence on its objects; raises InvalidError."""
    party = _begin(session, party, kind, old, into)
    if kind is WordKind.GROUP:
        raise InvalidError(
            say(
                "Groups are not merged. Change them in the preset's file, then run {command}.",
                command="`vocparty classes apply`",
            )
        )
    if old == into:
        raise InvalidError(say("{old} cannot be merged into itself. Name two words.", old=old))
    key = _get_id(party, kind, into)
    _move(session, party, kind, _get_id(party, kind, old), key)
    made = Made(kind, "merge", {key: into}, made_by, at)
    objects = _make_change(session, party, old, made).objects
    return f"{old} is merged into {into}: {_say(objects)}. Earlier releases keep {old}."


def split_class(
    session: Session,
    party: Party,
    old: str,
    into: Sequence[str],
    *,
    made_by: str,
    at: datetime,
) -> str:
    """Split a class, start a campaign to annotate its images again, and return a sentence on both.

    Until then its objects count as the first of the new classes. Raises InvalidError.
    """
    kind = WordKind.CLASS
    party = _begin(session, party, kind, old)
    known = [name for name in into if name in party.preset.class_names and name != old]
    if len(set(into)) < 2 or len(set(into)) < len(into):
        raise InvalidError(say("Name at least two different classes to split {old} into.", old=old))
    if known:
        raise InvalidError(
            say("Class {known} already exists. Choose another name.", known=known[0])
        )
    parts = _add_parts(session, sorted(into, key=lambda name: name != old))
    key = _get_id(party, kind, old)
    (first, *_) = parts
    _move(session, party, kind, key, first)
    change = _make_change(session, party, old, Made(kind, "split", parts, made_by, at))
    said = f"{old} is split into {', '.join(parts.values())}."
    of_class = Object.class_id.in_(party.classes.members(key))
    shown = select(Object.annotation_id).where(of_class)
    condition = Image.annotation_id.in_(shown) & (Image.state != ImageState.TAKEN_DOWN)
    if session.scalar(select(Image.id).where(condition).limit(1)) is None:
        return f"{said} No image shows it, so no image needs a new annotation."
    comment = f"The class {old} was split; choose {' or '.join(parts.values())} for each."
    wish = Wish(f"split-{old[:80]}-{change.id}", ("class",), None, comment, {"class": parts[first]})
    return f"{said} {make_campaign(session, wish, [condition], author=made_by, at=at)}"


def describe_lines(session: Session, party: Party) -> list[str]:
    """A line for each word in or gone from the preset's file, on what `apply` would do to it."""
    words = list_words(session)
    edits = find_edits(party.file_preset, words, load_parents(session))
    counts = {(edit.kind, edit.key): _count_objects(session, edit) for edit in edits}
    return [
        line
        for kind in WordKind
        for line in _describe_kind(
            kind,
            {spec.key: spec.name for spec in party.file_preset.list_words(kind)},
            {edit.key: edit for edit in edits if edit.kind is kind},
            {key: count for (of_kind, key), count in counts.items() if of_kind is kind},
            _name_moved([word for word in words if word.kind is kind]),
        )
    ]


def _name_moved(words: Sequence[Word]) -> dict[str, str]:
    """What each word that was merged or split counts as, by its id."""
    names = {
        word.key: f"{word.name}, which left the preset" if word.retired_at else word.name
        for word in words
    }
    return {word.key: names[word.counts_as] for word in words if word.counts_as != word.key}


def _count_objects(session: Session, edit: Edit) -> int:
    return _count(session, edit.kind, _find_members(session, edit.kind, edit.key))


def _describe_kind(
    kind: WordKind,
    lines: Mapping[str, str],
    edits: Mapping[str, Edit],
    counts: Mapping[str, int],
    moved: Mapping[str, str],
) -> Iterator[str]:
    """The lines on the words of one kind: those of the file, names by ids, then those without."""
    gone = [key for key, edit in edits.items() if edit.what == "retire"]
    without_line = {key: edit.was for key, edit in edits.items() if key not in lines}
    for key, name in {**lines, **without_line}.items():
        edit = edits.get(key)
        if key in moved:
            yield f"{name}: the {kind} was merged or split, and counts as {moved[key]}"
        elif edit is None:
            yield f"{name}: the {kind} as before"
        else:
            hint = f"; if it is a {kind} that is gone, give its line key = {' or '.join(gone)}"
            is_hinted = bool(gone) and edit.what == "add"
            yield _describe_line(edit, counts[key]) + (hint if is_hinted else "")


def _describe_line(edit: Edit, objects: int) -> str:
    count = format_count(objects, "object")
    stay = "stays" if objects == 1 else "stay"
    kind = edit.kind
    key = edit.key
    return {
        "add": f"{edit.name}: a new {kind}",
        "return": f"{edit.name}: the retired {kind} {key}, in use again, {count}",
        "rename": f"{edit.name}: the {kind} {edit.was} (key {key}) under a new name, {count}",
        "retire": f"{edit.name}: the {kind} is gone from the file (key {key}); {count} {stay}, "
        "no new ones come",
    }[edit.what]


def apply_edits(session: Session, party: Party, *, made_by: str, at: datetime) -> int:
    """Change the rows to match the preset's file; return how many changed. Raises InvalidError."""
    hold(session, Lock.CLASSES, alone=True)
    edits = find_edits(party.file_preset, list_words(session), load_parents(session))
    for edit in edits:
        is_gone = edit.what == "retire" or edit.was != edit.name
        if is_gone and edit.kind is WordKind.CLASS:
            _refuse_person(edit.was, party.file_preset)
        _apply_edit(session, party.file_preset, edit, made_by=made_by, at=at)
    session.flush()
    try:
        _check_words(session, party)
    except _WordError as error:
        message = say("The preset cannot be changed so: {reason}.", reason=error.reason)
        raise InvalidError(message) from error
    return len(edits)


def _refuse_person(name: str, preset: Preset) -> None:
    """Raise InvalidError where a class goes by whose name VOC knows who has parts and actions."""
    if name == PERSON and (preset.parts or preset.actions):
        raise InvalidError(
            say(
                "{name} must stay: VOC stores parts and actions only for the class {name}.",
                name=PERSON,
            )
        )


def _apply_edit(
    session: Session, preset: Preset, edit: Edit, *, made_by: str, at: datetime
) -> None:
    if edit.what == "add":
        word = make_word(edit.kind, edit.key, edit.name)
        session.add(word)
    else:
        word = session.get_one(Word, (edit.kind, edit.key))
    word.name = edit.name
    word.retired_at = at if edit.what == "retire" else None
    if edit.what != "retire":
        in_file = preset.find(edit.kind, edit.key)
        word.file_name = in_file.name if in_file else None
    change = WordChange(
        kind=edit.kind,
        what=edit.what,
        key=edit.key,
        to_keys=[edit.key],
        old_name=edit.was,
        new_names=[edit.name],
        objects=_count_objects(session, edit),
        made_by=made_by[:100],
        made_at=at,
    )
    session.add(change)


def _begin(session: Session, party: Party, kind: WordKind, *names: str) -> Party:
    """The party as it is, while no other transaction stores objects; its words are known."""
    hold(session, Lock.CLASSES, alone=True)
    register_words(session, party.file_preset)
    party = follow_classes(party, session)
    known = [spec.name for spec in party.preset.list_words(kind)]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            now = party.find_word(kind, name)
            if now:
                hint = say("it is {name} now.", name=now.name)
            elif near:
                hint = say("did you mean {name}?", name=near[0])
            else:
                hint = say("there are {names}.", names=known)
            message = say("Unknown {kind} {name}; {hint}", kind=kind, name=name, hint=hint)
            raise InvalidError(message)
    return party


def _get_id(party: Party, kind: WordKind, name: str) -> str:
    """The id of a word that the preset has."""
    spec = party.preset.find_named(kind, name)
    assert spec is not None
    return spec.key


@dataclass(frozen=True)
class Made:
    """What is done to a word, by whom, when; `names` are those of the ids that it is then."""

    kind: WordKind
    what: str
    names: Mapping[str, str]
    made_by: str
    made_at: datetime


def _make_change(session: Session, party: Party, old: str, made: Made) -> WordChange:
    """The row of a change, which the preset allows; raises InvalidError where it does not."""
    key = _get_id(party, made.kind, old)
    change = WordChange(
        kind=made.kind,
        what=made.what,
        key=key,
        to_keys=list(made.names),
        old_name=old,
        new_names=list(made.names.values()),
        objects=_count(session, made.kind, party.words[made.kind].members(key)),
        made_by=made.made_by[:100],
        made_at=made.made_at,
    )
    session.add(change)
    session.flush()
    names = list(made.names.values())
    if made.kind is WordKind.CLASS and old not in names:
        _refuse_person(old, party.preset)
    try:
        _check_words(session, party)
    except _WordError as error:
        raise InvalidError(
            say("{old} cannot become {names}: {reason}.", old=old, names=names, reason=error.reason)
        ) from error
    return change


class _WordError(Exception):
    """The words do not fit one another, or the preset; `reason` says why, without a full stop."""

    def __init__(self, reason: Sentence | str) -> None:
        super().__init__(reason)
        self.reason = reason


def _check_words(session: Session, party: Party) -> None:
    """Raise _WordError where two words have one name, or a name is none that words can have."""
    try:
        changed = read_words(party, session)
    except ValidationError as error:
        raise _WordError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error
    for kind in WordKind:
        retired = {name.casefold() for name in changed.words[kind].retired.values()}
        for spec in changed.preset.list_words(kind):
            if spec.name.casefold() in retired:
                name = spec.name
                raise _WordError(
                    say("a {kind} that left the preset is called {name}", kind=kind, name=name)
                )


def _count(session: Session, kind: WordKind, ids: Sequence[str]) -> int:
    """How many objects of all revisions have a word of one of these ids."""
    counted = select(func.count()).select_from(Object).where(has_word(kind, ids))
    return session.scalar(counted) or 0


def _find_members(session: Session, kind: WordKind, key: str) -> list[str]:
    """The ids that count as this one."""
    members = select(Word.key).where(Word.kind == kind, Word.counts_as == key)
    return list(session.scalars(members)) or [key]


def _add_parts(session: Session, names: Iterable[str]) -> dict[str, str]:
    """New classes of these names, by their ids: the name, with a number where it is taken."""
    known = {word.key.casefold() for word in list_words(session) if word.kind is WordKind.CLASS}
    made = {}
    for name in names:
        keys = (name if number == 1 else f"{name}-{number}" for number in count(1))
        key = next(key for key in keys if key.casefold() not in known)
        session.add(make_word(WordKind.CLASS, key, name))
        made[key] = name
    session.flush()
    return made


def _move(session: Session, party: Party, kind: WordKind, key: str, into: str) -> None:
    """Let all that counts as one word count as another."""
    of_word = Word.kind == kind, Word.key.in_(party.words[kind].members(key))
    session.execute(update(Word).where(*of_word).values(counts_as=into))


def _say(objects: int) -> str:
    return f"{format_count(objects, 'object')} of all revisions"
