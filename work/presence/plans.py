"""The plan that questions follow: a row with the words, the hierarchy and the frequencies.

Its answers keep the plan, so that they keep the words and the hierarchy of their time. A new row
comes as soon as the preset or the rules change, and when many more images are settled.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.at_rest import rests_in
from catalog.hierarchy import ROOT, Node, read_hierarchy
from catalog.image_store import digest_of
from catalog.party import Party
from catalog.refusals import InvalidError
from catalog.sentences import say
from catalog.states import ImageState, NodeKind
from catalog.tables import Annotation, Image, Object, PresenceState, PresentClass, QuestionPlan

from .rules import Outline, Rules
from .sections import add_sections

ROOT_WORDS = "any object of the classes"
CLASSES_AN_IMAGE = 3.0
"""How many classes an image is taken to show until some are settled, as in VOC and ILSVRC."""
PRIOR_IMAGES = 20
"""What is taken at first weighs as much as so many images."""
RENEWED_AT = 50
"""Frequencies are counted again once so many images are settled, and then at each doubling."""
_FINISHED = (ImageState.ANNOTATED, ImageState.CHECKED, ImageState.RELEASED)


@dataclass(frozen=True)
class Plan:
    """A row of QuestionPlan, read; `digest` is the same for plans that differ in frequencies."""

    id: int
    digest: str
    outline: Outline
    rules: Rules
    words: Mapping[Node, str]


def get_plan(session: Session, party: Party, at: datetime) -> Plan:
    """The plan of the party's preset and settings; a new one where the newest is of others."""
    digest = _digest(party)
    newest = session.scalar(select(QuestionPlan).order_by(QuestionPlan.id.desc()).limit(1))
    if newest is None or newest.digest != digest:
        newest = _add_plan(session, _describe(party), digest, at)
    return read_plan(newest)


def renew_plan(session: Session, party: Party, at: datetime) -> Plan:
    """The plan with the frequencies of today; the newest one where they are the same."""
    plan = get_plan(session, party, at)
    wanted = _describe(party)
    row = session.get_one(QuestionPlan, plan.id)
    renewed, _ = _add_frequencies(session, wanted)
    if renewed["classes"] == row.body["classes"]:
        return plan
    return read_plan(_add_plan(session, wanted, plan.digest, at))


def is_outdated(session: Session, plan: Plan) -> bool:
    """Whether so many more images are settled that the frequencies should be counted again."""
    counted = session.get_one(QuestionPlan, plan.id).images
    settled = select(func.count()).where(PresenceState.next_kind.is_(None))
    return (session.scalar(settled) or 0) >= max(RENEWED_AT, 2 * counted)


def load_plan(session: Session, plan_id: int) -> Plan:
    """The plan of an id, as a page names it; raises InvalidError where there is none."""
    row = session.get(QuestionPlan, plan_id)
    if row is None:
        raise InvalidError(say("This page is of another party. Reload the page."), field="plan")
    return read_plan(row)


def load_newest(session: Session) -> Plan | None:
    """The plan that holds; None where nothing was asked yet."""
    row = session.scalar(select(QuestionPlan).order_by(QuestionPlan.id.desc()).limit(1))
    return read_plan(row) if row else None


def read_plan(row: QuestionPlan) -> Plan:
    """The plan of a row, whose body is read once in a process."""
    plan = _READ.get(row.body_sha256)
    if plan is None:
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        plan = _READ[row.body_sha256] = _read_body(row.body)
    return replace(plan, id=row.id, digest=row.digest)


_READ = dict[str, Plan]()
_MOST_READ = 16


def _read_body(body: Mapping[str, Any]) -> Plan:
    classes = {item["key"]: item for item in body["classes"]}
    groups = {item["key"]: item for item in body["groups"]}
    hierarchy = read_hierarchy(body)
    of_kinds = ((NodeKind.CLASS, classes), (NodeKind.GROUP, groups))
    words = {
        Node(kind, key): item["words"] for kind, items in of_kinds for key, item in items.items()
    }
    frequencies = {Node(NodeKind.CLASS, key): item["frequency"] for key, item in classes.items()}
    rules = dict(body["rules"])
    agree_of = {Node(NodeKind.CLASS, key): n for key, n in rules.pop("agree_of").items()}
    return Plan(
        id=0,
        digest="",
        outline=Outline(hierarchy, frequencies),
        rules=Rules(agree_of=agree_of, **rules),
        words={ROOT: ROOT_WORDS, **words},
    )


def make_rules(party: Party) -> Rules:
    """The rules of party.toml; in the presence pass alone, one person's word holds."""
    return read_rules(party) if party.settings.questions.on else Rules(agree=1)


def read_rules(party: Party) -> Rules:
    """The rules of party.toml, whether or not questions are on."""
    settings = party.settings.questions
    named = ((party.find_class(word), count) for word, count in settings.agree_by_class.items())
    return Rules(
        agree=settings.agree,
        agree_of={Node(NodeKind.CLASS, spec.key): count for spec, count in named if spec},
        confidence=settings.confidence,
        wrong_share=settings.wrong_share,
    )


def _describe(party: Party) -> dict[str, Any]:
    """The plan's body without frequencies."""
    return {**add_sections(party.preset.questions), "rules": _describe_rules(party)}


def _describe_rules(party: Party) -> dict[str, Any]:
    rules = make_rules(party)
    return {
        "agree": rules.agree,
        "agree_of": {node.key: count for node, count in rules.agree_of.items()},
        "confidence": rules.confidence,
        "wrong_share": rules.wrong_share,
    }


def _digest(party: Party) -> str:
    rules = json.dumps(_describe_rules(party), sort_keys=True)
    return digest_of(f"{party.preset.questions_sha256} {rules}".encode())


def _add_plan(session: Session, body: dict[str, Any], digest: str, at: datetime) -> QuestionPlan:
    counted, images = _add_frequencies(session, body)
    row = QuestionPlan(
        made_at=at,
        digest=digest,
        body_sha256=digest_of(json.dumps(counted, sort_keys=True).encode()),
        images=images,
        body=counted,
    )
    session.add(row)
    session.flush()
    return row


def _add_frequencies(session: Session, body: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """The body with the share of the images that show each class, and how many are settled."""
    settled, annotated = _count_images(session)
    shown = _count_shown(session)
    total = settled + annotated
    first = min(CLASSES_AN_IMAGE / len(body["classes"]), 0.5)
    classes = [
        {
            **item,
            "frequency": round(
                (shown[item["key"]] + first * PRIOR_IMAGES) / (total + PRIOR_IMAGES), 6
            ),
        }
        for item in body["classes"]
    ]
    return {**body, "classes": classes}, settled


def _count_images(session: Session) -> tuple[int, int]:
    """How many images are settled, and how many others are annotated."""
    settled = select(func.count()).where(PresenceState.next_kind.is_(None))
    known = select(PresenceState.image_id).where(PresenceState.next_kind.is_(None))
    annotated = select(func.count(Image.id)).where(rests_in(_FINISHED), Image.id.not_in(known))
    return session.scalar(settled) or 0, session.scalar(annotated) or 0


def _count_shown(session: Session) -> Counter[str]:
    """How many of these images show each class, by its id."""
    known = select(PresenceState.image_id).where(PresenceState.next_kind.is_(None))
    of_settled = (
        select(PresentClass.class_id, func.count())
        .where(PresentClass.image_id.in_(known))
        .group_by(PresentClass.class_id)
    )
    of_annotated = (
        select(Object.class_today.label("class_id"), func.count(Annotation.image_id.distinct()))
        .join(Annotation, Annotation.id == Object.annotation_id)
        .join(Image, Image.annotation_id == Annotation.id)
        .where(rests_in(_FINISHED), Image.id.not_in(known))
        .group_by("class_id")
    )
    shown = Counter[str]()
    for chosen in (of_settled, of_annotated):
        for class_id, count in session.execute(chosen).tuples():
            shown[class_id] += count
    return shown
