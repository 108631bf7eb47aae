"""Whether what questions settled of each image is what its answers say, computed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.session import in_parts
from catalog.tables import PresenceState, PresentClass, QuestionPlan
from vockit.report.comparison import Compared, compare
from work.presence.plans import read_plan
from work.presence.settling import list_classes
from work.presence.states import compute_outcomes, describe_settled

_AT_ONCE = 1_000


def compare_settled(session: Session) -> Compared:
    """The images that questions were asked about, each with the outcome of its answers.

    Which question comes next is not compared: it follows suggestions that come and go.
    """
    outcomes = list[tuple[str, bool]]()
    for plan_id in session.scalars(select(PresenceState.plan_id).distinct()).all():
        outcomes += _compare_plan(session, plan_id)
    return compare("image", outcomes, is_right="settled as answered", is_wrong="not")


def _compare_plan(session: Session, plan_id: int) -> Iterator[tuple[str, bool]]:
    plan = read_plan(session.get_one(QuestionPlan, plan_id))
    of_plan = select(PresenceState).where(PresenceState.plan_id == plan_id)
    rows = {row.image_id: row for row in session.scalars(of_plan.order_by(PresenceState.image_id))}
    for some in in_parts(list(rows), _AT_ONCE):
        present = _load_present(session, some)
        for image_id, outcome in compute_outcomes(session, plan, some).items():
            row = rows[image_id]
            classes = {node.key for node in list_classes(plan.outline, outcome.settled.present)}
            is_right = (
                row.settled == describe_settled(outcome.settled)
                and row.answers == outcome.answers
                and (row.next_kind is None) is (outcome.next_node is None)
                and present[image_id] == classes
            )
            yield f"image {image_id}: its answers settle something else", is_right


def _load_present(session: Session, image_ids: list[int]) -> defaultdict[int, set[str]]:
    present = defaultdict[int, set[str]](set)
    rows = select(PresentClass.image_id, PresentClass.class_id)
    for image_id, class_id in session.execute(rows.where(PresentClass.image_id.in_(image_ids))):
        present[image_id].add(class_id)
    return present
