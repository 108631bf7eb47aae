"""Putting an earlier revision of an image back as its newest one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import exists, func, select

from catalog.refusals import InvalidError, LeaseLostError, StaleError
from catalog.sentences import name_term, say
from catalog.states import ImageState, LeaseKind, Role, Verdict
from catalog.tables import Annotation, Image, Review

from .blind import reopen_blind
from .bodies import FixedBody, ReviewBody, RevisionBody
from .history import find_lease_of_boxes, get_shown, is_blind_to, require_visible
from .image_actions import reopen_image
from .lease_endings import sweep_leases
from .leases import FREE_STATES, hold_image, take_lease
from .reviews import save_review
from .revision_rows import load_revision, read_kept, read_objects
from .revisions import Kept, Saved, make_frame, save_revision
from .rules import list_retired
from .tasks import may_correct, take_own
from .visit import Visit

_BUSY = (ImageState.ANNOTATING, ImageState.CHECKING)


def may_restore(visit: Visit, image: Image) -> bool:
    """Whether a restore has a chance: who holds the image meanwhile is seen when it is tried."""
    if visit.person.role is Role.ORGANISER and not is_blind_to(visit, image):
        return True
    is_own = image.annotation is not None and image.annotation.person_id == visit.person.id
    if (is_own and image.state in FREE_STATES) or may_correct(visit, image.state):
        return True
    return find_lease_of_boxes(visit, image) is not None


@dataclass(frozen=True)
class ShownHead:
    """The newest revision that a page showed, and the last verdict on it; None where none was."""

    head_id: int | None
    verdict_id: int | None


def restore_revision(
    visit: Visit, image_id: int, revision_id: int, save_key: str, shown: ShownHead
) -> Saved:
    """The new revision, with the objects of an earlier one, on top of the newest.

    While the visitor annotates the image it is a draft; while they check it, their correction. Else
    it is finished, and the image waits to be checked or is discarded, as the earlier one said.

    Raises StaleError where the image was saved or judged since it was shown, InvalidError where a
    word left the preset, ForbiddenError and LeaseLostError where the image is not the visitor's to
    change.
    """
    image = get_shown(visit, image_id)
    require_visible(visit, image, revision_id)
    revision = load_revision(visit.session, revision_id)
    assert revision is not None
    objects = read_objects(revision)
    frame = make_frame(visit, image)
    newest = read_kept(visit, image.annotation)
    if retired := list_retired(objects, frame, newest):
        raise InvalidError(
            say(
                "Revision {revision_id} cannot be restored: {words} left the preset. Draw these "
                "objects again.",
                revision_id=revision.id,
                words=retired,
            )
        )
    said: dict[str, Any] = {"save_key": save_key, "comment": f"Restored revision {revision.id}."}
    if hold_image(visit, image_id, LeaseKind.CHECK) is not None:
        _refuse_discard(visit, revision)
        return _correct(visit, image, FixedBody(objects=objects), shown.head_id, said)
    is_finished = not _take(visit, image, said, shown)
    body = RevisionBody(
        parent_id=shown.head_id,
        finish=is_finished,
        discard_reason=revision.discard_reason if is_finished else None,
        unsure_classes=tuple(revision.unsure_classes),
        taster=revision.taster,
        objects=objects,
        **said,
    )
    saved = save_revision(visit, image_id, body)
    if isinstance(saved, Kept):
        raise _stale(image_id)
    return saved


def _refuse_discard(visit: Visit, revision: Annotation) -> None:
    """Raise InvalidError where the revision discards the image, which a correction cannot."""
    if revision.discard_reason is None:
        return
    reasons = visit.party.preset.reason_displays
    reason = reasons.get(revision.discard_reason, revision.discard_reason)
    raise InvalidError(
        say(
            "Revision {revision_id} discards the image ({reason}), which a correction cannot. "
            "Return the image to its author and say why.",
            revision_id=revision.id,
            reason=name_term(reason),
        )
    )


def _correct(
    visit: Visit, image: Image, corrected: FixedBody, head_id: int | None, said: dict[str, Any]
) -> Saved:
    """The objects as the correction of the checker who holds the image."""
    if head_id is None or head_id != image.annotation_id:
        raise _stale(image.id)
    said |= {"annotation_id": head_id, "verdict": Verdict.FIXED, "fixed": corrected}
    reviewed = save_review(visit, image.id, ReviewBody(**said))
    if isinstance(reviewed, Kept):
        raise _stale(image.id)
    revision = load_revision(visit.session, reviewed.review.fixed_annotation_id)
    assert revision is not None
    return Saved(revision, reviewed.image, None, reviewed.is_repeated)


def _require_shown(visit: Visit, image: Image, shown: ShownHead) -> None:
    """Raise StaleError where the image was saved or judged since it was shown."""
    if image.annotation_id != shown.head_id:
        raise _stale(image.id)
    on_head = Review.annotation_id == shown.head_id, Review.set_aside_at.is_(None)
    if visit.session.scalar(select(func.max(Review.id)).where(*on_head)) != shown.verdict_id:
        message = say(
            "Image {image_id} was judged meanwhile. Look at the verdict, then restore again.",
            image_id=image.id,
        )
        raise StaleError(message)


def _stale(image_id: int) -> StaleError:
    return StaleError(
        say(
            "Image {image_id} was saved meanwhile. Look at its newest revision, then restore "
            "again.",
            image_id=image_id,
        )
    )


def _take(visit: Visit, image: Image, said: Mapping[str, Any], shown: ShownHead) -> bool:
    """Lease the image where the visitor does not hold it; whether they go on from a draft."""
    if hold_image(visit, image.id, LeaseKind.ANNOTATE) is not None:
        return True
    of_key = Annotation.save_key == said["save_key"]
    repeated = exists().where(of_key, Annotation.image_id == image.id)
    if visit.session.scalar(select(repeated)):
        return False
    is_blind = is_blind_to(visit, image)
    if not is_blind:
        _require_shown(visit, image, shown)
    if is_blind and reopen_blind(visit, image.id) is not None:
        return True
    if visit.person.role is not Role.ORGANISER:
        take_own(visit, image)
        return False
    # An organiser takes what anyone drew; what was checked is checked again.
    sweep_leases(visit.session, at=visit.at)
    visit.session.refresh(image)
    if image.state is ImageState.CHECKED:
        reopen_image(visit, image, said["comment"])
    is_free = image.state in (*FREE_STATES, ImageState.RELEASED)
    if not is_free or not take_lease(visit, image.id, image.state, LeaseKind.ANNOTATE):
        is_busy = image.state in _BUSY
        state = name_term(image.state.words) if is_busy else say("with another person")
        raise LeaseLostError(
            say(
                "Image {image_id} cannot be restored: it is {state}.",
                image_id=image.id,
                state=state,
            )
        )
    return False
