"""What the answers about images settle, kept as rows that pages and releases find quickly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from catalog.hierarchy import Node
from catalog.session import in_parts
from catalog.states import NodeKind
from catalog.suggested import stands
from catalog.tables import (
    Image,
    Photo,
    Presence,
    PresenceState,
    PresentClass,
    Query,
    Suggestion,
    SuggestionSet,
)
from catalog.tables.words import find_class_today
from catalog.translating import Heard, make_translators

from .beliefs import Beliefs
from .planning import find_next
from .plans import Plan
from .settling import Settled, list_classes, settle

LIKELY_OF_QUERY = 0.5
"""The chance that a picture shows the class of a query that found it: VOC kept about a half."""
MOST_LIKELY_OF_BOX = 0.9
"""The chance that it shows a class of which a box is suggested is at most this."""


@dataclass(frozen=True)
class Outcome:
    """What the answers about an image settle, and which question comes next."""

    settled: Settled
    next_node: Node | None
    answers: int

    @property
    def is_empty(self) -> bool:
        """Whether people agree that the image shows no class at all."""
        return self.next_node is None and not self.settled.present


def compute(plan: Plan, answers: Sequence[Heard], likely: Mapping[Node, float]) -> Outcome:
    """The outcome of the answers about one image, in the order in which they came."""
    wrong_share = plan.rules.wrong_share
    said_alone = Beliefs(plan.outline, answers, wrong_share, {})  # a hint settles nothing
    settled = settle(plan.outline, plan.rules, answers, said_alone)
    beliefs = Beliefs(plan.outline, answers, wrong_share, likely) if likely else said_alone
    next_node = find_next(plan.outline, plan.rules, answers, beliefs, settled, likely)
    return Outcome(settled, next_node, len(answers))


def refresh_states(session: Session, plan: Plan, image_ids: Collection[int]) -> dict[int, Outcome]:
    """The outcomes of the images by the plan, stored; of images with neither row nor answer too."""
    outcomes = dict[int, Outcome]()
    for some in in_parts(sorted(image_ids), 500):
        outcomes |= _refresh_some(session, plan, some)
    return outcomes


def _refresh_some(session: Session, plan: Plan, image_ids: Sequence[int]) -> dict[int, Outcome]:
    outcomes = compute_outcomes(session, plan, image_ids)
    places = dict(
        session.execute(select(Image.id, Image.sha256).where(Image.id.in_(image_ids)))
        .tuples()
        .all()
    )
    rows = {
        row.image_id: row
        for row in session.scalars(
            select(PresenceState).where(PresenceState.image_id.in_(image_ids))
        )
    }
    for image_id, outcome in outcomes.items():
        row = rows.get(image_id)
        if row is None:
            row = PresenceState(image_id=image_id, place=places[image_id])
            session.add(row)
        row.plan_id = plan.id
        row.next_kind = outcome.next_node.kind if outcome.next_node else None
        row.next_key = outcome.next_node.key if outcome.next_node else None
        row.settled = describe_settled(outcome.settled)
        row.answers = outcome.answers
    session.flush()
    _follow_classes(session, plan, outcomes)
    return outcomes


def describe_settled(settled: Settled) -> dict[str, list[str]]:
    """What is settled, as a row has it."""
    return {
        "yes": sorted(node.word for node in settled.yes),
        "no": sorted(node.word for node in settled.no),
    }


def compute_outcomes(session: Session, plan: Plan, image_ids: Sequence[int]) -> dict[int, Outcome]:
    """The outcomes of images by a plan, without storing them."""
    answers = load_answers_of(session, plan, image_ids)
    likely = load_likely(session, plan, image_ids)
    return {
        image_id: compute(plan, [heard for _, heard in answers[image_id]], likely.get(image_id, {}))
        for image_id in image_ids
    }


def _follow_classes(session: Session, plan: Plan, outcomes: Mapping[int, Outcome]) -> None:
    """Let the rows of PresentClass be those of the outcomes."""
    rows = defaultdict[int, set[str]](set)
    kept = select(PresentClass.image_id, PresentClass.class_id)
    for image_id, class_id in session.execute(kept.where(PresentClass.image_id.in_(outcomes))):
        rows[image_id].add(class_id)
    answered = _load_times(session, outcomes)
    for image_id, outcome in outcomes.items():
        present = {node.key for node in list_classes(plan.outline, outcome.settled.present)}
        gone = rows[image_id] - present
        if gone:
            session.execute(
                delete(PresentClass).where(
                    PresentClass.image_id == image_id, PresentClass.class_id.in_(gone)
                )
            )
        session.add_all(
            PresentClass(image_id=image_id, class_id=key, settled_at=answered[image_id])
            for key in sorted(present - rows[image_id])
        )
    session.flush()


def _load_times(session: Session, image_ids: Collection[int]) -> dict[int, datetime]:
    """When the last answer about each image was given."""
    times = dict[int, datetime]()
    chosen = select(Presence.image_id, Presence.judged_at).where(
        Presence.image_id.in_(image_ids), *counts()
    )
    for image_id, judged_at in session.execute(chosen.order_by(Presence.id)):
        times[image_id] = judged_at
    return times


def counts() -> tuple[ColumnElement[bool], ...]:
    """The conditions of an answer that counts: it stands, and is not about a gold image."""
    return Presence.set_aside_at.is_(None), Presence.known.is_(None)


def load_answers_of(
    session: Session, plan: Plan, image_ids: Collection[int]
) -> Mapping[int, Sequence[tuple[int, Heard]]]:
    """Who said what about each image in today's nodes, in the order in which they came.

    A person counts once for each node, by the newest word: two classes that became one, or a group
    and a class of it, let somebody speak twice.
    """
    chosen = (
        select(
            Presence.image_id,
            Presence.person_id,
            Presence.plan_id,
            Presence.kind,
            Presence.key,
            Presence.is_yes,
        )
        .where(Presence.image_id.in_(image_ids), *counts())
        .order_by(Presence.id)
    )
    rows = session.execute(chosen).tuples().all()
    translators = make_translators(session, plan.outline.hierarchy, {row[2] for row in rows})
    said = defaultdict[int, dict[tuple[int, Node], Heard]](dict)
    for image_id, person_id, plan_id, kind, key, is_yes in rows:
        for heard in translators[plan_id].translate(Heard(Node(kind, key), is_yes)):
            said[image_id].pop((person_id, heard.node), None)  # the newest word comes last
            said[image_id][person_id, heard.node] = heard
    return {
        image_id: [(person_id, heard) for (person_id, _), heard in said[image_id].items()]
        for image_id in image_ids
    }


def load_likely(
    session: Session, plan: Plan, image_ids: Sequence[int]
) -> dict[int, dict[Node, float]]:
    """The chances of the classes of queries that found images, and of boxes suggested there."""
    likely = defaultdict[int, dict[Node, float]](dict)
    for image_id, class_id, chance in _list_hints(session, image_ids):
        node = Node(NodeKind.CLASS, class_id)
        if node in plan.outline.order:
            before = max(likely[image_id].get(node, 0.0), plan.outline.frequencies[node])
            likely[image_id][node] = max(before, chance)
    return likely


def _list_hints(session: Session, image_ids: Sequence[int]) -> Iterator[tuple[int, str, float]]:
    of_queries = (
        select(Photo.image_id, find_class_today(Query.class_id))
        .join(Query, Query.id == Photo.query_id)
        .where(Photo.image_id.in_(image_ids), Query.class_id.is_not(None))
        .distinct()
    )
    for image_id, class_id in session.execute(of_queries).tuples():
        if image_id is not None:
            yield image_id, class_id, LIKELY_OF_QUERY
    of_boxes = (
        select(
            Suggestion.image_id,
            Suggestion.class_today.label("class_id"),
            func.max(Suggestion.confidence),
        )
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(Suggestion.image_id.in_(image_ids), SuggestionSet.is_shown, stands())
        .group_by(Suggestion.image_id, "class_id")
    )
    for image_id, class_id, confidence in session.execute(of_boxes).tuples():
        yield image_id, class_id, min(confidence, MOST_LIKELY_OF_BOX)
