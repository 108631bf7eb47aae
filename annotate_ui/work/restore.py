"""An earlier revision of an image, put back as a new one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import exists, select

from annotate_ui.api.answers import format_revision
from annotate_ui.api.schemas import ReviewBody, RevisionBody, parse_body
from annotate_ui.errors import InvalidError, LeaseLostError, StaleError
from annotate_ui.visit import Visit
from catalog.states import ImageState, LeaseKind, Role, Verdict
from catalog.tables import Annotation, Image
from catalog.transitions import move_image

from .blind import reopen_blind
from .history import get_shown, is_blind_to, require_visible
from .leases import FREE_STATES, hold_image, sweep_leases, take_lease
from .reviews import save_review
from .revisions import Kept, Saved, load_revision, save_revision
from .tasks import take_own

_BUSY = {ImageState.ANNOTATING: "being annotated", ImageState.CHECKING: "being checked"}


def restore_revision(
    visit: Visit, image_id: int, revision_id: int, save_key: str, head_id: int | None
) -> Saved:
    """The new revision, with the objects of an earlier one, on top of the newest.

    While the visitor annotates the image it is a draft, and they go on from it; while they check
    it, it is their correction. Else it is finished, and the image waits to be checked, or is
    discarded where the earlier revision said so. A released image goes to checking as well; its
    release keeps the revision that it has.

    Raises StaleError where `head_id` is not the newest any more, InvalidError where the party has
    no such class any more, ForbiddenError and LeaseLostError where the image is not the visitor's
    to change.
    """
    image = get_shown(visit, image_id)
    require_visible(visit, image, revision_id)
    revision = load_revision(visit.session, revision_id)
    assert revision is not None
    _refuse_unknown_classes(visit, revision)
    if hold_image(visit, image_id, LeaseKind.CHECK) is not None:
        saved = _correct(visit, revision, save_key, head_id)
    else:
        is_finished = not _take(visit, image, save_key, head_id)
        content = {
            "save_key": save_key,
            "parent_id": head_id,
            "finish": is_finished,
            "discard_reason": revision.discard_reason if is_finished else None,
            "comment": _describe(revision),
            "unsure_classes": revision.unsure_classes,
            "objects": _pack_objects(revision),
        }
        body = parse_body(RevisionBody, json.dumps(content).encode())
        saved = save_revision(visit, image_id, body)
    if isinstance(saved, Kept):
        raise _stale(image_id)
    return saved


def _correct(
    visit: Visit, revision: Annotation, save_key: str, head_id: int | None
) -> Saved | Kept:
    """The revision as the correction of the checker who holds the image."""
    content = {"comment": _describe(revision), "mended": {"objects": _pack_objects(revision)}}
    named = {"save_key": save_key, "annotation_id": head_id, "verdict": Verdict.MENDED}
    body = parse_body(ReviewBody, json.dumps(content | named).encode())
    reviewed = save_review(visit, revision.image_id, body)
    if isinstance(reviewed, Kept):
        return reviewed
    corrected = load_revision(visit.session, reviewed.review.mended_annotation_id)
    assert corrected is not None
    return Saved(corrected, reviewed.image, None, reviewed.is_repeated)


def _stale(image_id: int) -> StaleError:
    return StaleError(
        f"Image {image_id} was saved in between; look at its newest revision, then restore again."
    )


def _take(visit: Visit, image: Image, save_key: str, head_id: int | None) -> bool:
    """Lease the image where the visitor does not hold it; whether they go on from a draft."""
    if hold_image(visit, image.id, LeaseKind.ANNOTATE) is not None:
        return True
    repeated = exists().where(Annotation.save_key == save_key, Annotation.image_id == image.id)
    if visit.session.scalar(select(repeated)):
        return False
    is_blind = is_blind_to(visit, image)
    if not is_blind and image.annotation_id != head_id:
        raise _stale(image.id)
    if is_blind and reopen_blind(visit, image.id) is not None:
        return True
    if visit.person.role is Role.ORGANISER:
        _take_any(visit, image)
    else:
        take_own(visit, image)
    return False


def _take_any(visit: Visit, image: Image) -> None:
    """Lease an image for an organiser, whoever drew on it; what was checked is checked again."""
    sweep_leases(visit.session, at=visit.at)
    visit.session.refresh(image)
    if image.state is ImageState.CHECKED:
        for enters in (ImageState.CHECKING, ImageState.ANNOTATED):
            move_image(visit.session, image.id, image.state, enters, at=visit.at)
            visit.session.refresh(image)
    is_free = image.state in (*FREE_STATES, ImageState.RELEASED)
    if not is_free or not take_lease(visit, image.id, image.state, LeaseKind.ANNOTATE):
        state = _BUSY.get(image.state, "at work")
        raise LeaseLostError(f"Image {image.id} cannot be restored: it is {state}.")


def _refuse_unknown_classes(visit: Visit, revision: Annotation) -> None:
    known = visit.party.preset.class_names
    unknown = sorted({item.class_name for item in revision.objects}.difference(known))
    if unknown:
        why = f"the party has no class {', '.join(unknown)} any more"
        what = "draw these objects again with a class it has"
        raise InvalidError(f"Revision {revision.id} cannot be restored: {why}; {what}.")


def _pack_objects(revision: Annotation) -> list[Mapping[str, Any]]:
    """The objects as a save sends them: `difficult` is carried over from the newest revision."""
    objects = format_revision(revision)["objects"]
    return [{name: item[name] for name in item if name != "difficult"} for item in objects]


def _describe(revision: Annotation) -> str:
    return f"Restored revision {revision.id}."
