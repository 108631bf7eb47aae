"""The revisions of an image: who made which, how two differ, and one put back as new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import Session, joinedload

from catalog.refusals import (
    ForbiddenError,
    InvalidError,
    LeaseLostError,
    NotFoundError,
    StaleError,
)
from catalog.sentences import name_term, say
from catalog.states import Beside, ImageState, LeaseKind, Role, Verdict
from catalog.tables import (
    Annotation,
    BlindTask,
    Image,
    Lease,
    Object,
    Person,
    Release,
    ReleaseImage,
    Review,
)
from qa.blind_rows import find_blind_of, find_reference
from qa.repeats import is_repeat

from .blind import is_final, reopen_blind
from .bodies import FixedBody, ReviewBody, RevisionBody
from .image_actions import reopen_image
from .lease_endings import IS_OF_BOXES, sweep_leases
from .leases import FREE_STATES, hold_image, take_lease
from .reviews import find_verdict, save_review
from .revisions import Kept, Saved, get_image, load_revision, read_objects, save_revision
from .tasks import may_correct, take_own
from .visit import Visit

MAX_SHOWN = 500
_BUSY = (ImageState.ANNOTATING, ImageState.CHECKING)
PLACES = ("box", "point", "parts")
_FIELDS: Mapping[str, Callable[[Object], Any]] = {
    "class": lambda item: item.class_today,
    "view": lambda item: item.view,
    "truncated": lambda item: item.truncated,
    "occluded": lambda item: item.occluded,
    "difficult": lambda item: item.difficult,
    "unsure": lambda item: item.unsure,
    "actions": lambda item: list(item.actions),
    "box": lambda item: item.box,
    "point": lambda item: (item.point_x, item.point_y),
    "parts": lambda item: [(part.name, part.box) for part in item.parts],
}
"""What two versions of an object are compared by, in the words of the JSON interface."""


@dataclass(frozen=True)
class Change:
    """An object that differs: `kind` is added, removed, moved (only places) or changed."""

    key: str
    kind: str
    fields: tuple[str, ...]
    before: Object | None
    after: Object | None


@dataclass(frozen=True)
class RevisionEntry:
    """A revision without its objects; `beside` says why it never was the newest.

    `corrects` is the verdict that brought it, `reviews` are those on it, `releases` the names of
    those that hold it. `person` is the author as the visitor may know them.
    """

    annotation: Annotation
    person: Person
    beside: Beside | None
    is_head: bool
    objects: int
    corrects: Review | None
    reviews: Sequence[Review]
    releases: Sequence[str]


@dataclass(frozen=True)
class History:
    """An image and its revisions, the newest first; `may_restore`: a restore has a chance."""

    image: Image
    may_restore: bool
    revisions: Sequence[RevisionEntry]


def load_history(visit: Visit, image_id: int) -> History:
    """An image and its revisions, at most the MAX_SHOWN newest, as the visitor may see them.

    What was set aside is among them, and stale ones, which never were the newest. A checker who
    has an image again, not knowing that it was checked, sees it as it came. Raises NotFoundError,
    or ForbiddenError for a person who had no part in the image.
    """
    image = get_shown(visit, image_id)
    rows = visit.session.scalars(
        select(Annotation)
        .where(*_list_conditions(visit, image))
        .options(joinedload(Annotation.person))
        .order_by(Annotation.id.desc())
        .limit(MAX_SHOWN)
    ).all()
    ids = [row.id for row in rows]
    is_blind = is_blind_to(visit, image)
    as_drawn_by = find_author_of_repeat(visit, _find_lease(visit, image))
    verdicts = [] if as_drawn_by else _list_verdicts(visit.session, ids)
    corrects = {review.fixed_annotation_id: review for review in verdicts}
    objects = _count_objects(visit.session, ids)
    releases = _load_releases(visit.session, ids)
    blind = find_blind_of(visit.session, visit.person.id, image.id) if is_blind else None
    head_id = blind.annotation_id if blind else image.annotation_id
    entries = [
        RevisionEntry(
            annotation=row,
            person=as_drawn_by or row.person,
            beside=None if is_blind or row.set_aside_at else row.beside,
            is_head=row.id == head_id,
            objects=objects.get(row.id, 0),
            corrects=corrects.get(row.id),
            reviews=[review for review in verdicts if review.annotation_id == row.id],
            releases=releases.get(row.id, ()),
        )
        for row in rows
    ]
    return History(image, bool(rows) and _may_restore(visit, image), entries)


def _count_objects(session: Session, annotation_ids: Sequence[int]) -> dict[int, int]:
    counts = select(Object.annotation_id, func.count())
    counts = counts.where(Object.annotation_id.in_(annotation_ids)).group_by(Object.annotation_id)
    return dict(session.execute(counts).tuples().all())


def _list_verdicts(session: Session, annotation_ids: Sequence[int]) -> Sequence[Review]:
    """The verdicts on the revisions, in order."""
    judged = select(Review).where(Review.annotation_id.in_(annotation_ids))
    return session.scalars(judged.options(joinedload(Review.person)).order_by(Review.id)).all()


def _load_releases(session: Session, annotation_ids: Sequence[int]) -> dict[int, list[str]]:
    """The names of the releases that hold each revision."""
    frozen = select(ReleaseImage.annotation_id, Release.name).join(ReleaseImage.release)
    frozen = frozen.where(ReleaseImage.annotation_id.in_(annotation_ids)).order_by(Release.id)
    names = defaultdict[int, list[str]](list)
    for annotation_id, name in session.execute(frozen).tuples():
        names[annotation_id].append(name)
    return names


def compare_revisions(
    visit: Visit, image_id: int, first_id: int, second_id: int
) -> tuple[list[Change], list[Object]]:
    """How the second revision differs from the first, and what is the same; or NotFoundError."""
    image = get_shown(visit, image_id)
    for revision_id in (first_id, second_id):
        require_visible(visit, image, revision_id)
    return load_changes(visit.session, first_id, second_id)


def load_changes(
    session: Session, first_id: int, second_id: int
) -> tuple[list[Change], list[Object]]:
    """As compare_revisions, of two revisions that the visitor is known to see."""
    first = load_revision(session, first_id)
    second = load_revision(session, second_id)
    before = first.objects if first else ()
    after = second.objects if second else ()
    changes = list(compare_objects(before, after))
    changed = {change.key for change in changes}
    return changes, [item for item in after if item.object_key not in changed]


def list_changes_since_verdict(session: Session, image: Image) -> list[Change]:
    """How an image differs from the revision that was judged last; nothing where none was."""
    last = find_verdict(session, image.id)
    if last is None or image.annotation_id is None:
        return []
    seen_id = last.fixed_annotation_id or last.annotation_id
    return load_changes(session, seen_id, image.annotation_id)[0]


def compare_objects(before: Sequence[Object], after: Sequence[Object]) -> Iterable[Change]:
    """The objects that differ, told apart by their keys: those of `after`, then the removed."""
    known = {item.object_key: item for item in before}
    for item in after:
        old = known.pop(item.object_key, None)
        if old is None:
            yield Change(item.object_key, "added", (), None, item)
            continue
        fields = tuple(name for name, read in _FIELDS.items() if read(old) != read(item))
        if fields:
            kind = "moved" if set(PLACES).issuperset(fields) else "changed"
            yield Change(item.object_key, kind, fields, old, item)
    for item in known.values():
        yield Change(item.object_key, "removed", (), item, None)


def restore_revision(
    visit: Visit, image_id: int, revision_id: int, save_key: str, head_id: int | None
) -> Saved:
    """The new revision, with the objects of an earlier one, on top of the newest.

    While the visitor annotates the image it is a draft; while they check it, their correction. Else
    it is finished, and the image waits to be checked or is discarded, as the earlier one said.

    Raises StaleError where `head_id` is not the newest any more, InvalidError where a class is
    gone, ForbiddenError and LeaseLostError where the image is not the visitor's to change.
    """
    image = get_shown(visit, image_id)
    require_visible(visit, image, revision_id)
    revision = load_revision(visit.session, revision_id)
    assert revision is not None
    classes = {item.class_name for item in revision.objects}
    if unknown := sorted(classes.difference(visit.party.preset.class_names)):
        raise InvalidError(
            say(
                "Revision {revision_id} cannot be restored: this party no longer has the class "
                "{classes}; draw these objects again with a class it has.",
                revision_id=revision.id,
                classes=unknown,
            )
        )
    said: dict[str, Any] = {"save_key": save_key, "comment": f"Restored revision {revision.id}."}
    objects = read_objects(revision)
    if hold_image(visit, image_id, LeaseKind.CHECK) is not None:
        _refuse_discard(visit, revision)
        return _correct(visit, image, FixedBody(objects=objects), head_id, said)
    is_finished = not _take(visit, image, said, head_id)
    body = RevisionBody(
        parent_id=head_id,
        finish=is_finished,
        discard_reason=revision.discard_reason if is_finished else None,
        unsure_classes=tuple(revision.unsure_classes),
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


def _stale(image_id: int) -> StaleError:
    return StaleError(
        say(
            "Image {image_id} was saved meanwhile. Look at its newest revision, then restore "
            "again.",
            image_id=image_id,
        )
    )


def _take(visit: Visit, image: Image, said: Mapping[str, Any], head_id: int | None) -> bool:
    """Lease the image where the visitor does not hold it; whether they go on from a draft."""
    if hold_image(visit, image.id, LeaseKind.ANNOTATE) is not None:
        return True
    of_key = Annotation.save_key == said["save_key"]
    repeated = exists().where(of_key, Annotation.image_id == image.id)
    if visit.session.scalar(select(repeated)):
        return False
    is_blind = is_blind_to(visit, image)
    if not is_blind and image.annotation_id != head_id:
        raise _stale(image.id)
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
        state = name_term(image.state.words) if is_busy else say("open at another person")
        raise LeaseLostError(
            say(
                "Image {image_id} cannot be restored: it is {state}.",
                image_id=image.id,
                state=state,
            )
        )
    return False


def get_shown(visit: Visit, image_id: int) -> Image:
    """The image; raises NotFoundError where there is none or it was taken down."""
    image = get_image(visit.session, image_id)
    if image.state is ImageState.TAKEN_DOWN:
        raise NotFoundError(
            say(
                "Image {image_id} was taken down. It cannot be shown or changed.", image_id=image_id
            )
        )
    return image


def require_visible(visit: Visit, image: Image, revision_id: int) -> None:
    """Raise NotFoundError where the visitor sees no such revision of the image."""
    seen = exists().where(Annotation.id == revision_id, *_list_conditions(visit, image))
    if not visit.session.scalar(select(seen)):
        raise NotFoundError(
            say(
                "Image {image_id} has no revision {revision_id} that you can see.",
                image_id=image.id,
                revision_id=revision_id,
            )
        )


def is_blind_to(visit: Visit, image: Image) -> bool:
    """Whether the visitor must see nothing but their own revisions of the image."""
    task = find_blind_of(visit.session, visit.person.id, image.id)
    is_organiser = visit.person.role is Role.ORGANISER
    return task is not None and not (is_organiser and is_final(visit, task))


def _list_conditions(visit: Visit, image: Image) -> list[ColumnElement[bool]]:
    """What holds of the revisions that the visitor may see; another's blind answer never is one."""
    conditions = [Annotation.image_id == image.id]
    if find_author_of_repeat(visit, _find_lease(visit, image)):
        conditions.append(Annotation.id == image.annotation_id)
    if is_blind_to(visit, image):
        conditions.append(Annotation.person_id == visit.person.id)
    elif visit.person.role is not Role.ORGANISER:
        me = visit.person.id
        of_image = Annotation.image_id == image.id
        part = or_(
            exists().where(of_image, Annotation.person_id == me),
            exists().where(Lease.image_id == image.id, Lease.person_id == me, IS_OF_BOXES),
            exists().where(of_image, Review.annotation_id == Annotation.id, Review.person_id == me),
        )
        if not visit.session.scalar(select(part)):
            message = say(
                "You did not work on image {image_id}. Ask an organiser for its history.",
                image_id=image.id,
            )
            raise ForbiddenError(message)
        blind = exists().where(
            BlindTask.image_id == Annotation.image_id, BlindTask.person_id == Annotation.person_id
        )
        conditions.append(or_(Annotation.is_stale.is_(False), ~blind))
    return conditions


def find_author_of_repeat(visit: Visit, lease: Lease | None) -> Person | None:
    """Who drew what the visitor holds to check as if it were the first time; else None."""
    if lease is None or not is_repeat(visit.session, lease, visit.settings.qa):
        return None
    first = visit.session.get(Annotation, find_reference(visit.session, lease.image_id) or 0)
    return first.person if first else None


def _may_restore(visit: Visit, image: Image) -> bool:
    """Whether a restore has a chance: who holds the image meanwhile is seen when it is tried."""
    if visit.person.role is Role.ORGANISER and not is_blind_to(visit, image):
        return True
    is_own = image.annotation is not None and image.annotation.person_id == visit.person.id
    if (is_own and image.state in FREE_STATES) or may_correct(visit, image.state):
        return True
    return _find_lease(visit, image) is not None


def _find_lease(visit: Visit, image: Image) -> Lease | None:
    mine = (Lease.image_id == image.id, Lease.person_id == visit.person.id, IS_OF_BOXES)
    return visit.session.scalar(select(Lease).where(*mine))
