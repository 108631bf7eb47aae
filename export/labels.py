"""Labels of a release: which classes and groups its images show, who said so, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.hierarchy import read_node
from catalog.session import in_parts
from catalog.tables import PresenceState
from catalog.translating import Heard, Translator
from vockit.foreign.parquet_tables import write_table

from .answers import AnswerRow, make_today
from .plan import ReleasePlan

LABELS = "data/labels.parquet"
_SCHEMA = pa.schema(
    [
        pa.field("image_id", pa.string()),
        pa.field("set", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("name", pa.string()),
        pa.field("words", pa.string()),
        pa.field("is_present", pa.bool_()),
        pa.field("people", pa.list_(pa.string())),
        pa.field("answered_at", pa.list_(pa.timestamp("s", "UTC"))),
        pa.field("against", pa.int32()),
    ]
)


def record_settled(session: Session, plan: ReleasePlan) -> ReleasePlan:
    """The plan that records what the answers about its images settle, by public id.

    An image whose state is of an earlier plan is told in the classes and groups of today.
    """
    public_ids = {image.row.id: image.public_id for image in plan.images if image.row.answers}
    columns = select(PresenceState.image_id, PresenceState.plan_id, PresenceState.settled)
    rows = [
        row
        for some in in_parts(sorted(public_ids))
        for row in session.execute(
            columns.where(PresenceState.image_id.in_(some)).order_by(PresenceState.image_id)
        ).tuples()
    ]
    translators = make_today(session, {plan_id for _, plan_id, _ in rows})
    settled = {
        public_ids[image_id]: _translate(translators[plan_id], nodes)
        for image_id, plan_id, nodes in rows
    }
    return replace(plan, notes=replace(plan.notes, settled=settled)) if settled else plan


def _translate(translator: Translator, nodes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {
        word: sorted(
            {
                heard.node.word
                for node in nodes[word]
                for heard in translator.translate(Heard(read_node(node), word == "yes"))
            }
        )
        for word in ("yes", "no")
    }


def iterate_labels(plan: ReleasePlan) -> Iterator[dict[str, Any]]:
    """A label for each question that is settled by answers about an image whose boxes are shown.

    A group that is present only because a class of it is has no label of its own.
    """
    for image in plan.annotated:
        nodes = plan.notes.settled.get(image.public_id, {})
        for is_present, word in ((True, "yes"), (False, "no")):
            for node in nodes.get(word, ()):
                answers = _list_answers(image.row.answers, node)
                agreeing = [answer for answer in answers if answer.is_yes is is_present]
                if agreeing:
                    yield {
                        "image_id": image.public_id,
                        "set": image.split.value,
                        "kind": node.partition(":")[0],
                        "name": agreeing[0].says[node],
                        "words": agreeing[-1].words,
                        "is_present": is_present,
                        "people": [answer.person for answer in agreeing],
                        "answered_at": [answer.answered_at for answer in agreeing],
                        "against": len(answers) - len(agreeing),
                    }


def _list_answers(answers: Sequence[AnswerRow], node: str) -> list[AnswerRow]:
    """The answers that say something of a node, each person's newest."""
    return list({answer.person: answer for answer in answers if node in answer.says}.values())


def format_labels(plan: ReleasePlan) -> bytes:
    """The Parquet file of all labels; empty where nobody answered a question."""
    rows = list(iterate_labels(plan))
    return write_table(rows, _SCHEMA) if rows else b""
