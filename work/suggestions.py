"""Suggestions on the page: what is shown of them, and what a saved revision did with them.

A lottery withholds them from a share of the images, so that the party measures what they do.
Whether an object was accepted as it was or corrected is compared here, not asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam, func, insert, select, union_all
from sqlalchemy.orm import Session

from catalog.box import Box, overlap
from catalog.instances import find_token
from catalog.refusals import refuse
from catalog.sentences import say
from catalog.settings import Settings
from catalog.states import Suggested, Taster, WordKind
from catalog.suggested import is_confirmed, stands
from catalog.tables import (
    Annotation,
    Object,
    Suggestion,
    SuggestionBlank,
    SuggestionRejection,
    SuggestionSet,
)

from .bodies import ObjectBody
from .visit import Visit

MOST_SHOWN = 200
"""Suggestions of one image; a page with more is slower than drawing."""
SAME_OBJECT = 0.7
"""Two confirmed boxes of a class that overlap by more are of one object."""
_LOOKS = union_all(
    *(
        select(SuggestionSet.id)
        .join(table, table.set_id == SuggestionSet.id)
        .where(table.image_id == bindparam("image_id"), SuggestionSet.is_shown)
        for table in (SuggestionBlank, Suggestion)
    )
).limit(1)
"""A set that is on and looked at an image; made once, since each image that is opened asks."""
_OF_IMAGE = (
    select(Suggestion, is_confirmed().label("is_confirmed"))
    .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
    .where(Suggestion.image_id == bindparam("image_id"), SuggestionSet.is_shown, stands())
    .order_by(Suggestion.confidence.desc(), Suggestion.id)
)
"""The suggestions of an image and whether each is confirmed; made once for the same reason."""


@dataclass(frozen=True, slots=True)
class SuggestedBox:
    """One suggestion as the page shows it; `class_id` counts today, `mask` is COCO's RLE.

    `parts` are as those of Suggestion.
    `is_confirmed` where two people called its crop right, on the verification page.
    """

    id: int
    set_id: int
    class_id: str
    box: Box
    confidence: float
    mask: str | None
    is_confirmed: bool = False
    parts: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Offer:
    """What the page of an image gets: the best suggestions first, none where they are withheld.

    `is_covered` says whether a set that is on looked at the image, though it may have found
    nothing. No page is told why it gets none.
    """

    suggestions: tuple[SuggestedBox, ...] = ()
    is_covered: bool = False
    is_withheld: bool = False


@dataclass(frozen=True)
class Shown:
    """What a revision notes of suggestions, in the columns of Annotation."""

    suggestions_shown: int | None = None
    suggestions_withheld: bool = False


def offer_suggestions(
    visit: Visit, image_id: int, *, taster: Taster | None = None, is_double: bool = False
) -> Offer:
    """The suggestions that the visitor sees on an image.

    Who annotates an image a second time, as `is_double` says, gets none, so that both can be
    compared; nobody can tell that from the lottery. Nor does an image for one task alone, where
    people choose whom they draw: it is as one that no set covers, and measures nothing of them.
    """
    if taster is not None:
        return Offer()
    classes = visit.party.preset.class_ids.values()
    suggestions = load_for_image(visit.session, image_id, classes)
    if not (suggestions or _is_covered(visit.session, image_id)):
        return Offer()
    share = find_withheld_share(visit.party.settings)
    if is_double or is_withheld(find_token(visit.session) or "", image_id, share):
        return Offer(is_covered=True, is_withheld=True)
    return Offer(suggestions, is_covered=True)


def _is_covered(session: Session, image_id: int) -> bool:
    """Whether a set that is on looked at an image."""
    return session.scalar(_LOOKS, {"image_id": image_id}) is not None


def note_shown(
    visit: Visit,
    image_id: int,
    given: int,
    *,
    taster: Taster | None = None,
    is_double: bool = False,
) -> Shown:
    """What the page of a revision showed: as many suggestions as it says that it was given.

    Where it had none, they were withheld, or nothing was found, or no set covers the image. A set
    that was switched on or off while the page was open changes nothing of what the person saw.
    """
    if given > 0 and taster is None:
        return Shown(given)
    offer = offer_suggestions(visit, image_id, taster=taster, is_double=is_double)
    if offer.suggestions or not offer.is_covered:
        return Shown()
    return Shown(0, offer.is_withheld)


def load_for_image(
    session: Session, image_id: int, classes: Collection[str]
) -> tuple[SuggestedBox, ...]:
    """The best suggestions of an image for these classes, of sets that are on, the best first."""
    known = set(classes)
    rows = [
        row
        for row in session.execute(_OF_IMAGE, {"image_id": image_id}).tuples()
        if row[0].class_today in known
    ]
    boxes = list[SuggestedBox]()
    for row, is_by_two in rows[:MOST_SHOWN]:
        box = SuggestedBox(
            id=row.id,
            set_id=row.set_id,
            class_id=row.class_today,
            box=row.box,
            confidence=row.confidence,
            mask=row.mask,
            parts=row.parts or (),
        )
        is_first = bool(is_by_two) and not _is_twice(box, boxes)
        boxes.append(replace(box, is_confirmed=is_first))
    return tuple(boxes)


def _is_twice(box: SuggestedBox, others: Iterable[SuggestedBox]) -> bool:
    """Whether a confirmed box is there already: two models may suggest one object."""
    return any(
        other.is_confirmed
        and other.class_id == box.class_id
        and overlap(other.box, box.box) > SAME_OBJECT
        for other in others
    )


def find_withheld_share(settings: Settings) -> float:
    """From which share of the images suggestions are withheld: none where people draw them."""
    return 0.0 if settings.questions.boxes else settings.suggestions.withheld


def is_withheld(token: str, image_id: int, share: float) -> bool:
    """Whether the lottery of the party with this token withholds an image's suggestions."""
    digest = hashlib.sha256(f"suggestions {token} {image_id}".encode()).digest()
    return int.from_bytes(digest[:4]) < share * 2**32


def list_rejected(session: Session, annotation_id: int | None) -> list[int]:
    """The suggestions that the author of a revision rejected."""
    of_revision = SuggestionRejection.annotation_id == annotation_id
    rejected = select(SuggestionRejection.suggestion_id).where(of_revision)
    return list(session.scalars(rejected.order_by(SuggestionRejection.suggestion_id)))


def count_outdated(session: Session, annotation: Annotation) -> int:
    """How many objects of a revision are suggestions as they were, of sets that are off today."""
    accepted = [
        item.suggestion_id for item in annotation.objects if item.suggested is Suggested.ACCEPTED
    ]
    if not accepted:
        return 0
    of_set = select(func.count()).join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
    is_off = (Suggestion.id.in_(accepted), SuggestionSet.is_shown.is_(False))
    return session.scalar(of_set.select_from(Suggestion).where(*is_off)) or 0


@dataclass(frozen=True)
class Handled:
    """What a revision does with suggestions: with which objects by key, and which it rejects."""

    objects: Mapping[str, tuple[int, Suggested]]
    rejected: Sequence[int] = ()


def judge_suggestions(
    visit: Visit,
    image_id: int,
    parent_id: int | None,
    objects: Sequence[ObjectBody],
    rejected: Sequence[int] = (),
) -> Handled:
    """What the objects of a revision were made of, and which suggestions it rejects.

    An object that names no suggestion keeps that of the revision before. A suggestion makes one
    object, the first that names it, and is not rejected then. One that is gone, lost by a restore,
    is ignored; raises InvalidError for one of another image.
    """
    named = _name_suggestions(visit.session, parent_id, objects)
    rows = _load_named(visit.session, {*named.values(), *rejected})
    places = {item.key: f"objects.{place}.suggestion_id" for place, item in enumerate(objects)}
    for key, suggestion_id in named.items():
        _require_of_image(rows, suggestion_id, image_id, places[key])
    for place, suggestion_id in enumerate(rejected):
        _require_of_image(rows, suggestion_id, image_id, f"rejected.{place}")
    made = dict[str, tuple[int, Suggested]]()
    used = set[int]()
    today = visit.party.words[WordKind.CLASS].today
    confirmed = _find_confirmed(visit.session, rows.values())
    for item in objects:
        row = rows.get(named.get(item.key, 0))
        if row is None or row.id in used:
            continue
        used.add(row.id)
        is_same = row.box.xyxy == item.box and row.class_today == today(item.class_id)
        is_same = is_same and (row.id in confirmed or _has_parts_of(visit, item, row))
        made[item.key] = (row.id, Suggested.ACCEPTED if is_same else Suggested.CORRECTED)
    return Handled(made, sorted({*rejected} & rows.keys() - used))


def _find_confirmed(session: Session, rows: Iterable[Suggestion]) -> set[int]:
    """Which of those with parts two people confirmed: they saw the box alone, so it has none."""
    ids = [row.id for row in rows if row.parts]
    if not ids:
        return set()
    return set(session.scalars(select(Suggestion.id).where(Suggestion.id.in_(ids), is_confirmed())))


def _has_parts_of(visit: Visit, item: ObjectBody, row: Suggestion) -> bool:
    """Whether an object has all parts that were suggested, as they were; it may have more."""
    spec = visit.party.find_class_today(item.class_id)
    if not row.parts or spec is None or not spec.has_parts:
        return True
    today = visit.party.words[WordKind.PART].today
    known = {part.key for part in visit.party.preset.parts}
    drawn = {(today(part.part), tuple(part.box)) for part in item.parts}
    suggested = {(today(part["part"]), tuple(part["box"])) for part in row.parts}
    return all(part in drawn for part in suggested if part[0] in known)


def _name_suggestions(
    session: Session, parent_id: int | None, objects: Sequence[ObjectBody]
) -> dict[str, int]:
    """The suggestion of each object that names one, or whose key in the parent has one."""
    before = dict[str, int]()
    if parent_id is not None:
        of_parent = select(Object.object_key, Object.suggestion_id).where(
            Object.annotation_id == parent_id, Object.suggestion_id.is_not(None)
        )
        before = {key: number for key, number in session.execute(of_parent) if number}
    named = ((item.key, item.suggestion_id or before.get(item.key)) for item in objects)
    return {key: number for key, number in named if number}


def _load_named(session: Session, ids: Iterable[int]) -> dict[int, Suggestion]:
    wanted = sorted(ids)
    if not wanted:
        return {}
    rows = session.scalars(select(Suggestion).where(Suggestion.id.in_(wanted)))
    return {row.id: row for row in rows}


def _require_of_image(
    rows: Mapping[int, Suggestion], suggestion_id: int, image_id: int, field: str
) -> None:
    row = rows.get(suggestion_id)
    if row is not None and row.image_id != image_id:
        refuse(field, say("the image has no suggestion {number}", number=suggestion_id))


def store_rejections(session: Session, annotation_id: int, rejected: Sequence[int]) -> None:
    """Note which suggestions the author of a new revision rejected."""
    rows = [{"annotation_id": annotation_id, "suggestion_id": number} for number in rejected]
    if rows:
        session.execute(insert(SuggestionRejection), rows)
