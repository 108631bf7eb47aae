"""The queue's plan: which images come first, which classes are wanted, and what there is."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field
from sqlalchemy import func, select

from catalog.class_changes import name_today
from catalog.refusals import expect_one_of, refuse
from catalog.states import ImageState
from catalog.stats import load_party_counts
from catalog.tables import Image, Photo, Query
from work import live_settings
from work.queue_plan import NAME, FirstSet, QueuePlan, load_plan, read_plan
from work.rules import check_words
from work.visit import Visit

from .answers import Json, save_or_head
from .guidelines import NAME as GUIDELINES
from .schemas import Base, Reply, Routes, shape

blueprint = Routes(NAME, __name__, url_prefix="/queue")


FirstSets = Annotated[tuple[FirstSet, ...], Field(max_length=50)]
Supply = shape(
    "Supply: what there is to choose from: objects so far, and images of its queries in the pool.",
    classes=[shape("ClassSupply", name=str, objects=int, waiting=int)],
    queries=[shape("QuerySupply", id=int, class_=str, keyword=str, waiting=int)],
)
Plan = shape("Plan: the plan that holds.", number=int, first=[FirstSet], wanted_classes=list[str])
PlanPage = shape("PlanPage: with what there is.", Plan, supply=Supply)


@blueprint.on_get("", told=PlanPage)
def show_queue(visit: Visit) -> Reply:
    """The plan that holds, and what there is to choose from."""
    waiting = func.count(Image.id.distinct()).label("waiting")
    rows = visit.session.execute(
        select(Query.id, Query.class_name.label("class"), Query.keyword, waiting)
        .join(Photo, Photo.query_id == Query.id)
        .join(Image, Photo.image_id == Image.id)
        .where(Image.state == ImageState.POOL)
        .group_by(Query.id, Query.class_name, Query.keyword)
        .order_by(waiting.desc(), Query.id)
    )
    queries = [dict(row) for row in rows.mappings()]
    of_class = Counter[str]()
    for query in queries:
        of_class[query["class"]] += query["waiting"]
    objects = load_party_counts(visit.session).classes
    classes = [
        {"name": name, "objects": objects.get(name, 0), "waiting": of_class[name]}
        for name in visit.party.preset.class_names
    ]
    supply = {"classes": classes, "queries": queries}
    return format_plan(load_plan(visit.session)) | {"supply": supply}


@blueprint.on_put("", told=Plan)
def put_queue(
    visit: Visit, *, base: Base, first: FirstSets, wanted_classes: tuple[str, ...]
) -> Reply:
    """The new plan; it holds from the next image on that anybody is given.

    Of `wanted_classes`, none are all of them.
    """
    former, names = visit.party.former_classes, visit.party.preset.class_names
    first = tuple(
        it.model_copy(update={"class_name": former.get(it.class_name or "", it.class_name)})
        for it in first
    )
    wanted = name_today(wanted_classes, former) if former else wanted_classes
    check_words(wanted, names, "wanted_classes")
    for index, item in enumerate(first):
        if item in first[:index]:
            refuse(f"first.{index}", "expected each set once")
        for kind, name, given in (
            ("class", "class", item.class_name),
            ("query", "query_id", item.query_id),
        ):
            if (given is not None) != (item.kind == kind):
                rule = f"expected a {kind} with the kind {kind}, and only there"
                refuse(f"first.{index}.{name}", rule)
        if item.class_name is not None and item.class_name not in names:
            refuse(f"first.{index}.class", expect_one_of(names, item.class_name))
        if item.query_id is not None and visit.session.get(Query, item.query_id) is None:
            refuse(f"first.{index}.query_id", f"there is no query {item.query_id}")
    value = format_plan(QueuePlan(first=first, wanted_classes=wanted))
    del value["number"]
    return save_or_head(
        lambda: format_plan(read_plan(live_settings.save_setting(visit, NAME, value, base=base))),
        lambda: format_plan(load_plan(visit.session)),
    )


def format_live(visit: Visit) -> Json:
    """What may have changed since the page was opened, as told.Live describes it."""
    return {
        "wanted_classes": list(load_plan(visit.session).wanted_classes),
        "guidelines_number": live_settings.load_number(visit.session, GUIDELINES),
        "classes_number": visit.party.classes_number,
    }


def format_plan(plan: QueuePlan) -> Json:
    """The plan as answers hold it."""
    return plan.model_dump(mode="json", by_alias=True, exclude_none=True)
