"""What people's answers settle about images, in the classes and groups of today."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from .hierarchy import read_node
from .session import in_parts
from .states import NodeKind
from .tables import PresenceState
from .translating import Heard, load_today, make_translators


def load_settled_nodes(session: Session, image_ids: Collection[int]) -> dict[int, set[Heard]]:
    """By image the classes and groups that its answers settle, and whether it shows them.

    What an earlier plan settled is translated: nothing is claimed of a class that took another in,
    or was split, since people were asked.
    """
    columns = select(PresenceState.image_id, PresenceState.plan_id, PresenceState.settled)
    rows = [
        row
        for some in in_parts(sorted(image_ids))
        for row in session.execute(columns.where(PresenceState.image_id.in_(some))).tuples()
    ]
    translators = make_translators(
        session, load_today(session), {plan_id for _, plan_id, _ in rows}
    )
    return {
        image_id: {
            heard
            for word in ("yes", "no")
            for node in nodes[word]
            for heard in translators[plan_id].translate(Heard(read_node(node), word == "yes"))
        }
        for image_id, plan_id, nodes in rows
    }


def load_settled(session: Session, image_ids: Collection[int]) -> dict[int, dict[str, bool]]:
    """By image the classes that its answers settle, and whether it shows them, by their ids.

    A class that is above none of the answers' questions was not asked for.
    """
    below = load_today(session).classes_below
    settled = dict[int, dict[str, bool]]()
    for image_id, nodes in load_settled_nodes(session, image_ids).items():
        absent = {
            item.key: False for heard in nodes if not heard.is_yes for item in below[heard.node]
        }
        shown = (heard.node for heard in nodes if heard.is_yes)
        present = {node.key: True for node in shown if node.kind is NodeKind.CLASS}
        settled[image_id] = absent | present
    return settled
