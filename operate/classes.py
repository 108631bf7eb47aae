"""Renaming, merging and splitting classes while a party runs.

Objects refer to their class by its id, so no object is touched: a rename changes the name of one
row, a merge and a split what an id counts as (docs/decisions/words-are-rows.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from itertools import count

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from catalog.party import Party, follow_classes, read_words
from catalog.preset_edits import Edit, find_edits
from catalog.refusals import InvalidError
from catalog.sentences import say
from catalog.session import Lock, hold
from catalog.states import ImageState, WordKind
from catalog.tables import Image, Object, Word, WordChange
from catalog.validation import FileWord
from catalog.words import (
    list_words,
    load_parents,
    make_word,
    register_words,
)
from vockit.format.plural import format_count
from work.campaigns import Wish, make_campaign

PERSON = "person"  # VOC's parts and actions are of this class (VOC2012 devkit, 8.2 and 8.3)


def rename_class(
    session: Session, party: Party, old: str, new: str, *, made_by: str, at: datetime
) -> str:
    """Rename a class, and return a sentence on it; raises InvalidError."""
    party = _begin(session, party, old)
    if new in party.preset.class_names:
        raise InvalidError(
            say(
                "Class {new} already exists. To merge, run `vocparty classes merge {old} {new}`.",
                new=new,
                old=old,
            )
        )
    key = party.preset.class_ids[old]
    word = session.get_one(Word, (WordKind.CLASS, key))
    in_file = party.file_preset.find_class_of(key)
    word.name = new
    word.file_name = in_file.name if in_file else None
    made = Made("rename", {key: new}, made_by, at)
    objects = _make_change(session, party, old, made).objects
    return f"{old} is renamed to {new} in {_say(objects)}. Earlier releases keep {old}."


def merge_classes(
    session: Session, party: Party, old: str, into: str, *, made_by: str, at: datetime
) -> str:
    """Merge a class into another, and return a sentence on its objects; raises InvalidError."""
    party = _begin(session, party, old, into)
    if old == into:
        raise InvalidError(say("{old} cannot be merged into itself. Name two classes.", old=old))
    key = party.preset.class_ids[into]
    _move(session, party, party.preset.class_ids[old], key)
    made = Made("merge", {key: into}, made_by, at)
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
    party = _begin(session, party, old)
    known = [name for name in into if name in party.preset.class_names and name != old]
    if len(set(into)) < 2 or len(set(into)) < len(into):
        raise InvalidError(say("Name at least two different classes to split {old} into.", old=old))
    if known:
        raise InvalidError(
            say("Class {known} already exists. Choose another name.", known=known[0])
        )
    parts = _add_parts(session, sorted(into, key=lambda name: name != old))
    key = party.preset.class_ids[old]
    (first, *_) = parts
    _move(session, party, key, first)
    change = _make_change(session, party, old, Made("split", parts, made_by, at))
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
    """A line for each class in or gone from the preset's file, on what `apply` would do to it."""
    words = list_words(session, WordKind.CLASS)
    all_edits = find_edits(party.file_preset, words, load_parents(session))
    edits = {edit.key: edit for edit in all_edits}
    counted = select(Object.class_today, func.count()).group_by(Object.class_today)
    objects = dict(session.execute(counted).tuples().all())
    new = {key for key, edit in edits.items() if edit.what == "add"}
    gone = [key for key, edit in edits.items() if edit.what == "retire"]
    hint = (
        f"; if it is a class that is gone, give its line key = {' or '.join(gone)}" if gone else ""
    )
    ordered = [(spec.name, spec.key) for spec in party.file_preset.classes]
    ordered += [(edits[key].was, key) for key in gone]
    return [
        _describe_line(name, edits.get(key), objects.get(key, 0))
        + (hint if gone and key in new else "")
        for name, key in ordered
    ]


def _describe_line(name: str, edit: Edit | None, objects: int) -> str:
    count = format_count(objects, "object")
    stay = "stays" if objects == 1 else "stay"
    if edit is None:
        return f"{name}: as before, {count}"
    return {
        "add": f"{name}: a new class",
        "return": f"{name}: the retired class {edit.key}, in use again, {count}",
        "rename": f"{name}: the class {edit.was} (key {edit.key}) under a new name, {count}",
        "retire": f"{name}: gone from the file (key {edit.key}); {count} {stay}, no new ones come",
    }[edit.what]


def apply_edits(session: Session, party: Party, *, made_by: str, at: datetime) -> int:
    """Change the rows to match the preset's file; return how many changed. Raises InvalidError."""
    hold(session, Lock.CLASSES, alone=True)
    words = list_words(session, WordKind.CLASS)
    edits = find_edits(party.file_preset, words, load_parents(session))
    retired = [edit.was for edit in edits if edit.what == "retire" or edit.was != edit.name]
    if PERSON in retired and (party.file_preset.parts or party.file_preset.actions):
        raise InvalidError(
            say(
                "{name} must stay: VOC stores parts and actions only for the class {name}.",
                name=PERSON,
            )
        )
    for edit in edits:
        _apply_edit(session, edit, made_by=made_by, at=at)
    session.flush()
    try:
        read_words(party, session)
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("Value error, ")
        message = say("The classes cannot be changed so: {reason}.", reason=reason)
        raise InvalidError(message) from error
    return len(edits)


def _apply_edit(session: Session, edit: Edit, *, made_by: str, at: datetime) -> None:
    if edit.what == "add":
        word = make_word(WordKind.CLASS, edit.key, edit.name)
        session.add(word)
    else:
        word = session.get_one(Word, (WordKind.CLASS, edit.key))
    word.name = word.file_name = edit.name
    word.retired_at = at if edit.what == "retire" else None
    counted = select(func.count()).select_from(Object).where(Object.class_id == edit.key)
    change = WordChange(
        kind=WordKind.CLASS,
        what=edit.what,
        key=edit.key,
        to_keys=[edit.key],
        old_name=edit.was,
        new_names=[edit.name],
        objects=session.scalar(counted) or 0,
        made_by=made_by[:100],
        made_at=at,
    )
    session.add(change)


def _begin(session: Session, party: Party, *names: str) -> Party:
    """The party as it is, while no other transaction stores objects; its classes are known."""
    hold(session, Lock.CLASSES, alone=True)
    register_words(session, party.file_preset)
    party = follow_classes(party, session)
    for name in names:
        if name not in party.preset.class_names:
            near = get_close_matches(name, party.preset.class_names, n=1)
            now = party.preset.find_class_of(party.classes.ids.get(name, ""))
            if now:
                hint = say("it is {name} now.", name=now.name)
            elif near:
                hint = say("did you mean {name}?", name=near[0])
            else:
                hint = say("the classes are {names}.", names=list(party.preset.class_names))
            raise InvalidError(say("Unknown class {name}; {hint}", name=name, hint=hint))
    return party


@dataclass(frozen=True)
class Made:
    """What is done to a class, by whom, when; `names` are those of the ids that it is then."""

    what: str
    names: Mapping[str, str]
    made_by: str
    made_at: datetime


def _make_change(session: Session, party: Party, old: str, made: Made) -> WordChange:
    """The row of a change, which the preset allows; raises InvalidError where it does not."""
    key = party.preset.class_ids[old]
    of_class = Object.class_id.in_(party.classes.members(key))
    change = WordChange(
        kind=WordKind.CLASS,
        what=made.what,
        key=key,
        to_keys=list(made.names),
        old_name=old,
        new_names=list(made.names.values()),
        objects=session.scalar(select(func.count()).select_from(Object).where(of_class)) or 0,
        made_by=made.made_by[:100],
        made_at=made.made_at,
    )
    session.add(change)
    session.flush()
    _check_names(session, party, old, list(made.names.values()))
    return change


def _check_names(session: Session, party: Party, old: str, names: Sequence[str]) -> None:
    """Raise InvalidError for a name that no class can have, or two that look the same."""
    spec = party.preset.find_class(old)
    assert spec is not None
    if old == PERSON and old not in names and (spec.has_parts or spec.has_actions):
        raise InvalidError(
            say(
                "{name} must stay: VOC stores parts and actions only for the class {name}.",
                name=PERSON,
            )
        )
    try:
        for name in names:
            TypeAdapter(FileWord).validate_python(name)
        read_words(party, session)
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise InvalidError(
            say("{old} cannot become {names}: {reason}.", old=old, names=list(names), reason=reason)
        ) from error


def _add_parts(session: Session, names: Iterable[str]) -> dict[str, str]:
    """New classes of these names, by their ids: the name, with a number where it is taken."""
    known = {word.key.casefold() for word in list_words(session, WordKind.CLASS)}
    made = {}
    for name in names:
        keys = (name if number == 1 else f"{name}-{number}" for number in count(1))
        key = next(key for key in keys if key.casefold() not in known)
        session.add(make_word(WordKind.CLASS, key, name))
        made[key] = name
    session.flush()
    return made


def _move(session: Session, party: Party, key: str, into: str) -> None:
    """Let all that counts as one class count as another."""
    of_class = Word.kind == WordKind.CLASS, Word.key.in_(party.classes.members(key))
    session.execute(update(Word).where(*of_class).values(counts_as=into))


def _say(objects: int) -> str:
    return f"{format_count(objects, 'object')} of all revisions"
