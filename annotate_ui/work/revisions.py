"""Saving revisions: append-only, each started from one before; a stale one is kept as well."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from operator import attrgetter
from typing import Any, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Row, ScalarSelect, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased, selectinload
from sqlalchemy.orm.attributes import set_committed_value

from annotate_ui.api.answers import format_revision
from annotate_ui.api.queue import was_rare_class_mode_on
from annotate_ui.api.schemas import ObjectBody, RevisionBody, Xyxy
from annotate_ui.errors import ForbiddenError, InvalidError, NotFoundError, TooManyError
from annotate_ui.visit import Visit
from catalog.class_changes import name_today
from catalog.errors import BusyError
from catalog.preset import UNWANTED_REASON
from catalog.states import ImageState, LeaseKind
from catalog.tables import Annotation, Image, Lease, Object, Part

from .blind import BlindLease, find_open_blind, is_blind_answer, reopen_blind, settle_blind
from .leases import FREE_STATES, end_lease, has_held, has_lost, hold_image, take_lease
from .rules import Frame, check_revision, rename_objects

T = TypeVar("T", Object, Part)
_OBJECTS = TypeAdapter(tuple[ObjectBody, ...])
DRAFTS_KEPT_SECS = 600
MOST_STALE = 50  # of one person on one image; an honest page keeps one or two


@dataclass(frozen=True)
class Saved:
    """A revision that became the image's newest; `is_repeated` where it had been saved before."""

    annotation: Annotation
    image: Image
    lease: Lease | BlindLease | None
    is_repeated: bool = False

    @property
    def state(self) -> ImageState:
        """The image's state as the author sees it: blind work looks like any other."""
        if not self.annotation.is_stale:
            return self.image.state
        if self.annotation.discard_reason:
            return ImageState.DISCARDED
        return ImageState.ANNOTATED if self.annotation.is_finished else ImageState.ANNOTATING


@dataclass(frozen=True)
class Kept:
    """A stale revision: what was sent lost against another save or with the lease, and is kept.

    `code` is `stale` or `lease_lost`; `annotation` is None where nothing was drawn.
    """

    code: str
    annotation: Annotation | None
    image: Image


def save_revision(visit: Visit, image_id: int, body: RevisionBody) -> Saved | Kept:
    """What became of a save; the same `save_key` never saves twice.

    A stale revision without a lease is not kept twice in a row. Raises NotFoundError,
    InvalidError, BusyError where the same save is stored at this moment, or ForbiddenError where
    too much is kept already, and then nothing was saved.
    """
    lease = hold_image(visit, image_id, LeaseKind.ANNOTATE)  # a second post waits here
    image, _parent, earlier_id, difficult, saves = _load_start(visit, image_id, body)
    if earlier_id is not None:
        return _find_repeated(visit, image, earlier_id, lease)
    require_pace(visit, saves)
    former = visit.party.former_classes
    objects = rename_objects(body.objects, former)
    unsure = name_today(body.unsure_classes, former) if former else body.unsure_classes
    body = body.model_copy(update={"objects": objects, "unsure_classes": unsure})
    frame = make_frame(visit, image)
    if body.discard_reason == UNWANTED_REASON and was_rare_class_mode_on(visit.session):
        frame = replace(frame, more_reasons=(UNWANTED_REASON,))
    check_revision(body, frame)
    if _is_thinned(visit.session, image, body.parent_id):
        body = body.model_copy(update={"parent_id": None})  # older than the newest one in any case
    parent = find_parent(visit.session, image, body.parent_id)
    blind = find_open_blind(visit, image) if lease is None else None
    if blind is not None and parent is not None and parent.person_id != visit.person.id:
        message = f"parent_id is wrong: the image has no revision {parent.id}."
        raise InvalidError(message, field="parent_id")
    if lease is None and blind is None:
        lease = _regain(visit, image, parent)
    is_kept = lease is None and blind is None
    kept = _find_kept(visit, image, body) if is_kept else None
    if kept is not None:
        return Kept(name_conflict(visit, image, kept.parent_id, None), kept, image)
    told = body.model_dump(include={"save_key", "discard_reason", "active_secs"})
    told |= {"comment": body.comment or None, "unsure_classes": list(body.unsure_classes)}
    annotation = make_annotation(visit, image, parent, is_finished=body.finish, **told)
    insert_revision(visit.session, annotation, body.objects, (difficult or "").split(","))
    if blind is not None:
        return Saved(annotation, image, settle_blind(visit, blind, annotation))
    return _settle(visit, image, annotation, lease)


def name_conflict(
    visit: Visit, image: Image, started_from_id: int | None, lease: Lease | None
) -> str:
    """`stale` where the visitor's work met newer work, `lease_lost` where their lease had ended.

    Newer work is theirs to settle where they hold the image or made that work themselves.
    """
    visit.session.refresh(image)
    head = image.annotation
    is_mine = lease is not None or (head is not None and head.person_id == visit.person.id)
    return "stale" if is_mine and image.annotation_id != started_from_id else "lease_lost"


def _load_start(
    visit: Visit, image_id: int, body: RevisionBody
) -> Row[tuple[Image, Annotation | None, int | None, str | None, int]]:
    """The image, what the save started from, the same save before, and keys of difficult objects.

    The last is how many saves the visitor made within a minute. Raises NotFoundError without such
    an image.
    """
    other = aliased(Annotation)
    of_key = select(other.id).where(other.save_key == body.save_key)
    start = select(
        *(Image, Annotation, of_key.scalar_subquery(), _select_difficult(body.parent_id)),
        select_saves(visit, other.saved_at).scalar_subquery(),
    ).outerjoin(Annotation, Annotation.id == body.parent_id)
    row = visit.session.execute(start.where(Image.id == image_id)).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no image {image_id}.")
    return row


def select_saves(visit: Visit, saved_at: Any) -> Select[tuple[int]]:
    """A query of how many rows of the visitor's have that moment within the last minute."""
    mine = saved_at.class_.person_id == visit.person.id
    lately = saved_at.between(visit.at - timedelta(minutes=1), visit.at)  # clocks may jump back
    return select(func.count(saved_at)).where(mine, lately)


def require_pace(visit: Visit, saves: int) -> None:
    """Raise TooManyError for a page that saved more often within a minute than a person can."""
    most = visit.party.settings.annotate.saves_per_minute
    if saves >= most and not visit.person.is_simulated:
        raise TooManyError("This page saves too often. Wait a moment.")


def _find_repeated(
    visit: Visit, image: Image, earlier_id: int, lease: Lease | None
) -> Saved | Kept:
    """What became of a save before whose key this one has; raises InvalidError for another's."""
    earlier = load_revision(visit.session, earlier_id)
    if earlier is None or (earlier.person_id, earlier.image_id) != (visit.person.id, image.id):
        message = "save_key is wrong: expected a name that no other save has had."
        raise InvalidError(message, field="save_key")
    if is_blind_answer(visit, earlier):
        is_open = find_open_blind(visit, image) is not None
        blind = reopen_blind(visit, image.id) if is_open else None
        return Saved(earlier, image, blind, is_repeated=True)
    if earlier.is_stale:
        return Kept(name_conflict(visit, image, earlier.parent_id, lease), earlier, image)
    return Saved(earlier, image, lease, is_repeated=True)


def _regain(visit: Visit, image: Image, parent: Annotation | None) -> Lease | None:
    """A new lease where the old one ran out and the image was not touched since."""
    is_untouched = image.annotation_id == (parent.id if parent else None)
    if not is_untouched or image.state not in FREE_STATES:
        return None
    is_draft = parent is not None and not parent.is_finished
    is_own_draft = is_draft and parent is not None and parent.person_id == visit.person.id
    if not is_own_draft and not has_lost(visit, image.id):
        return None
    return take_lease(visit, image.id, image.state, LeaseKind.ANNOTATE)


def _find_kept(visit: Visit, image: Image, body: RevisionBody) -> Annotation | None:
    """The person's last stale revision, where it says the same, or None.

    Raises ForbiddenError for a person who never held the image, and where no more is kept.
    """
    if not has_held(visit, image.id):
        raise ForbiddenError(f"Image {image.id} was never open for you. Open the next image.")
    mine = (Annotation.image_id == image.id, Annotation.person_id == visit.person.id)
    kept = select(func.count(), func.max(Annotation.id)).where(*mine, Annotation.is_stale.is_(True))
    count, last_id = visit.session.execute(kept).one()
    last = load_revision(visit.session, last_id)
    is_of_this_head = last is not None and last.id > (image.annotation_id or 0)
    if last is not None and is_of_this_head and _says_the_same(last, body):
        return last
    if count >= MOST_STALE:
        raise ForbiddenError(
            f"Image {image.id} is not open for you, and {count} older versions of yours are kept "
            "already. Open the next image."
        )
    return None


def _says_the_same(kept: Annotation, body: RevisionBody) -> bool:
    stored = (kept.parent_id, kept.discard_reason, kept.comment or "", kept.unsure_classes)
    sent = (body.parent_id, body.discard_reason, body.comment, list(body.unsure_classes))
    return stored == sent and read_objects(kept) == body.objects


def _settle(
    visit: Visit, image: Image, annotation: Annotation, lease: Lease | None
) -> Saved | Kept:
    leaves, enters = ImageState.ANNOTATING, None
    if annotation.is_finished:
        enters = ImageState.DISCARDED if annotation.discard_reason else ImageState.ANNOTATED
    if lease is None or not move_head(visit, annotation, leaves, enters):
        annotation.is_stale = True
        return Kept(name_conflict(visit, image, annotation.parent_id, lease), annotation, image)
    if lease.acquired_at < visit.at - timedelta(seconds=DRAFTS_KEPT_SECS):
        _thin_drafts(visit, image)
    if annotation.is_finished:
        end_lease(visit.session, lease, at=visit.at)
    return Saved(annotation, image, None if annotation.is_finished else lease)


def _thin_drafts(visit: Visit, image: Image) -> None:
    """Delete the visitor's older drafts of the image but for the first of each minute.

    What a deleted one is followed by takes its parent and its seconds; one that another row names
    stays.
    """
    of_image = (Annotation.image_id == image.id, Annotation.person_id == visit.person.id)
    drafts = (Annotation.is_finished.is_(False), Annotation.is_stale.is_(False))
    is_old = Annotation.saved_at < visit.at - timedelta(seconds=DRAFTS_KEPT_SECS)
    asked = select(Annotation.id, Annotation.saved_at)
    minutes = set()
    for key, saved_at in visit.session.execute(
        asked.where(*of_image, *drafts, is_old).order_by(Annotation.id)
    ).all():
        minute = saved_at.replace(second=0, microsecond=0)
        if minute not in minutes:
            minutes.add(minute)
        elif not _is_named(visit.session, key):
            values = select(Annotation.parent_id, Annotation.active_secs)
            parent_id, secs = visit.session.execute(values.where(Annotation.id == key)).one()
            follows = update(Annotation).where(Annotation.parent_id == key)
            of_draft = select(Object.id).where(Object.annotation_id == key)
            for statement in (
                follows.values(parent_id=parent_id, active_secs=Annotation.active_secs + secs),
                delete(Part).where(Part.object_id.in_(of_draft)),
                delete(Object).where(Object.annotation_id == key),
                delete(Annotation).where(Annotation.id == key),
            ):
                visit.session.execute(statement, execution_options={"synchronize_session": False})


def _is_thinned(session: Session, image: Image, revision_id: int | None) -> bool:
    """Whether the revision is gone like an older draft, which another window may still show."""
    if revision_id is None or image.annotation_id is None or revision_id > image.annotation_id:
        return False
    return session.get(Annotation, revision_id) is None


def _is_named(session: Session, annotation_id: int) -> bool:
    """Whether a row other than its objects and the one revision after it names the revision."""
    own = {Annotation.__table__.c.parent_id, Object.__table__.c.annotation_id}
    columns = {
        key.parent
        for table in Annotation.metadata.tables.values()
        for key in table.foreign_keys
        if key.column.table is Annotation.__table__ and key.parent not in own
    }
    follows = select(func.count()).where(Annotation.parent_id == annotation_id)
    return session.scalar(follows) != 1 or any(
        session.scalar(select(column).where(column == annotation_id).limit(1)) for column in columns
    )


def get_image(session: Session, image_id: int) -> Image:
    """The image; raises NotFoundError where there is none."""
    image = session.get(Image, image_id)
    if image is None:
        raise NotFoundError(f"Image {image_id} does not exist.")
    return image


def make_frame(visit: Visit, image: Image) -> Frame:
    """What objects on the image are judged against."""
    party, size = visit.party, (image.width, image.height)
    it = party.settings.annotate
    return Frame(*size, party.preset, it.min_box_px, it.max_objects, (), it.judge_each_object)


def load_revision(session: Session, annotation_id: int | None) -> Annotation | None:
    """A revision with its objects and their parts, in few queries however many there are."""
    whole = selectinload(Annotation.objects).selectinload(Object.parts)
    statement = select(Annotation).where(Annotation.id == annotation_id).options(whole)
    return session.scalar(statement.execution_options(populate_existing=True))


def load_head(session: Session, image: Image) -> Annotation | None:
    """The image's newest revision, whole, or None where there is none yet."""
    return None if image.annotation_id is None else load_revision(session, image.annotation_id)


def find_parent(
    session: Session, image: Image, parent_id: int | None, field: str = "parent_id"
) -> Annotation | None:
    """The revision that a save started from; raises InvalidError where it is not the image's."""
    if parent_id is None:
        return None
    parent = session.get(Annotation, parent_id)
    if parent is None or parent.image_id != image.id:
        raise InvalidError(f"{field} is wrong: the image has no revision {parent_id}.", field=field)
    return parent


def make_annotation(
    visit: Visit, image: Image, parent: Annotation | None, **values: Any
) -> Annotation:
    """A revision by the visitor with these values, not yet stored and without objects."""
    return Annotation(
        image_id=image.id,
        person_id=visit.person.id,
        parent_id=parent.id if parent else None,
        saved_at=visit.at,
        is_stale=False,
        **values,
    )


def read_objects(annotation: Annotation) -> tuple[ObjectBody, ...]:
    """The objects of a revision as a save sends them, without what organisers say of them."""
    stored = format_revision(annotation)["objects"]
    sent = [{name: item[name] for name in item if name != "difficult"} for item in stored]
    return _OBJECTS.validate_python(sent, strict=False)


def list_difficult(session: Session, annotation_id: int | None) -> list[str]:
    """The keys of the difficult objects of a revision."""
    return (session.scalar(select(_select_difficult(annotation_id))) or "").split(",")


def _select_difficult(annotation_id: int | None) -> ScalarSelect[str]:
    """A query of the keys, which have no commas, as one text."""
    of_revision = (Object.annotation_id == annotation_id, Object.difficult.is_(True))
    keys = select(func.aggregate_strings(Object.object_key, ","))
    return keys.where(*of_revision).scalar_subquery()


def insert_revision(
    session: Session,
    annotation: Annotation,
    objects: Sequence[ObjectBody],
    difficult: Collection[str],
) -> None:
    """Store a revision with its objects, of which those with the `difficult` keys are so.

    Raises BusyError where another save of its save_key is being stored.
    """
    session.add(annotation)
    try:
        session.flush()
    except IntegrityError as error:
        if "save_key" not in str(error.orig):
            raise
        raise BusyError("This was sent twice at once; it is tried again in a moment.") from error
    rows = [
        _pack_object(item)
        | {"annotation_id": annotation.id, "number": number, "difficult": item.key in difficult}
        for number, item in enumerate(objects, start=1)
    ]
    stored = _insert(session, Object, rows)
    parts = _insert(
        session,
        Part,
        [
            {"object_id": row.id, "number": place, "name": part.name, **_box_columns(part.box)}
            for row, item in zip(stored, objects, strict=True)
            for place, part in enumerate(item.parts, start=1)
        ],
    )
    of_object = {row.id: list[Part]() for row in stored}
    for part in parts:
        of_object[part.object_id].append(part)
    for row in stored:
        set_committed_value(row, "parts", of_object[row.id])
    set_committed_value(annotation, "objects", stored)


def _insert(session: Session, entity: type[T], rows: list[dict[str, Any]]) -> list[T]:
    """The new rows, by number; their order in the answer of a database is any."""
    made = session.scalars(insert(entity).returning(entity), rows) if rows else ()
    return sorted(made, key=attrgetter("number"))


def move_head(
    visit: Visit, annotation: Annotation, leaves: ImageState, enters: ImageState | None = None
) -> bool:
    """Whether the revision became the image's newest: only from the one that it started from.

    With `enters`, the image goes on to that state.
    """
    is_parent = Image.annotation_id.is_not_distinct_from(annotation.parent_id)
    as_seen = (Image.id == annotation.image_id, is_parent, Image.state == leaves)
    moved = update(Image).where(*as_seen).values(annotation_id=annotation.id)
    if enters is not None:
        moved = moved.values(state=enters, state_at=visit.at, reason=annotation.discard_reason)
    options = {"synchronize_session": False, "populate_existing": True}
    return visit.session.scalar(moved.returning(Image), execution_options=options) is not None


def _pack_object(item: ObjectBody) -> dict[str, Any]:
    kept = {"class_name", "view", "truncated", "occluded", "unsure", "drawn_secs"}
    point_x, point_y = item.point or (None, None)
    point = {"point_x": point_x, "point_y": point_y}
    values = item.model_dump(include=kept) | point | _box_columns(item.box)
    return values | {"object_key": item.key, "actions": list(item.actions)}


def _box_columns(xyxy: Xyxy) -> dict[str, int]:
    return dict(zip(("xmin", "ymin", "xmax", "ymax"), xyxy, strict=True))
