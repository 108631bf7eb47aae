"""The revisions of an image: who made which, how two differ, and an earlier one put back."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, exists, func, or_, select
from sqlalchemy.orm import Session, joinedload

from annotate_ui.api.answers import format_revision
from annotate_ui.api.schemas import ReviewBody, RevisionBody, parse_body
from annotate_ui.errors import (
    ForbiddenError,
    InvalidError,
    LeaseLostError,
    NotFoundError,
    StaleError,
)
from annotate_ui.visit import Visit
from catalog.states import ImageState, LeaseKind, Role, Verdict
from catalog.tables import (
    Annotation,
    BlindTask,
    Image,
    Lease,
    Object,
    Release,
    ReleaseImage,
    Review,
)
from catalog.transitions import move_image
from qa.blind_rows import find_blind_of

from .leases import FREE_STATES, hold_image, sweep_leases, take_lease
from .reviews import save_review
from .revision_rows import get_image, load_revision
from .revisions import Kept, Saved, save_revision
from .tasks import reopen

MAX_SHOWN = 500
FIELDS = (
    *("class", "box", "view", "truncated", "occluded", "difficult", "unsure"),
    *("actions", "point", "parts"),
)
"""What two versions of an object are compared by."""

ObjectJson = Mapping[str, Any]
"""An object as REVISION has it."""

_PLACES = frozenset({"box", "point", "parts"})


@dataclass(frozen=True)
class Shown:
    """A revision, the number of its objects, the verdicts on it and the releases that hold it.

    `is_head` is what the image shows now; `is_beside` is kept but never was that.
    """

    annotation: Annotation
    objects: int
    reviews: Sequence[Review]
    corrects: Review | None
    releases: Sequence[str]
    is_head: bool
    is_beside: bool


@dataclass(frozen=True)
class History:
    """An image and its revisions, the newest first, as far as the visitor may see them."""

    image: Image
    revisions: Sequence[Shown]
    may_restore: bool


@dataclass(frozen=True)
class Change:
    """An object that differs: `kind` is added, removed, moved (only places) or changed."""

    key: str
    kind: str
    fields: tuple[str, ...]
    before: ObjectJson | None
    after: ObjectJson | None


def load_history(visit: Visit, image_id: int) -> History:
    """The revisions of an image, at most the MAX_SHOWN newest.

    Raises NotFoundError, or ForbiddenError for a person who had no part in the image.
    """
    image = _get_shown(visit, image_id)
    rows = _list_visible(visit, image)
    ids = [row.id for row in rows]
    is_blind = _is_blind(visit, image)
    counts = _count_objects(visit, ids)
    reviews, corrects = _load_reviews(visit, ids)
    releases = _load_releases(visit, ids)
    head_id = (ids[0] if ids else None) if is_blind else image.annotation_id
    shown = [
        Shown(
            row,
            counts.get(row.id, 0),
            reviews.get(row.id, ()),
            corrects.get(row.id),
            releases.get(row.id, ()),
            is_head=row.id == head_id,
            is_beside=row.is_stale and not is_blind,
        )
        for row in rows
    ]
    return History(image, shown, may_restore=bool(rows) and _may_restore(visit, image))


def compare_revisions(
    visit: Visit, image_id: int, first_id: int, second_id: int
) -> tuple[list[Change], list[ObjectJson]]:
    """How the second revision differs from the first, and the objects that stayed the same.

    Raises NotFoundError where the visitor sees no such revision of the image.
    """
    image = _get_shown(visit, image_id)
    seen = {row.id for row in _list_visible(visit, image)}
    for revision_id in (first_id, second_id):
        if revision_id not in seen:
            raise _unseen(image_id, revision_id)
    return load_changes(visit.session, first_id, second_id)


def load_changes(
    session: Session, first_id: int, second_id: int
) -> tuple[list[Change], list[ObjectJson]]:
    """As compare_revisions, of two revisions that the visitor is known to see."""
    before, after = (_load_objects(session, one) for one in (first_id, second_id))
    changes = list(compare_objects(before, after))
    changed = {change.key for change in changes}
    return changes, [item for item in after if item["key"] not in changed]


def compare_objects(before: Sequence[ObjectJson], after: Sequence[ObjectJson]) -> Iterable[Change]:
    """The objects that differ, told apart by their keys: those of `after`, then the removed."""
    known = {item["key"]: item for item in before}
    for item in after:
        old = known.pop(item["key"], None)
        if old is None:
            yield Change(item["key"], "added", (), None, item)
            continue
        fields = tuple(name for name in FIELDS if old[name] != item[name])
        if fields:
            kind = "moved" if _PLACES.issuperset(fields) else "changed"
            yield Change(item["key"], kind, fields, old, item)
    for item in known.values():
        yield Change(item["key"], "removed", (), item, None)


def restore_revision(
    visit: Visit, image_id: int, revision_id: int, save_key: str, head_id: int | None
) -> Saved:
    """The new revision, with the objects of an earlier one, on top of the newest.

    While the visitor annotates the image it is a draft, and they go on from it; while they check
    it, it is their correction. Else it is finished, and the image waits to be checked, or is
    discarded where the earlier revision said so.

    Raises StaleError where `head_id` is not the newest any more, InvalidError where the party has
    no such class any more, ForbiddenError and LeaseLostError where the image is not the visitor's
    to change.
    """
    image = _get_shown(visit, image_id)
    if revision_id not in {row.id for row in _list_visible(visit, image)}:
        raise _unseen(image_id, revision_id)
    revision = load_revision(visit.session, revision_id)
    assert revision is not None
    _refuse_unknown_classes(visit, revision)
    if hold_image(visit, image_id, LeaseKind.CHECK) is not None:
        return _correct(visit, revision, save_key, head_id)
    is_held = hold_image(visit, image_id, LeaseKind.ANNOTATE) is not None
    is_repeated = visit.session.scalar(
        select(exists().where(Annotation.save_key == save_key, Annotation.image_id == image_id))
    )
    if not is_repeated and not is_held:
        if image.annotation_id != head_id and not _is_blind(visit, image):
            raise _stale(image_id)
        is_held = _take(visit, image)
    saved = save_revision(
        visit, image_id, _make_body(revision, save_key, head_id, is_finished=not is_held)
    )
    if isinstance(saved, Kept):
        raise _stale(image_id)
    return saved


def _correct(visit: Visit, revision: Annotation, save_key: str, head_id: int | None) -> Saved:
    """The revision as the correction of the checker who holds the image."""
    body = {
        "save_key": save_key,
        "annotation_id": head_id,
        "verdict": Verdict.MENDED,
        "comment": _describe(revision),
        "mended": {"objects": _pack_objects(revision)},
    }
    reviewed = save_review(
        visit, revision.image_id, parse_body(ReviewBody, json.dumps(body).encode())
    )
    if isinstance(reviewed, Kept):
        raise _stale(revision.image_id)
    corrected = load_revision(visit.session, reviewed.review.mended_annotation_id)
    assert corrected is not None
    return Saved(corrected, reviewed.image, None, reviewed.is_repeated)


def _stale(image_id: int) -> StaleError:
    return StaleError(
        f"Image {image_id} was saved in between; look at its newest revision, then restore again."
    )


def _get_shown(visit: Visit, image_id: int) -> Image:
    image = get_image(visit.session, image_id)
    if image.state is ImageState.TAKEN_DOWN:
        raise NotFoundError(f"Image {image_id} was taken down; nothing of it is shown or changed.")
    return image


def _is_blind(visit: Visit, image: Image) -> bool:
    """Whether the visitor must see nothing but their own revisions of the image."""
    task = find_blind_of(visit.session, visit.person.id, image.id)
    if task is None:
        return False
    return visit.person.role is not Role.ORGANISER or task.finished_at is None


def _list_visible(visit: Visit, image: Image) -> list[Annotation]:
    """The revisions that the visitor may see, the newest first; another's blind answer never."""
    me = visit.person.id
    conditions = [Annotation.image_id == image.id]
    if _is_blind(visit, image):
        conditions.append(Annotation.person_id == me)
    elif visit.person.role is not Role.ORGANISER:
        _refuse_stranger(visit, image)
        blind = exists().where(
            BlindTask.image_id == Annotation.image_id, BlindTask.person_id == Annotation.person_id
        )
        conditions.append(or_(Annotation.is_stale.is_(False), ~blind))
    rows = visit.session.scalars(
        select(Annotation)
        .where(and_(*conditions))
        .options(joinedload(Annotation.person))
        .order_by(Annotation.id.desc())
        .limit(MAX_SHOWN)
    )
    return list(rows)


def _refuse_stranger(visit: Visit, image: Image) -> None:
    """Raise ForbiddenError for a person who never drew on, checked or held the image."""
    me = visit.person.id
    part = or_(
        exists().where(Annotation.image_id == image.id, Annotation.person_id == me),
        exists().where(Lease.image_id == image.id, Lease.person_id == me),
        exists().where(
            Annotation.image_id == image.id,
            Review.annotation_id == Annotation.id,
            Review.person_id == me,
        ),
    )
    if not visit.session.scalar(select(part)):
        raise ForbiddenError(
            f"You had no part in image {image.id}; ask an organiser for its history."
        )


def _count_objects(visit: Visit, ids: Sequence[int]) -> dict[int, int]:
    rows = visit.session.execute(
        select(Object.annotation_id, func.count())
        .where(Object.annotation_id.in_(ids))
        .group_by(Object.annotation_id)
    )
    return dict(rows.tuples().all())


def _load_reviews(
    visit: Visit, ids: Sequence[int]
) -> tuple[dict[int, list[Review]], dict[int, Review]]:
    """The verdicts on each revision, and the one that brought each corrected revision with it."""
    reviews: dict[int, list[Review]] = defaultdict(list)
    corrects: dict[int, Review] = {}
    rows = visit.session.scalars(
        select(Review)
        .where(Review.annotation_id.in_(ids))
        .options(joinedload(Review.person))
        .order_by(Review.id)
    )
    for review in rows:
        reviews[review.annotation_id].append(review)
        if review.mended_annotation_id is not None:
            corrects[review.mended_annotation_id] = review
    return reviews, corrects


def _load_releases(visit: Visit, ids: Sequence[int]) -> dict[int, list[str]]:
    releases: dict[int, list[str]] = defaultdict(list)
    rows = visit.session.execute(
        select(ReleaseImage.annotation_id, Release.name)
        .join(Release, Release.id == ReleaseImage.release_id)
        .where(ReleaseImage.annotation_id.in_(ids))
        .order_by(Release.id)
    )
    for annotation_id, name in rows.tuples():
        releases[annotation_id].append(name)
    return releases


def _load_objects(session: Session, revision_id: int) -> Sequence[ObjectJson]:
    revision = load_revision(session, revision_id)
    objects: list[ObjectJson] = format_revision(revision)["objects"] if revision else []
    return objects


def _unseen(image_id: int, revision_id: int) -> NotFoundError:
    return NotFoundError(f"Image {image_id} has no revision {revision_id} that you may see.")


def _may_restore(visit: Visit, image: Image) -> bool:
    """Whether a restore has a chance: who holds the image meanwhile is seen when it is tried."""
    if image.state is ImageState.RELEASED:
        return False
    if visit.person.role is Role.ORGANISER and not _is_blind(visit, image):
        return True
    is_own = image.annotation is not None and image.annotation.person_id == visit.person.id
    held = select(exists().where(Lease.image_id == image.id, Lease.person_id == visit.person.id))
    return (is_own and image.state in FREE_STATES) or bool(visit.session.scalar(held))


def _take(visit: Visit, image: Image) -> bool:
    """Lease the image for the restore; whether the visitor goes on from a draft (a blind task)."""
    if _is_blind(visit, image) or visit.person.role is not Role.ORGANISER:
        reopen(visit, image.id)
        return _is_blind(visit, image)
    sweep_leases(visit.session, at=visit.at)
    visit.session.refresh(image)
    if image.state is ImageState.CHECKED:  # what was checked is checked again
        for leaves, enters in (
            (ImageState.CHECKED, ImageState.CHECKING),
            (ImageState.CHECKING, ImageState.ANNOTATED),
        ):
            move_image(visit.session, image.id, leaves, enters, at=visit.at)
        visit.session.refresh(image)
    is_free = image.state in FREE_STATES
    if not is_free or not take_lease(visit, image.id, image.state, LeaseKind.ANNOTATE):
        raise LeaseLostError(
            f"Image {image.id} cannot be restored: it is {_STATES.get(image.state, 'at work')}."
        )
    return False


_STATES = {
    ImageState.ANNOTATING: "being annotated",
    ImageState.CHECKING: "being checked",
    ImageState.RELEASED: "part of a release",
}


def _refuse_unknown_classes(visit: Visit, revision: Annotation) -> None:
    known = visit.party.preset.class_names
    unknown = sorted({item.class_name for item in revision.objects}.difference(known))
    if unknown:
        raise InvalidError(
            f"Revision {revision.id} cannot be restored: the party has no class "
            f"{', '.join(unknown)} any more; draw these objects again with a class it has."
        )


def _make_body(
    revision: Annotation, save_key: str, head_id: int | None, *, is_finished: bool
) -> RevisionBody:
    body = {
        "save_key": save_key,
        "parent_id": head_id,
        "finish": is_finished,
        "discard_reason": revision.discard_reason if is_finished else None,
        "comment": _describe(revision),
        "unsure_classes": revision.unsure_classes,
        "objects": _pack_objects(revision),
    }
    return parse_body(RevisionBody, json.dumps(body).encode())


def _pack_objects(revision: Annotation) -> list[Mapping[str, Any]]:
    """The objects as a save sends them: `difficult` is carried over from the newest revision."""
    objects = format_revision(revision)["objects"]
    return [{name: item[name] for name in item if name != "difficult"} for item in objects]


def _describe(revision: Annotation) -> str:
    return f"Restored revision {revision.id}."
