"""Renaming, merging and splitting classes while a party runs.

All rows that name the class are rewritten in one transaction, which ClassChange records; each
object keeps the names it had (docs/decisions/class-names-in-rows.md).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Text, cast, func, select, update
from sqlalchemy.orm import Session

from catalog.annotated import describe_looks
from catalog.box import Box
from catalog.class_changes import change_preset, follow_classes
from catalog.party import Party
from catalog.refusals import InvalidError
from catalog.sentences import say
from catalog.session import Lock, hold
from catalog.states import FindingVerdict, ImageState
from catalog.tables import (
    Annotation,
    ClassChange,
    Difficulty,
    Finding,
    Image,
    LiveSetting,
    Object,
    Person,
    Query,
)
from catalog.transitions import count_changed
from catalog.validation import FileWord
from qa.checks import describe_subject
from qa.load import make_checked_image
from vockit.format.plural import format_count
from work.campaigns import Wish, make_campaign

PERSON = "person"  # VOC's parts and actions are of this class (VOC2012 devkit, 8.2 and 8.3)


def rename_class(
    session: Session, party: Party, old: str, new: str, *, made_by: str, at: datetime
) -> str:
    """One sentence on the class that has a new name from now on; raises InvalidError."""
    party = _begin(session, party, old)
    if new in party.preset.class_names:
        raise InvalidError(
            say(
                "Class {new} already exists. To merge, run `vocparty classes merge {old} {new}`.",
                new=new,
                old=old,
            )
        )
    change = _change(session, party, old, (new,), kind="rename", made_by=made_by[:100], made_at=at)
    return f"{old} is renamed to {new} in {_count(change)}. Earlier releases keep {old}."


def merge_classes(
    session: Session, party: Party, old: str, into: str, *, made_by: str, at: datetime
) -> str:
    """One sentence on the objects that have the other class from now on; raises InvalidError."""
    party = _begin(session, party, old, into)
    if old == into:
        raise InvalidError(say("{old} cannot be merged into itself. Name two classes.", old=old))
    change = _change(session, party, old, (into,), kind="merge", made_by=made_by[:100], made_at=at)
    return f"{old} is merged into {into}: {_count(change)}. Earlier releases keep {old}."


def split_class(
    session: Session, party: Party, old: str, into: Sequence[str], *, made_by: str, at: datetime
) -> str:
    """What a class becomes, and the campaign by which its images are annotated again.

    Until then its objects have the first of the new names. Raises InvalidError.
    """
    party = _begin(session, party, old)
    known = [name for name in into if name in party.preset.class_names and name != old]
    if len(set(into)) < 2 or len(set(into)) < len(into):
        raise InvalidError(say("Name at least two different classes to split {old} into.", old=old))
    if known:
        raise InvalidError(
            say("Class {known} already exists. Choose another name.", known=known[0])
        )
    names = tuple(sorted(into, key=lambda name: name != old))
    change = _change(session, party, old, names, kind="split", made_by=made_by[:100], made_at=at)
    said = f"{old} is split into {', '.join(names)}."
    shown = select(Object.annotation_id).where(Object.class_name == names[0])
    condition = Image.annotation_id.in_(shown) & (Image.state != ImageState.TAKEN_DOWN)
    if session.scalar(select(Image.id).where(condition).limit(1)) is None:
        return f"{said} No image shows it, so no image needs a new annotation."
    comment = f"The class {old} was split; choose {' or '.join(names)} for each."
    wish = Wish(f"split-{old[:80]}-{change.id}", ("class",), None, comment, {"class": names[0]})
    return f"{said} {make_campaign(session, wish, [condition], author=made_by, at=at)}"


def list_changes(session: Session) -> list[ClassChange]:
    """Every change of classes, the first one first."""
    return list(session.scalars(select(ClassChange).order_by(ClassChange.id)))


def _begin(session: Session, party: Party, *names: str) -> Party:
    """The party as it is, while no other transaction stores objects; its classes are known."""
    hold(session, Lock.CLASSES, alone=True)
    party = follow_classes(party, session)
    for name in names:
        if name not in party.preset.class_names:
            near = get_close_matches(name, party.preset.class_names, n=1)
            now = party.former_classes.get(name)
            if now:
                hint = say("it is {name} now.", name=now)
            elif near:
                hint = say("did you mean {name}?", name=near[0])
            else:
                hint = say("the classes are {names}.", names=list(party.preset.class_names))
            raise InvalidError(say("Unknown class {name}; {hint}", name=name, hint=hint))
    return party


def _change(
    session: Session, party: Party, old: str, names: tuple[str, ...], **made: Any
) -> ClassChange:
    """The change, which all rows follow; `made` are its kind, who made it and when."""
    _check_names(party, old, names)
    change = ClassChange(old_name=old, new_names=list(names), objects=0, **made)
    session.add(change)
    session.flush()
    if names[0] != old:
        _follow_looks(session, old, names[0])
        _follow_findings(session, old, names[0])
        _part_queries(session, old, names[0])
        _rename_in(session, Query, change)
        change.objects = _rename_in(session, Object, change)
        _rewrite_words(session, old, names[0])
    session.flush()
    return change


def _check_names(party: Party, old: str, names: Sequence[str]) -> None:
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
        change_preset(party.preset, old, names)
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise InvalidError(
            say("{old} cannot become {names}: {reason}.", old=old, names=list(names), reason=reason)
        ) from error


def _count(change: ClassChange) -> str:
    return f"{format_count(change.objects, 'object')} of all revisions"


def _rename_in(session: Session, table: type[Object | Query], change: ClassChange) -> int:
    """How many rows have the new name now; each keeps the one it had."""
    entry = f"{change.id}:{change.old_name},"
    return count_changed(
        session,
        update(table)
        .where(table.class_name == change.old_name)
        .values(
            class_name=change.new_names[0],
            former_classes=func.coalesce(table.former_classes, "").concat(entry),
        )
        .execution_options(synchronize_session=False),
    )


def _rewrite_words(session: Session, old: str, new: str) -> None:
    """Where rows list classes: unsure ones, the queue's plan, people's own keys."""
    quoted = json.dumps(old)
    listed = cast(Annotation.unsure_classes, Text).contains(quoted, autoescape=True)
    for row in session.scalars(select(Annotation).where(listed)):
        renamed = (new if name == old else name for name in row.unsure_classes)
        row.unsure_classes = list(dict.fromkeys(renamed))
    for setting in session.scalars(select(LiveSetting).where(LiveSetting.name == "queue")):
        wanted = (new if name == old else name for name in setting.value["wanted_classes"])
        sets = setting.value["first"]
        sets = [
            image_set | {"class": new} if image_set.get("class") == old else image_set
            for image_set in sets
        ]
        first = [image_set for at, image_set in enumerate(sets) if image_set not in sets[:at]]
        setting.value = {"wanted_classes": list(dict.fromkeys(wanted)), "first": first}
    for person in session.scalars(select(Person).where(Person.preferences.is_not(None))):
        text = json.dumps(person.preferences)
        text = text.replace(json.dumps(f"class:{old}"), json.dumps(f"class:{new}"))
        person.preferences = json.loads(text)


def _part_queries(session: Session, old: str, new: str) -> None:
    """Where both classes have a query of the same words, the old one's is told apart by its class.

    Its row stays: photos and collectors at work name it.
    """
    twins = select(Query.source, Query.keyword).where(Query.class_name == new)
    known = set(session.execute(twins).tuples())
    for query in session.scalars(select(Query).where(Query.class_name == old)):
        if (query.source, query.keyword) in known:
            query.keyword = f"{query.keyword[: 196 - len(old)]} ({old})"
    session.flush()


def _follow_looks(session: Session, old: str, new: str) -> None:
    """Judgements of difficult objects hold for what they were about, under its new name."""
    rows = session.execute(
        select(Difficulty, Object.xmin, Object.ymin, Object.xmax, Object.ymax)
        .join(Annotation, Annotation.image_id == Difficulty.image_id)
        .join(Object, Object.annotation_id == Annotation.id)
        .where(Object.object_key == Difficulty.object_key, Object.class_name == old)
    )
    for judgement, *xyxy in rows:
        if judgement.looks_sha256 == describe_looks(old, Box(*xyxy)):
            judgement.looks_sha256 = describe_looks(new, Box(*xyxy))


def _follow_findings(session: Session, old: str, new: str) -> None:
    """Findings that people called wrong stay wrong: they are about the same objects."""
    shows = select(Object.annotation_id).where(Object.class_name == old)
    judged = select(Finding, Image).join(Image, Image.id == Finding.image_id)
    is_wrong = (Finding.verdict == FindingVerdict.WRONG, Image.annotation_id.in_(shows))
    for finding, image in session.execute(judged.where(*is_wrong)):
        before = make_checked_image(image, image.annotation)
        objects = tuple(
            replace(item, class_name=new) if item.class_name == old else item
            for item in before.objects
        )
        was, now = (
            describe_subject(
                image_then,
                next((item for item in image_then.objects if item.key == finding.object_key), None),
            )
            for image_then in (before, replace(before, objects=objects))
        )
        if finding.subject_sha256 == was:
            finding.subject_sha256 = now
