"""What comes first in the queue, and which classes are still wanted."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.organise.guidelines import NAME as GUIDELINES
from annotate_ui.organise.live_settings import SettingStaleError, load_number
from annotate_ui.organise.queue_plan import (
    QueuePlan,
    format_first,
    load_plan,
    load_supply,
    save_plan,
)
from annotate_ui.roles import allowed
from annotate_ui.visit import Visit
from catalog.states import Role

from .answers import Json, format_stale_setting
from .schemas import QueuePlanBody, parse_body

blueprint = Blueprint("queue", __name__, url_prefix="/queue")


@blueprint.get("")
@allowed(Role.ORGANISER)
def show_queue(visit: Visit) -> ResponseReturnValue:
    """The plan that holds, and what there is to choose from."""
    supply = load_supply(visit.session)
    classes = [
        {
            "name": name,
            "objects": supply.objects.get(name, 0),
            "waiting": supply.count_waiting(name),
        }
        for name in visit.party.preset.class_names
    ]
    queries = [
        {
            "id": item.query_id,
            "class": item.class_name,
            "keyword": item.keyword,
            "waiting": item.waiting,
        }
        for item in supply.queries
    ]
    plan = _format(load_plan(visit.session))
    return plan | {"supply": {"classes": classes, "queries": queries}}


@blueprint.put("")
@allowed(Role.ORGANISER)
def put_queue(visit: Visit) -> ResponseReturnValue:
    """The new plan; it holds from the next image on that anybody is given."""
    body = parse_body(QueuePlanBody, request.get_data())
    try:
        return _format(save_plan(visit, body))
    except SettingStaleError as error:
        return format_stale_setting(error, _format(load_plan(visit.session)))


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


def _format(plan: QueuePlan) -> Json:
    return {
        "number": plan.number,
        "first": [format_first(item) for item in plan.first],
        "wanted_classes": list(plan.wanted_classes),
    }
