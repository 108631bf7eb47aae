"""The revisions of an image: who made which, and how two differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import Session, joinedload

from catalog.refusals import ForbiddenError, NotFoundError
from catalog.sentences import say
from catalog.states import Beside, ImageState, Role, WordKind
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
from catalog.words import NO_WORDS, WordsOfKinds
from qa.blind_rows import find_blind_of, find_reference
from qa.repeats import is_repeat

from .blind import is_final
from .lease_endings import IS_OF_BOXES
from .reviews import find_verdict
from .revision_rows import get_image, load_revision
from .visit import Visit

MAX_SHOWN = 500
PLACES = ("box", "point", "parts")


def _describe(item: Object, words: WordsOfKinds) -> dict[str, Any]:
    """What two versions of an object are compared by, in the words of the JSON interface."""
    action = words[WordKind.ACTION]
    part = words[WordKind.PART]
    return {
        "class": words[WordKind.CLASS].today(item.class_id),
        "view": words[WordKind.VIEW].today(item.view),
        "truncated": item.truncated,
        "occluded": item.occluded,
        "difficult": item.difficult,
        "unsure": item.unsure,
        "group_of": item.group_of,
        "actions": list(dict.fromkeys(map(action.today, item.actions))),
        "box": item.box,
        "point": (item.point_x, item.point_y),
        "parts": [(part.today(drawn.word), drawn.box) for drawn in item.parts],
    }


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
    """An image and its revisions, the newest first."""

    image: Image
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
    as_drawn_by = find_author_of_repeat(visit, find_lease_of_boxes(visit, image))
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
    return History(image, entries)


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
    return load_changes(visit, first_id, second_id)


def load_changes(visit: Visit, first_id: int, second_id: int) -> tuple[list[Change], list[Object]]:
    """As compare_revisions, of two revisions that the visitor is known to see."""
    first = load_revision(visit.session, first_id)
    second = load_revision(visit.session, second_id)
    before = first.objects if first else ()
    after = second.objects if second else ()
    changes = list(compare_objects(before, after, visit.party.words))
    changed = {change.key for change in changes}
    return changes, [item for item in after if item.object_key not in changed]


def compare_with_verdict(visit: Visit, image: Image) -> tuple[list[Change], list[Object]]:
    """As compare_revisions, from what was judged last to the newest; nothing where none was."""
    last = find_verdict(visit.session, image.id)
    if last is None or image.annotation_id is None:
        return [], []
    seen_id = last.fixed_annotation_id or last.annotation_id
    return load_changes(visit, seen_id, image.annotation_id)


def compare_objects(
    before: Sequence[Object], after: Sequence[Object], words: WordsOfKinds = NO_WORDS
) -> Iterable[Change]:
    """The objects that differ, told apart by their keys: those of `after`, then the removed."""
    known = {item.object_key: item for item in before}
    for item in after:
        old = known.pop(item.object_key, None)
        if old is None:
            yield Change(item.object_key, "added", (), None, item)
            continue
        was = _describe(old, words)
        is_now = _describe(item, words)
        fields = tuple(name for name, value in is_now.items() if was[name] != value)
        if fields:
            kind = "moved" if set(PLACES).issuperset(fields) else "changed"
            yield Change(item.object_key, kind, fields, old, item)
    for item in known.values():
        yield Change(item.object_key, "removed", (), item, None)


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
    if find_author_of_repeat(visit, find_lease_of_boxes(visit, image)):
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


def find_lease_of_boxes(visit: Visit, image: Image) -> Lease | None:
    """The lease by which the visitor has the image open to annotate or check it, or None."""
    mine = (Lease.image_id == image.id, Lease.person_id == visit.person.id, IS_OF_BOXES)
    return visit.session.scalar(select(Lease).where(*mine))
