"""Looking images up by everything that is recorded of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, func, or_, select
from sqlalchemy.orm import Session, selectinload

from annotate_ui.errors import InvalidError
from catalog.states import ImageState, Split, View
from catalog.tables import (
    Annotation,
    Finding,
    Image,
    Object,
    Part,
    Person,
    Photo,
    Query,
    ReleaseImage,
    Review,
)
from qa.finding_rows import is_open

from .campaigns import is_of_campaign

PAGE = 48
MOST_COUNTED = 10_000
"""A page says "more than" above so many; counting all of a large party takes longer."""

Condition = ColumnElement[bool]


@dataclass(frozen=True)
class Found:
    """One page of images, the newest first; `total` is at most MOST_COUNTED + 1.

    `next_before` is where the next page goes on, None on the last.
    """

    images: Sequence[Image]
    total: int
    next_before: int | None


def parse_filters(
    args: Mapping[str, str], former_classes: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The filters that a query string or the command's options give, without empty ones.

    A class that was renamed is meant by its former name too.

    Raises InvalidError for a filter that does not exist or a value that it cannot have.
    """
    filters = {name: word.strip() for name, word in args.items() if word.strip()}
    for name, word in filters.items():
        if name not in FILTERS:
            message = f"There is no filter {name}; there are {', '.join(FILTERS)}."
            raise InvalidError(message, field=name)
        if "\x00" in word or len(word) > 200:
            raise InvalidError(f"{name} is wrong: expected at most 200 characters.", field=name)
    if "class" in filters:
        filters["class"] = (former_classes or {}).get(filters["class"], filters["class"])
    make_conditions(filters)
    return filters


def make_conditions(filters: Mapping[str, str]) -> list[Condition]:
    """What an image has to fulfil. Raises InvalidError.

    The filters of objects (class, view, flag, part, action) hold for one and the same object.
    """
    of_object = [OBJECT_FILTERS[name](filters[name]) for name in OBJECT_FILTERS if name in filters]
    conditions = [IMAGE_FILTERS[name](filters[name]) for name in IMAGE_FILTERS if name in filters]
    if of_object:
        conditions.append(Image.annotation_id.in_(select(Object.annotation_id).where(*of_object)))
    return conditions


def find_images(
    session: Session, conditions: Sequence[Condition], *, before: int | None = None
) -> Found:
    """The images that fulfil all conditions, a page of them, with objects, authors and photos."""
    matching = select(Image.id).where(*conditions)
    counted = matching.limit(MOST_COUNTED + 1).subquery()
    page = matching if before is None else matching.where(Image.id < before)
    ids = session.scalars(page.order_by(Image.id.desc()).limit(PAGE + 1)).all()
    whole = selectinload(Image.annotation)
    images = session.scalars(
        select(Image)
        .where(Image.id.in_(ids[:PAGE]))
        .order_by(Image.id.desc())
        .options(whole.selectinload(Annotation.objects), whole.joinedload(Annotation.person))
        .options(selectinload(Image.photos))
    ).all()
    total = session.scalar(select(func.count()).select_from(counted)) or 0
    return Found(images, total, ids[PAGE - 1] if len(ids) > PAGE else None)


def list_rows(
    session: Session, filters: Mapping[str, str], limit: int
) -> tuple[list[dict[str, Any]], int]:
    """The images that the filters find, as `vocparty images` prints them, and how many match."""
    conditions, rows, before = make_conditions(filters), list[dict[str, Any]](), None
    while True:
        found = find_images(session, conditions, before=before)
        rows += [_describe(image) for image in found.images]
        before = found.next_before
        if before is None or len(rows) >= limit:
            total = session.scalar(select(func.count()).select_from(Image).where(*conditions)) or 0
            return rows[:limit], total


def list_ids(session: Session, conditions: Sequence[Condition]) -> list[int]:
    """All images that fulfil the conditions, in order."""
    return list(session.scalars(select(Image.id).where(*conditions).order_by(Image.id)))


def _describe(image: Image) -> dict[str, Any]:
    head = image.annotation
    classes = Counter(one.class_name for one in head.objects) if head else Counter[str]()
    return {
        "id": image.id,
        "sha256": image.sha256,
        "state": image.state.value,
        "reason": image.reason,
        "author": head.person.name if head else None,
        "objects": ", ".join(
            f"{count} {name}" if count > 1 else name for name, count in sorted(classes.items())
        ),
    }


def _by_id(word: str) -> Condition:
    """Numbers of images, or names of released ones, with commas between them."""
    numbers, names = list[int](), list[str]()
    for one in (part.strip() for part in word.split(",")):
        is_number = one.isascii() and one.isdecimal() and len(one) < 10
        (numbers if is_number else names).append(int(one) if is_number else one)  # type: ignore[arg-type]
    released = select(ReleaseImage.image_id).where(ReleaseImage.public_id.in_(names))
    return or_(Image.id.in_(numbers), Image.id.in_(released)) if names else Image.id.in_(numbers)


def _by_state(word: str) -> Condition:
    return Image.state.in_([_choose("state", one, ImageState) for one in word.split(",")])


def _by_person(word: str) -> Condition:
    """Who drew any revision of the image, or checked one."""
    name = word.removesuffix(" (simulated)")  # as pages show it
    person = select(Person.id).where(Person.name == name).scalar_subquery()
    drew = select(Annotation.image_id).where(Annotation.person_id == person)
    checked = select(Annotation.image_id).join(Review, Review.annotation_id == Annotation.id)
    return or_(Image.id.in_(drew), Image.id.in_(checked.where(Review.person_id == person)))


def _by_photo(condition: Condition) -> Condition:
    return Image.id.in_(select(Photo.image_id).where(Photo.image_id.is_not(None), condition))


def _by_query(word: str) -> Condition:
    """The number of a query, its words, or the class that it stands for."""
    words = (Query.keyword == word) | (Query.class_name == word)
    is_number = word.isdecimal() and word.isascii() and len(word) < 10
    known = words | (Query.id == int(word)) if is_number else words
    return _by_photo(Photo.query_id.in_(select(Query.id).where(known)))


def _by_set(word: str) -> Condition:
    """train, val, trainval or test of any release, or the name of a release."""
    splits = [Split.TRAIN, Split.VAL] if word == "trainval" else [word]
    if word in (*Split, "trainval"):
        return Image.id.in_(select(ReleaseImage.image_id).where(ReleaseImage.split.in_(splits)))
    of_release = ReleaseImage.release.has(name=word)
    return Image.id.in_(select(ReleaseImage.image_id).where(of_release))


def _by_finding(word: str) -> Condition:
    """The name of a check, a severity, or any."""
    about = is_open() & Finding.image_id.is_not(None)
    if word != "any":
        about &= (Finding.check_name == word) | (Finding.severity == word)
    return Image.id.in_(select(Finding.image_id).where(about))


def _by_text(word: str) -> Condition:
    """Words of a title, of tags, of an annotator's or a checker's comment."""
    commented = select(Annotation.image_id).where(
        Annotation.comment.icontains(word, autoescape=True)
    )
    judged = select(Annotation.image_id).join(Review, Review.annotation_id == Annotation.id)
    titled = Photo.title.icontains(word, autoescape=True) | Photo.tags.icontains(
        word, autoescape=True
    )
    said = Image.id.in_(judged.where(Review.comment.icontains(word, autoescape=True)))
    return or_(_by_photo(titled), Image.id.in_(commented), said)


def _by_moment(name: str, secs: int) -> Callable[[str], Condition]:
    """The state changed since, or until, a day or moment; a day counts whole."""

    def condition(word: str) -> Condition:
        try:
            moment = datetime.fromisoformat(word)
        except ValueError:
            message = f"{name} is wrong: expected a date such as 2026-01-31, got {word!r}."
            raise InvalidError(message, field=name) from None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if name == "since":
            return Image.state_at >= moment
        return Image.state_at < moment + timedelta(seconds=secs if len(word) == 10 else 1)

    return condition


def _by_flag(word: str) -> Condition:
    flags = ("truncated", "occluded", "difficult", "unsure")
    if word not in flags:
        raise InvalidError(f"flag is wrong: expected one of {', '.join(flags)}.", field="flag")
    return getattr(Object, word).is_(True)  # type: ignore[no-any-return]


def _choose(field: str, word: str, words: Any) -> Any:
    try:
        return words(word.strip())
    except ValueError:
        expected = ", ".join(one.value for one in words)
        message = f"{field} is wrong: expected one of {expected}, got {word.strip()!r}."
        raise InvalidError(message, field=field) from None


OBJECT_FILTERS: Mapping[str, Callable[[str], Condition]] = {
    "class": lambda word: Object.class_name == word,
    "view": lambda word: Object.view == _choose("view", word.capitalize(), View),
    "flag": _by_flag,
    "part": lambda word: Object.id.in_(select(Part.object_id).where(Part.name == word)),
    "action": lambda word: cast(Object.actions, Text).contains(f'"{word}"', autoescape=True),
}
IMAGE_FILTERS: Mapping[str, Callable[[str], Condition]] = {
    "id": _by_id,
    "state": _by_state,
    "reason": lambda word: Image.reason.icontains(word, autoescape=True),
    "person": _by_person,
    "query": _by_query,
    "owner": lambda word: _by_photo((Photo.owner_id == word) | (Photo.owner_name == word)),
    "since": _by_moment("since", 0),
    "until": _by_moment("until", 86_400),
    "set": _by_set,
    "finding": _by_finding,
    "campaign": is_of_campaign,
    "text": _by_text,
}
FILTERS = (*OBJECT_FILTERS, *IMAGE_FILTERS)
