"""Whether the rows keep the party's own rules: one newest revision, one holder, right counts.

These checks repair nothing, because only a person can tell which of two rows is wrong. The board
has a button for a stuck image, which settles it by its revisions and verdicts (work/stuck.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Column, DateTime, Select, Text, cast, exists, func, select
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
    StuckImage,
    Word,
)
from catalog.tables.base import UtcDateTime
from vockit.report.comparison import Compared, Outcome, compare
from work.stuck import CONTRADICTIONS

MAY_BE_AHEAD = frozenset({"expires_at", "claimed_until_at", "until_at"})
"""Times at which something ends: they may lie in the future."""
OF_OTHERS = frozenset({"uploaded_at", "window_start_at", "window_end_at"})
"""Times that a source or a search gives: they are not from our clock."""
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


def compare_counts(session: Session) -> Compared:
    """Whether stored counts are right: objects of each revision, people of each party code."""
    numbers = select(Object.annotation_id, func.count(), func.max(Object.number))
    outcomes: list[tuple[str, Outcome]] = [
        (f"objects of revision {revision_id}: {count} of {highest}", count == highest)
        for revision_id, count, highest in session.execute(numbers.group_by(Object.annotation_id))
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
        (WordKind.CLASS, Presence.class_id),
        (WordKind.VIEW, Object.view),
        (WordKind.PART, Part.word),
    ):
        counted = select(column, func.count()).where(column != "").group_by(column)
        for key, count in session.execute(counted).tuples():
            rows[kind, key] += count
    actions = cast(Object.actions, Text)
    for text, count in session.execute(select(actions, func.count()).group_by(actions)).tuples():
        keys = json.loads(text)
        for key in keys if isinstance(keys, list) else [text]:
            rows[WordKind.ACTION, str(key)] += count
    return rows


def compare_times(session: Session, now: datetime) -> tuple[Compared, float]:
    """The kinds of times, each compared with the clock, and how many seconds the furthest is ahead.

    Times by which something ends are left out, and those that a source names.
    """
    outcomes: list[tuple[str, Outcome]] = []
    furthest_secs = 0.0
    for table in Base.metadata.sorted_tables:
        columns = [column for column in table.columns if _is_of_the_past(column)]
        if not columns:
            continue
        newest = session.execute(select(*(func.max(column) for column in columns))).one()
        for column, newest_at in zip(columns, newest, strict=True):
            if newest_at is None:
                continue  # no row has one, so nothing is compared
            ahead_secs = (newest_at - now).total_seconds()
            furthest_secs = max(furthest_secs, ahead_secs)
            outcomes.append((f"{table.name}.{column.name}", ahead_secs <= CLOCK_SECS))
    times = compare("date field", outcomes, is_right="of the past", is_wrong="of the future")
    return times, furthest_secs


def _is_of_the_past(column: Column[datetime]) -> bool:
    is_time = isinstance(column.type, DateTime | UtcDateTime)
    return is_time and column.name not in MAY_BE_AHEAD | OF_OTHERS


def _list_faults(session: Session) -> Iterator[tuple[int, str]]:
    """Each image whose rows contradict one another, and how."""
    foreign = (
        select(Image.id, Annotation.id, Annotation.image_id)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .where(Annotation.image_id != Image.id)
    )
    for image_id, revision_id, other_id in session.execute(foreign):
        yield image_id, f"its newest revision, {revision_id}, is of image {other_id}"
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
