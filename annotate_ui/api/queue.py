"""What comes first in the queue, and which classes are still wanted."""

from __future__ import annotations

from annotate_ui.organise.live_settings import load_number
from annotate_ui.organise.queue_plan import (
    QueuePlanBody,
    format_plan,
    load_plan,
    load_supply,
    save_plan,
)
from annotate_ui.visit import Visit

from .answers import Json, save_or_head
from .guidelines import NAME as GUIDELINES
from .schemas import Reply, Routes

blueprint = Routes("queue", __name__, url_prefix="/queue")


@blueprint.on_get("")
def show_queue(visit: Visit) -> Reply:
    """The plan that holds, and what there is to choose from."""
    return format_plan(load_plan(visit.session)) | {"supply": load_supply(visit)}


@blueprint.on_put("")
def put_queue(visit: Visit, body: QueuePlanBody) -> Reply:
    """The new plan; it holds from the next image on that anybody is given."""
    return save_or_head(
        lambda: format_plan(save_plan(visit, body)), lambda: format_plan(load_plan(visit.session))
    )


def format_live(visit: Visit) -> Json:
    """What may have changed since the page was opened.

    The classes that are wanted (none: all of them), and the numbers of the guidelines' version and
    of the newest change of classes.
    """
    return {
        "wanted_classes": list(load_plan(visit.session).wanted_classes),
        "guidelines_number": load_number(visit.session, GUIDELINES),
        "classes_number": visit.party.classes_number,
    }
