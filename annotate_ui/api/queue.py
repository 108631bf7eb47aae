"""The queue's plan: which images come first, which classes are wanted, and what there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from sqlalchemy import func, select

from catalog.refusals import expect_one_of, refuse
from catalog.sentences import say
from catalog.states import ImageState
from catalog.stats import count_objects
from catalog.tables import Image, Photo, Query
from work import live_settings
from work.bodies import Body
from work.queue_plan import NAME, FirstSet, QueuePlan, follow_plan, load_plan, read_plan
from work.rules import check_words
from work.visit import Visit

from .answers import Json, save_or_head
from .guidelines import NAME as GUIDELINES
from .schemas import Answer, Base, ClassId, Reply, Routes, Shown

blueprint = Routes(NAME, __name__, url_prefix="/queue")


class QueueBody(Body):
    """A new plan; of `wanted_classes`, none are all of them."""

    base: Base
    first: Annotated[tuple[FirstSet, ...], Field(max_length=50)]
    wanted_classes: tuple[str, ...]


class ClassSupply(Answer):
    """Objects of a class so far, and images of its queries in the pool."""

    id: str
    objects: int
    waiting: int


class QuerySupply(Answer):
    """A query, and how many of its images are in the pool."""

    id: int
    class_id: ClassId
    keyword: str
    waiting: int


class Supply(Answer):
    """What there is to choose from: objects so far, and images of its queries in the pool."""

    classes: list[ClassSupply]
    queries: list[QuerySupply]


class Plan(Answer):
    """The plan that holds."""

    number: int
    first: list[FirstSet]
    wanted_classes: list[str]


class PlanPage(Plan):
    """The plan that holds, with what there is."""

    supply: Supply


class Live(Answer):
    """What may have changed since the page was opened; no wanted classes are all of them."""

    wanted_classes: list[str]
    guidelines_number: int
    classes_number: int


@blueprint.on_get("", answers=PlanPage)
def show_queue(visit: Visit) -> Reply:
    """The plan that holds, and what there is to choose from."""
    plan = load_plan(visit.session, visit.party.classes)
    return PlanPage(
        number=plan.number,
        first=list(plan.first),
        wanted_classes=list(plan.wanted_classes),
        supply=load_supply(visit),
    )


@blueprint.on_put("", shows=Shown("base"), answers=Plan)
def put_queue(visit: Visit, body: QueueBody) -> Reply:
    """The new plan; it holds from the next image on that anybody is given."""
    classes = visit.party.classes
    known = [*visit.party.preset.class_ids.values(), *classes.moved]
    check_words(body.wanted_classes, known, "wanted_classes")
    for index, item in enumerate(body.first):
        if item in body.first[:index]:
            refuse(f"first.{index}", say("expected each set once"))
        _check_first(visit, index, item, known)
    plan = follow_plan(QueuePlan(first=body.first, wanted_classes=body.wanted_classes), classes)
    value = format_plan(plan)
    del value["number"]

    def save() -> Plan:
        saved = live_settings.save_setting(visit, NAME, value, base=body.base)
        return _make_plan(read_plan(saved, classes))

    return save_or_head(save, lambda: _make_plan(load_plan(visit.session, classes)))


def load_supply(visit: Visit) -> Supply:
    """What there is to choose from; in a large party it may be a minute old."""
    return visit.share(("supply", visit.party.classes_number), _load_supply)


def _load_supply(visit: Visit) -> Supply:
    classes = visit.party.classes
    in_pool = (
        select(Photo.query_id, func.count(Image.id.distinct()).label("waiting"))
        .join(Image, Photo.image_id == Image.id)
        .where(Image.state == ImageState.POOL, Photo.query_id.is_not(None))
        .group_by(Photo.query_id)
        .subquery()
    )
    rows = visit.session.execute(
        select(Query.id, Query.class_id, Query.keyword, in_pool.c.waiting)
        .join(in_pool, in_pool.c.query_id == Query.id)
        .order_by(in_pool.c.waiting.desc(), Query.id)
    )
    queries = [
        QuerySupply(id=query_id, class_id=classes.today(key), keyword=keyword, waiting=count)
        for query_id, key, keyword, count in rows.tuples()
    ]
    of_class = Counter[str]()
    for query in queries:
        of_class[query.class_id] += query.waiting
    objects = count_objects(visit.session)
    supplies = [
        ClassSupply(id=class_id, objects=objects.get(name, 0), waiting=of_class[class_id])
        for name, class_id in visit.party.preset.class_ids.items()
    ]
    return Supply(classes=supplies, queries=queries)


def _check_first(visit: Visit, index: int, item: FirstSet, known: Sequence[str]) -> None:
    """Raise InvalidError where a set lacks what its kind needs, or names what does not exist."""
    for kind, name, value in (
        ("class", "class", item.class_id),
        ("query", "query_id", item.query_id),
    ):
        if (value is not None) != (item.kind == kind):
            rule = say("expected a {kind} with the kind {kind}, and only there", kind=kind)
            refuse(f"first.{index}.{name}", rule)
    if item.class_id is not None and item.class_id not in known:
        refuse(f"first.{index}.class", expect_one_of(known, item.class_id))
    if item.query_id is not None and visit.session.get(Query, item.query_id) is None:
        refuse(
            f"first.{index}.query_id", say("there is no query {query_id}", query_id=item.query_id)
        )


def _make_plan(plan: QueuePlan) -> Plan:
    return Plan(
        number=plan.number, first=list(plan.first), wanted_classes=list(plan.wanted_classes)
    )


def load_live(visit: Visit) -> Live:
    """What may have changed since the page was opened."""
    return Live(
        wanted_classes=list(load_plan(visit.session, visit.party.classes).wanted_classes),
        guidelines_number=live_settings.load_number(visit.session, GUIDELINES),
        classes_number=visit.party.classes_number,
    )


def format_plan(plan: QueuePlan) -> Json:
    """The plan as rows hold it."""
    return plan.model_dump(mode="json", by_alias=True, exclude_none=True)
