"""Saving revisions: append-only, each started from one before; a stale one is kept as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload, selectinload

from catalog.decisions import decide
from catalog.instances import was_restored
from catalog.preset import UNWANTED_REASON
from catalog.refusals import ForbiddenError, NotFoundError, refuse
from catalog.sentences import say
from catalog.states import Beside, BlindKind, DecisionKind, ImageState, LeaseKind
from catalog.tables import Annotation, BlindTask, Image, Lease, Object, Part, SuggestionRejection
from catalog.transitions import move_head
from qa.blind_rows import keep_blind_answer
from qa.difficulty import load_difficult_keys
from work.bodies import ObjectBody, RevisionBody, Xyxy
from work.visit import Visit

from .blind import find_open_blind, is_blind_answer, lock_blind, renew_blind
from .lease_endings import end_lease
from .leases import FREE_STATES, has_held, has_lost, hold_image, take_lease
from .queue_plan import was_rare_class_mode_on
from .rules import Frame, check_revision
from .saving import (
    Conflict,
    name_conflict,
    require_own_key,
    require_pace,
    require_room,
    save_once,
)
from .suggestions import (
    Handled,
    judge_suggestions,
    list_rejected,
    note_shown,
    store_rejections,
)

_OBJECTS = TypeAdapter(tuple[ObjectBody, ...])
DRAFTS_KEPT_SECS = 600

# Statements of every save are made once: making one takes longer than SQLite takes to run it.
_OF_KEY = select(Annotation.id).where(Annotation.save_key == bindparam("save_key"))
_OF_NUMBER = (
    select(Image).where(Image.id == bindparam("image_id")).options(joinedload(Image.annotation))
)
_WHOLE = (
    select(Annotation)
    .where(Annotation.id == bindparam("annotation_id"))
    .options(selectinload(Annotation.objects).selectinload(Object.parts))
    .execution_options(populate_existing=True)
)
_OF_SUGGESTION = ("suggestion_id", "suggested")
_ALL_ALIKE = {"render_nulls": True}
"""Else objects with a point and those without are stored by different statements."""


@dataclass(frozen=True)
class Saved:
    """A revision that became the image's newest; `is_repeated` where it had been saved before."""

    annotation: Annotation
    image: Image
    lease: Lease | None
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
    """A stale revision, None where nothing was drawn; `code` is `stale` or `lease_lost`.

    `head` is the version that the work met, where the visitor may see it.
    """

    code: Conflict
    annotation: Annotation | None
    image: Image
    head: Annotation | None = None


@save_once
def save_revision(visit: Visit, image_id: int, body: RevisionBody) -> Saved | Kept:
    """What became of a save; the same `save_key` never saves twice.

    The last revision ends the lease; the image's findings in the queue follow later. Raises
    NotFoundError, InvalidError, TooManyError, or ForbiddenError for a person who never held the
    image or of whom too much is kept already, and then nothing was saved.
    """
    lease = hold_image(visit, image_id, LeaseKind.ANNOTATE)  # a second post waits here
    image = get_image(visit.session, image_id)
    if (repeated := _find_repeated(visit, image, body.save_key, lease)) is not None:
        visit.changed.add(image.id)  # in case that it was cut off before the checks
        return repeated
    require_pace(visit, Annotation.saved_at)
    parent = find_parent(visit.session, image, body.parent_id)
    check_revision(body, make_frame(visit, image, body.discard_reason), read_kept(visit, parent))
    blind = lock_blind(visit, image) if lease is None else None
    if blind is None:
        lease = lease or _regain(visit, image, parent)
    elif parent is not None and parent.person_id != visit.person.id:
        refuse("parent_id", say("the image has no revision {parent_id}", parent_id=parent.id))
    named = {"save_key", "discard_reason", "active_secs", "inputs", "rejected", "taster"}
    values = body.model_dump(include=named)
    is_double = blind is not None and blind.kind is BlindKind.DOUBLE
    shown = note_shown(
        visit, image.id, body.suggestions_shown, taster=body.taster, is_double=is_double
    )
    values |= asdict(shown)
    values |= {"comment": body.comment or None, "unsure_classes": list(body.unsure_classes)}
    values["is_finished"] = body.finish
    enters = ImageState.DISCARDED if body.discard_reason else ImageState.ANNOTATED
    step = (ImageState.ANNOTATING, enters if body.finish else None) if lease else None
    annotation = add_revision(visit, image, parent, body.objects, step, **values)
    if blind is not None:
        return _answer_blind(visit, image, blind, annotation)
    if lease is None or annotation.is_stale:
        return keep_beside(visit, image, annotation.parent_id, lease, annotation)
    if lease.acquired_at < visit.at - timedelta(seconds=DRAFTS_KEPT_SECS):
        _thin_drafts(visit, image)
    if not body.finish:
        return Saved(annotation, image, lease)
    end_lease(visit.session, lease, at=visit.at)
    visit.changed.add(image.id)
    return Saved(annotation, image, None)


def _answer_blind(
    visit: Visit, image: Image, blind: BlindTask, annotation: Annotation
) -> Saved | Kept:
    """The revision as the blind task's answer, if it was made from the answer so far."""
    if annotation.parent_id != blind.annotation_id:
        return Kept("stale", annotation, image, load_revision(visit.session, blind.annotation_id))
    keep_blind_answer(visit.session, blind, annotation, at=visit.at)
    if not annotation.is_finished:
        return Saved(annotation, image, renew_blind(visit, blind))
    if (lease := hold_image(visit, image.id, LeaseKind.BLIND)) is not None:
        end_lease(visit.session, lease, at=visit.at)
    visit.changed.add(image.id)  # it may have found what the image lacks
    return Saved(annotation, image, None)


def keep_beside(
    visit: Visit,
    image: Image,
    started_from_id: int | None,
    lease: Lease | None,
    annotation: Annotation | None,
) -> Kept:
    """Work that did not become the newest: it met newer work, or the visitor's lease had ended.

    Newer work is theirs to settle where they hold the image or made that work themselves.
    """
    visit.session.refresh(image)
    head = image.annotation
    is_mine = lease is not None or (head is not None and head.person_id == visit.person.id)
    code = name_conflict(is_mine, started_from_id, image.annotation_id)
    newer = load_head(visit.session, image) if code == "stale" else None
    return Kept(code, annotation, image, newer)


def _find_repeated(
    visit: Visit, image: Image, save_key: str, lease: Lease | None
) -> Saved | Kept | None:
    """What became of a save before whose key this one has; raises InvalidError for another's."""
    earlier_id = visit.session.scalar(_OF_KEY, {"save_key": save_key})
    earlier = load_revision(visit.session, earlier_id) if earlier_id else None
    if earlier is None:
        return None
    require_own_key(visit, earlier.person_id, is_of_same=earlier.image_id == image.id)
    blind = find_open_blind(visit, image)
    if is_blind_answer(visit, earlier):
        held = renew_blind(visit, blind) if blind is not None else None
        return Saved(earlier, image, held, is_repeated=True)
    if blind is not None and lease is None:
        return Kept("stale", earlier, image, load_revision(visit.session, blind.annotation_id))
    if earlier.is_stale:
        return keep_beside(visit, image, earlier.parent_id, lease, earlier)
    return Saved(earlier, image, lease, is_repeated=True)


def _regain(visit: Visit, image: Image, parent: Annotation | None) -> Lease | None:
    """A new lease where the old one ran out and the image was not touched since; else None.

    Raises ForbiddenError where the visitor never held the image, or too much of theirs is kept.
    """
    is_untouched = image.annotation_id == (parent.id if parent else None)
    if is_untouched and image.state in FREE_STATES:
        is_own = parent is not None and parent.person_id == visit.person.id
        is_own_draft = is_own and parent is not None and not parent.is_finished
        if is_own_draft or has_lost(visit, image.id) or _may_be_lost(visit, image):
            lease = take_lease(visit, image.id, image.state, LeaseKind.ANNOTATE)
            if lease is not None:
                return lease
    if not has_held(visit, image.id) and not was_restored(visit.session, at=visit.at):
        raise ForbiddenError(
            say("Image {image_id} was never open for you. Open the next image.", image_id=image.id)
        )
    require_room(visit, Annotation, image.id)
    return None


def _may_be_lost(visit: Visit, image: Image) -> bool:
    """Whether the visitor may have held an image that is new again since a restore."""
    is_new = image.state is ImageState.POOL and image.annotation_id is None
    return is_new and was_restored(visit.session, at=visit.at)


def _thin_drafts(visit: Visit, image: Image) -> None:
    """Delete older drafts but the first of each minute; the next takes their parent and seconds."""
    session = visit.session
    silent = {"synchronize_session": False}
    is_ours = (Annotation.image_id == image.id, Annotation.person_id == visit.person.id)
    drafts = (Annotation.is_finished.is_(False), Annotation.is_stale.is_(False))
    is_old = Annotation.saved_at < visit.at - timedelta(seconds=DRAFTS_KEPT_SECS)
    old_drafts = select(Annotation.id, Annotation.saved_at).where(*is_ours, *drafts, is_old)
    minutes = set()
    for draft_id, saved_at in session.execute(old_drafts.order_by(Annotation.id)).all():
        minute = saved_at.replace(second=0, microsecond=0)
        if minute not in minutes:
            minutes.add(minute)
            continue
        of_draft = select(Annotation.parent_id, Annotation.active_secs, Annotation.inputs)
        row = session.execute(of_draft.where(Annotation.id == draft_id)).one()
        follows = (Annotation.parent_id == draft_id, Annotation.is_stale.is_(False))
        taken_over = {
            "parent_id": row.parent_id,
            "active_secs": Annotation.active_secs + row.active_secs,
            "inputs": Annotation.inputs + row.inputs,
        }
        objects = select(Object.id).where(Object.annotation_id == draft_id)
        with suppress(IntegrityError), session.begin_nested():  # another row names it
            for statement in (
                update(Annotation).where(*follows).values(taken_over),
                delete(SuggestionRejection).where(SuggestionRejection.annotation_id == draft_id),
                delete(Part).where(Part.object_id.in_(objects)),
                delete(Object).where(Object.annotation_id == draft_id),
                delete(Annotation).where(Annotation.id == draft_id),
            ):
                session.execute(statement, execution_options=silent)


def get_image(session: Session, image_id: int) -> Image:
    """The image with its newest revision; raises NotFoundError where there is none."""
    image = session.scalar(_OF_NUMBER, {"image_id": image_id})
    if image is None:
        raise NotFoundError(say("Image {image_id} does not exist.", image_id=image_id))
    return image


def make_frame(visit: Visit, image: Image, reason: str | None = None) -> Frame:
    """What objects on the image, and the reason to discard it, are judged against."""
    party = visit.party
    size = (image.width, image.height)
    limits = party.settings.annotate
    is_unwanted = reason == UNWANTED_REASON and was_rare_class_mode_on(visit.session)
    more = (UNWANTED_REASON,) if is_unwanted else ()
    return Frame(
        *size,
        party.preset,
        limits.min_box_px,
        limits.max_objects,
        more_reasons=more,
        must_judge_all=limits.judge_each_object,
        has_groups=limits.groups,
        words=party.words,
    )


def load_revision(session: Session, annotation_id: int | None) -> Annotation | None:
    """A revision with its objects and their parts, in few queries however many there are."""
    return session.scalar(_WHOLE, {"annotation_id": annotation_id})


def load_head(session: Session, image: Image) -> Annotation | None:
    """The image's newest revision, whole, or None where there is none yet."""
    return load_revision(session, image.annotation_id)


def find_parent(
    session: Session, image: Image, parent_id: int | None, field: str = "parent_id"
) -> Annotation | None:
    """The revision that a save started from; raises InvalidError where it is another image's.

    None also where it is gone: an older draft, or lost by a restore. Then the work started from
    something else than the newest revision, if there is any.
    """
    parent = session.get(Annotation, parent_id) if parent_id is not None else None
    if parent is not None and parent.image_id != image.id:
        refuse(field, say("the image has no revision {parent_id}", parent_id=parent.id))
    return parent


def read_kept(visit: Visit, revision: Annotation | None) -> Mapping[str, ObjectBody]:
    """The objects of the revision that work started from, by key: they may stay as they are."""
    whole = load_revision(visit.session, revision.id) if revision is not None else None
    return {item.key: item for item in read_objects(whole)} if whole is not None else {}


def read_objects(annotation: Annotation) -> tuple[ObjectBody, ...]:
    """The objects of a revision as a save sends them, without what organisers say of them."""
    stored = tuple(_read_object(item) for item in annotation.objects)
    return _OBJECTS.validate_python(stored, strict=False)


def _read_object(item: Object) -> dict[str, Any]:
    """An object as a save sends it."""
    is_pointed = item.point_x is not None
    return {
        "key": item.object_key,
        "class": item.class_id,
        "box": item.box.xyxy,
        "view": item.view,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "unsure": item.unsure,
        "group_of": item.group_of,
        "actions": tuple(item.actions),
        "point": (item.point_x, item.point_y) if is_pointed else None,
        "parts": tuple({"part": part.word, "box": part.box.xyxy} for part in item.parts),
        "drawn_secs": item.drawn_secs,
        "suggestion_id": item.suggestion_id,
    }


def add_revision(
    visit: Visit,
    image: Image,
    parent: Annotation | None,
    objects: Sequence[ObjectBody],
    step: tuple[ImageState, ImageState | None] | None,
    *,
    rejected: Sequence[int] | None = None,
    **values: Any,
) -> Annotation:
    """The visitor's new revision; objects that are difficult stay so.

    Without `rejected`, the suggestions that the parent rejects stay so.
    With a `step` it is the image's newest, which goes from the one state to the other, if any. It
    is stale without one, or where the parent is the newest no more or the image left that state.
    Raises IntegrityError where there is a save of its save_key already, and InvalidError where an
    object or the `rejected` name a suggestion of another image.
    """
    parent_id = parent.id if parent else None
    if rejected is None:
        rejected = list_rejected(visit.session, parent_id)
    handled = judge_suggestions(visit, image.id, parent_id, objects, rejected)
    difficult = set[str]()
    if step is not None:  # else it displaces nothing: blind work has other objects
        difficult = load_difficult_keys(visit.session, image.id)
    annotation = Annotation(
        image_id=image.id,
        person_id=visit.person.id,
        parent_id=parent_id,
        saved_at=visit.at,
        beside=Beside.CONFLICT if step is None else None,
        **values,
    )
    visit.session.add(annotation)
    visit.session.flush()
    _store_objects(visit.session, annotation, objects, difficult, handled)
    store_rejections(visit.session, annotation.id, handled.rejected)
    if step is not None:
        is_newest = move_head(
            visit.session,
            image.id,
            *step,
            parent_id=parent_id,
            head_id=annotation.id,
            at=visit.at,
            reason=annotation.discard_reason,
        )
        annotation.beside = None if is_newest else Beside.CONFLICT
        if is_newest and step[1] is not None:
            _note_drawn(visit, annotation)
    return annotation


def _store_objects(
    session: Session,
    annotation: Annotation,
    objects: Sequence[ObjectBody],
    difficult: set[str],
    handled: Handled,
) -> None:
    """Store the objects of a new revision, with one statement for each table.

    Row by row, a save of 1,000 objects would keep the others from saving for several times as long.
    """
    if not objects:
        return
    rows = [
        _list_columns(item)
        | {"annotation_id": annotation.id, "number": number}
        | {"difficult": item.group_of or item.key in difficult}
        | dict(zip(_OF_SUGGESTION, handled.objects.get(item.key, (None, None)), strict=True))
        for number, item in enumerate(objects, start=1)
    ]
    session.execute(insert(Object), rows, execution_options=_ALL_ALIKE)
    of_revision = Object.annotation_id == annotation.id
    object_ids = session.scalars(select(Object.id).where(of_revision).order_by(Object.number))
    parts = [
        {"object_id": object_id, "number": place, "word": part.part} | _name_sides(part.box)
        for object_id, item in zip(object_ids.all(), objects, strict=True)
        for place, part in enumerate(item.parts, start=1)
    ]
    if parts:
        session.execute(insert(Part), parts)


def _note_drawn(visit: Visit, annotation: Annotation) -> None:
    """Write that the image was finished, or discarded, by this revision."""
    is_discard = annotation.discard_reason is not None
    decide(
        visit.session,
        annotation.image_id,
        DecisionKind.DISCARDED if is_discard else DecisionKind.DRAWN,
        at=visit.at,
        person=visit.person,
        annotation_id=annotation.id,
        reason=annotation.discard_reason,
    )


def _list_columns(item: ObjectBody) -> dict[str, Any]:
    """The values that an object's row has from its author, without those of its parts."""
    kept = ("class_id", "view", "truncated", "occluded", "unsure", "group_of", "drawn_secs")
    point_x, point_y = item.point or (None, None)
    values = {name: getattr(item, name) for name in kept}
    values |= {"object_key": item.key, "actions": list(item.actions)}
    return values | _name_sides(item.box) | {"point_x": point_x, "point_y": point_y}


def _name_sides(xyxy: Xyxy) -> dict[str, int]:
    return dict(zip(("xmin", "ymin", "xmax", "ymax"), xyxy, strict=True))
