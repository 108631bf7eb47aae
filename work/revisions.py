"""Saving revisions: append-only, each started from one before; a stale one is kept as well."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, select

from catalog.instances import was_restored
from catalog.preset import UNWANTED_REASON
from catalog.refusals import ForbiddenError, refuse
from catalog.sentences import say
from catalog.states import BlindKind, ImageState, LeaseKind
from catalog.tables import Annotation, BlindTask, Image, Lease
from qa.blind_rows import keep_blind_answer
from work.bodies import RevisionBody
from work.visit import Visit

from .blind import find_open_blind, is_blind_answer, lock_blind, renew_blind
from .lease_endings import end_lease
from .leases import FREE_STATES, has_held, has_lost, hold_image, take_lease
from .old_drafts import DRAFTS_KEPT_SECS, thin_drafts
from .queue_plan import was_rare_class_mode_on
from .revision_rows import add_revision, find_parent, get_image, load_head, load_revision, read_kept
from .rules import Frame, check_revision
from .saving import (
    Conflict,
    name_conflict,
    require_own_key,
    require_pace,
    require_room,
    save_once,
)
from .suggestions import note_shown

# Made once: making a statement takes longer than SQLite takes to run it.
_OF_KEY = select(Annotation.id).where(Annotation.save_key == bindparam("save_key"))


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
    values = _list_values(visit, image, body, blind)
    enters = ImageState.DISCARDED if body.discard_reason else ImageState.ANNOTATED
    step = (ImageState.ANNOTATING, enters if body.finish else None) if lease else None
    annotation = add_revision(visit, image, parent, body.objects, step, **values)
    if blind is not None:
        return _answer_blind(visit, image, blind, annotation)
    if lease is None or annotation.is_stale:
        return keep_beside(visit, image, annotation.parent_id, lease, annotation)
    if lease.acquired_at < visit.at - timedelta(seconds=DRAFTS_KEPT_SECS):
        thin_drafts(visit, image)
    if not body.finish:
        return Saved(annotation, image, lease)
    end_lease(visit.session, lease, at=visit.at)
    visit.changed.add(image.id)
    return Saved(annotation, image, None)


def _list_values(
    visit: Visit, image: Image, body: RevisionBody, blind: BlindTask | None
) -> dict[str, Any]:
    """The columns of the new revision that the save decides, and what was suggested for it."""
    named = {"save_key", "discard_reason", "active_secs", "inputs", "rejected", "taster"}
    is_double = blind is not None and blind.kind is BlindKind.DOUBLE
    shown = note_shown(
        visit, image.id, body.suggestions_shown, taster=body.taster, is_double=is_double
    )
    return {
        **body.model_dump(include=named),
        **asdict(shown),
        "comment": body.comment or None,
        "unsure_classes": list(body.unsure_classes),
        "is_finished": body.finish,
    }


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
