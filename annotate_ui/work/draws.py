"""Drawing from the queue: a random image of the first set of the plan that holds one."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import ColumnElement, and_, func, select

from annotate_ui.organise.queue_plan import FirstSet, QueuePlan
from annotate_ui.visit import Visit
from catalog.image_store import digest_of
from catalog.states import ImageState, LeaseKind
from catalog.tables import Annotation, Image, Lease, Person, Photo, Query

from .blind import BlindLease, draw_blind
from .leases import Use, take_lease


def draw_next(visit: Visit, plan: QueuePlan, use: Use) -> Lease | BlindLease | None:
    """The lease on an image of the first set of the plan that holds one, or None.

    Where a new image is due, one that was annotated before may come in its place, blind.
    """
    is_new_due = False
    for leaves, condition in _list_sets(visit, plan):
        if leaves is ImageState.POOL and not is_new_due:
            is_new_due = True
            blind = draw_blind(visit)
            if blind is not None:
                return blind
        lease = draw_image(visit, LeaseKind.ANNOTATE, leaves, condition, use)
        if lease is not None:
            return lease
    return None


def draw_image(
    visit: Visit,
    kind: LeaseKind,
    leaves: ImageState,
    condition: ColumnElement[bool] | None = None,
    use: Use = "opened",
) -> Lease | None:
    """The lease on an image drawn at random among those in the state, or None where none is left.

    A candidate that was taken meanwhile is no longer in the state, so another is drawn.
    """
    conditions = [Image.state == leaves] + ([] if condition is None else [condition])
    while (image_id := _find_near(visit, and_(*conditions))) is not None:
        lease = take_lease(visit, image_id, leaves, kind, use)
        if lease is not None:
            return lease
    return None


def count_waiting(visit: Visit) -> int:
    """How many images the person may yet be given to annotate."""
    returned = Image.state == ImageState.RETURNED
    free = count_images(visit, Image.state == ImageState.POOL)
    own = count_images(visit, and_(returned, is_own(visit)))
    return free + own + count_images(visit, and_(returned, _is_left_behind()))


def count_images(visit: Visit, condition: ColumnElement[bool]) -> int:
    """How many images the condition holds for."""
    return visit.session.scalar(select(func.count()).select_from(Image).where(condition)) or 0


def is_own(visit: Visit) -> ColumnElement[bool]:
    """Whether the newest revision is the visitor's."""
    return Image.annotation.has(Annotation.person_id == visit.person.id)


def _list_sets(
    visit: Visit, plan: QueuePlan
) -> Iterator[tuple[ImageState, ColumnElement[bool] | None]]:
    """What is drawn from, one after the other: the plan's sets, then all there is."""
    for item in plan.first:
        if item.kind == "returned":
            yield ImageState.RETURNED, is_own(visit)
        else:
            yield ImageState.POOL, _is_of_queries(item)
    yield ImageState.POOL, None
    yield ImageState.RETURNED, is_own(visit)
    yield ImageState.RETURNED, _is_left_behind()


def _is_of_queries(item: FirstSet) -> ColumnElement[bool]:
    """Whether a photo of the image was found by the set's query, or by one of its class."""
    found = select(Photo.image_id).join(Query, Photo.query_id == Query.id)
    by_class = Query.class_name == item.class_name
    return Image.id.in_(
        found.where(by_class if item.kind == "class" else Query.id == item.query_id)
    )


def _find_near(visit: Visit, condition: ColumnElement[bool]) -> int | None:
    """The first image at or after a random digest, from the start again where there is none.

    One that another transaction is taking is passed over: with several images to a transaction, two
    that waited for each other's would wait for ever.
    """
    pivot = digest_of(visit.tokens().encode())
    first = select(Image.id).where(condition).order_by(Image.sha256).limit(1)
    first = first.with_for_update(of=Image, skip_locked=True)
    found = visit.session.scalar(first.where(Image.sha256 >= pivot))
    return found if found is not None else visit.session.scalar(first)


def _is_left_behind() -> ColumnElement[bool]:
    """Whether the author of the newest revision no longer takes part."""
    return Image.annotation.has(Annotation.person.has(Person.ended_at.is_not(None)))
