"""Whether the rows keep the party's own rules: one newest revision, one holder, right counts.

These checks repair nothing, because only a person can tell which of two rows is wrong. The board
has a button for a stuck image, which settles it by its revisions and verdicts (work/stuck.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import Column, DateTime, Select, Text, and_, cast, exists, func, or_, select, text
from sqlalchemy.orm import Session, aliased

from catalog.decisions import list_wrong_states
from catalog.states import View, WordKind
from catalog.tables import (
    Annotation,
    Base,
    Image,
    Invitation,
    Object,
    Part,
    Person,
    Presence,
    Query,
    Question,
    StuckImage,
    Suggestion,
    Word,
)
from catalog.tables.base import UtcDateTime
from catalog.tables.people import describe_look
from collect.pauses import CLOCKS_DIFFER, LONGEST_ASKED_SECS
from vockit.report.comparison import Compared, Outcome, compare
from work.stuck import CONTRADICTIONS

MAY_BE_AHEAD = frozenset({"expires_at", "claimed_until_at", "until_at"})
"""Times at which something ends: they may lie in the future."""
LONGEST_AHEAD = {"host_pause.until_at": timedelta(seconds=LONGEST_ASKED_SECS) + CLOCKS_DIFFER}
"""How far such times lie in the future at most, where that is known; those are compared, too."""
OF_OTHERS = frozenset({"uploaded_at", "window_start_at", "window_end_at"})
"""Times that a source or a search gives: they are not from our clock."""
_INDEX_NAMES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'index'",
    "postgresql": "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()",
}
CLOCK_SECS = 5


def compare_images(session: Session) -> Compared:
    """Whether the state, newest revision and lease of each image agree."""
    faults: dict[int, str] = {}
    for image_id, reason in _list_faults(session):
        faults.setdefault(image_id, reason)
    total = session.scalar(select(func.count()).select_from(Image)) or 0
    return Compared(
        what="image",
        equal=total - len(faults),
        different=tuple(f"image {image_id}: {faults[image_id]}" for image_id in sorted(faults)),
        is_right="in one state with one newest revision",
        is_wrong="not",
    )


def compare_indexes(session: Session) -> Compared:
    """Whether the catalogue has each index, some of which keep two people from one image."""
    query = _INDEX_NAMES[session.get_bind().dialect.name]
    has = set(session.scalars(text(query)))
    wanted = (index.name for table in Base.metadata.sorted_tables for index in table.indexes)
    outcomes = [(str(name), name in has) for name in sorted(map(str, wanted))]
    return compare("index", outcomes, is_right="there", is_wrong="missing", many="indexes")


def compare_people(session: Session) -> Compared:
    """Whether each name is kept as it looks, by which no second person gets one that looks so."""
    outcomes = [
        (f"person {person_id}", key == describe_look(name))
        for person_id, name, key in session.execute(
            select(Person.id, Person.name, Person.name_key).order_by(Person.id)
        )
    ]
    return compare("name", outcomes, is_right="kept as it looks", is_wrong="otherwise")


def compare_counts(session: Session) -> Compared:
    """Whether stored counts are right: objects, their parts, and people of each party code."""
    outcomes: list[tuple[str, Outcome]] = []
    for words, owner, number in (
        ("objects of revision", Object.annotation_id, Object.number),
        ("parts of object", Part.object_id, Part.number),
    ):
        numbers = select(owner, func.count(), func.max(number)).group_by(owner)
        outcomes += [
            (f"{words} {owner_id}: {count} of {highest}", count == highest)
            for owner_id, count, highest in session.execute(numbers)
        ]
    came = select(func.count()).where(Person.invitation_id == Invitation.id).scalar_subquery()
    for code, noted, people in session.execute(select(Invitation.id, Invitation.people, came)):
        outcomes.append(
            (f"people of party code {code}: {noted} noted, {people} came", noted == people)
        )
    return compare("count", outcomes, is_right="that of the rows", is_wrong="off")


def compare_words(session: Session) -> Compared:
    """The classes, views, parts and actions that rows refer to, and whether they have rows.

    VOC's views need none: a tree of another party may have them.
    """
    known = set(session.execute(select(Word.kind, Word.key)).tuples())
    known |= {(WordKind.VIEW, view.value) for view in View}
    outcomes = [
        (f"{kind} {key} of {count:,} rows", (kind, key) in known)
        for (kind, key), count in sorted(_count_words(session).items())
    ]
    return compare("word id", outcomes, is_right="there", is_wrong="missing")


def _count_words(session: Session) -> Counter[tuple[WordKind, str]]:
    """How many rows refer to each word, by its kind and id."""
    rows: Counter[tuple[WordKind, str]] = Counter()
    for kind, column in (
        (WordKind.CLASS, Object.class_id),
        (WordKind.CLASS, Query.class_id),
        (WordKind.CLASS, Suggestion.class_id),
        (WordKind.CLASS, Question.class_id),
        (WordKind.VIEW, Object.view),
        (WordKind.PART, Part.word),
    ):
        counted = select(column, func.count()).where(column != "").group_by(column)
        for key, count in session.execute(counted).tuples():
            rows[kind, key] += count
    asked = select(Presence.kind, Presence.key, func.count()).where(Presence.key != "")
    for node_kind, key, count in session.execute(
        asked.group_by(Presence.kind, Presence.key)
    ).tuples():
        rows[WordKind(node_kind), key] += count
    actions = cast(Object.actions, Text)
    for names, count in session.execute(select(actions, func.count()).group_by(actions)).tuples():
        keys = json.loads(names)
        for key in keys if isinstance(keys, list) else [names]:
            rows[WordKind.ACTION, str(key)] += count
    return rows


def compare_times(session: Session, now: datetime) -> tuple[Compared, float]:
    """The kinds of times, each compared with the clock, and how many seconds the furthest is ahead.

    Times by which something ends are left out, but for those of LONGEST_AHEAD, and those that a
    source names.
    """
    outcomes: list[tuple[str, Outcome]] = []
    furthest_secs = 0.0
    for table in Base.metadata.sorted_tables:
        columns = [column for column in table.columns if _is_compared(column)]
        if not columns:
            continue
        newest = session.execute(select(*(func.max(column) for column in columns))).one()
        for column, newest_at in zip(columns, newest, strict=True):
            if newest_at is None:
                continue  # no row has one, so nothing is compared
            latest = now + LONGEST_AHEAD.get(f"{table.name}.{column.name}", timedelta())
            ahead_secs = (newest_at - latest).total_seconds()
            furthest_secs = max(furthest_secs, ahead_secs)
            outcomes.append((f"{table.name}.{column.name}", ahead_secs <= CLOCK_SECS))
    times = compare(
        "date field", outcomes, is_right="possible by this clock", is_wrong="of the future"
    )
    return times, furthest_secs


def _is_compared(column: Column[datetime]) -> bool:
    is_time = isinstance(column.type, DateTime | UtcDateTime)
    is_known = str(column) in LONGEST_AHEAD
    return is_time and (is_known or column.name not in MAY_BE_AHEAD | OF_OTHERS)


def _list_faults(session: Session) -> Iterator[tuple[int, str]]:
    """Each image whose rows contradict one another, and how."""
    foreign = (
        select(Image.id, Annotation.id, Annotation.image_id)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .where(Annotation.image_id != Image.id)
    )
    for image_id, revision_id, other_id in session.execute(foreign):
        yield image_id, f"its newest revision, {revision_id}, is of image {other_id}"
    yield from _list_wrong_revisions(session)
    for condition, reason in CONTRADICTIONS:
        for image_id in session.scalars(select(Image.id).where(condition)):
            yield image_id, reason
    for wrong in list_wrong_states(session):
        expected = wrong.expected.words
        yield wrong.image_id, f"it is {wrong.state.words}; by what was decided it is {expected}"
    child = aliased(Annotation)
    has_child = exists().where(child.parent_id == Annotation.id, child.is_stale.is_(False))
    heads = (
        select(Annotation.image_id, func.count())
        .where(Annotation.is_stale.is_(False), ~has_child, Annotation.id.not_in(_list_bridged()))
        .group_by(Annotation.image_id)
        .having(func.count() > 1)
    )
    for image_id, count in session.execute(heads):
        yield image_id, f"it has {count} newest revisions"
    stuck = select(StuckImage.image_id, StuckImage.reason).order_by(StuckImage.image_id)
    for image_id, reason in session.execute(stuck):
        yield image_id, reason


def _list_wrong_revisions(session: Session) -> Iterator[tuple[int, str]]:
    """Each image of which a revision cannot be as it is: by its parent, its keys or its boxes."""
    parent = aliased(Annotation)
    is_wrong = or_(parent.image_id != Annotation.image_id, parent.id >= Annotation.id)
    strange = (
        select(Annotation.image_id, Annotation.id, parent.id)
        .join(parent, parent.id == Annotation.parent_id)
        .where(is_wrong)
    )
    for image_id, revision_id, parent_id in session.execute(strange):
        yield image_id, f"revision {revision_id} cannot have been made from revision {parent_id}"
    twice = (
        select(Annotation.image_id, Annotation.id, Object.object_key)
        .join(Object, Object.annotation_id == Annotation.id)
        .group_by(Annotation.image_id, Annotation.id, Object.object_key)
        .having(func.count() > 1)
    )
    for image_id, revision_id, key in session.execute(twice):
        yield image_id, f"revision {revision_id} has the object {key} twice"
    is_inside = and_(
        Object.xmin.between(1, Object.xmax),
        Object.ymin.between(1, Object.ymax),
        Object.xmax <= Image.width,
        Object.ymax <= Image.height,
    )
    outside = (
        select(Image.id, Object.object_key, Object.annotation_id)
        .join(Annotation, Annotation.image_id == Image.id)
        .join(Object, Object.annotation_id == Annotation.id)
        .where(~is_inside)
    )
    for image_id, key, revision_id in session.execute(outside):
        yield image_id, f"the box of object {key} of revision {revision_id} is not in the picture"


def _list_bridged() -> Select[tuple[int | None]]:
    """The revisions that a later one was made from, with only undone ones between the two."""
    undone = aliased(Annotation)
    above = aliased(Annotation)
    between = (
        select(undone.id, undone.parent_id)
        .join(Annotation, Annotation.parent_id == undone.id)
        .where(Annotation.is_stale.is_(False), undone.set_aside_at.is_not(None))
        .cte(recursive=True)
    )
    further = select(above.id, above.parent_id).join(between, between.c.parent_id == above.id)
    chain = between.union(further.where(above.set_aside_at.is_not(None)))
    return select(chain.c.parent_id).where(chain.c.parent_id.is_not(None))
