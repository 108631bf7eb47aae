"""What comes first in the queue, and which classes are still wanted."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.answers import Json
from annotate_ui.live_settings import SettingStaleError
from annotate_ui.queue_plan import QueuePlan, format_first, load_plan, save_plan
from annotate_ui.queue_supply import load_supply
from annotate_ui.roles import allowed
from annotate_ui.schemas import QueuePlanBody, parse_body
from annotate_ui.visit import Visit
from catalog.states import Role

from .conflicts import format_stale_setting

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


def _format(plan: QueuePlan) -> Json:
    return {
        "number": plan.number,
        "first": [format_first(item) for item in plan.first],
        "wanted_classes": list(plan.wanted_classes),
    }
