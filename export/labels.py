"""Labels of a release: which classes and groups its images show, who said so, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from sqlalchemy.orm import Session

from catalog.settled import load_settled_nodes
from vockit.foreign.parquet_tables import write_table

from .answers import AnswerRow
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
    """The plan that records what the answers about its images settle, by public id."""
    public_ids = {image.row.id: image.public_id for image in plan.images if image.row.answers}
    settled = {
        public_ids[image_id]: {
            word: sorted(heard.node.word for heard in nodes if heard.is_yes is is_yes)
            for word, is_yes in (("yes", True), ("no", False))
        }
        for image_id, nodes in load_settled_nodes(session, public_ids).items()
    }
    return replace(plan, notes=replace(plan.notes, settled=settled)) if settled else plan


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
