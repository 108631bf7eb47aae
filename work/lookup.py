"""Looking images up by everything that is recorded of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    Select,
    Text,
    cast,
    exists,
    false,
    func,
    or_,
    select,
)
from sqlalchemy.orm import InstrumentedAttribute, Session, selectinload

from catalog.annotated import GROUP_OF
from catalog.at_rest import rests_in
from catalog.origins import describe_imports
from catalog.party import Party
from catalog.preset import WordSpec
from catalog.refusals import InvalidError, expect_one_of, refuse
from catalog.sentences import say
from catalog.states import ImageState, WordKind
from catalog.tables import (
    Annotation,
    Campaign,
    Finding,
    Image,
    Object,
    Part,
    Person,
    Photo,
    Query,
    Release,
    ReleaseImage,
    Review,
)
from catalog.words import NO_WORDS, WordsOfKinds
from qa.check_list import check_names
from qa.finding_rows import is_waiting
from qa.findings import Severity
from qa.load import LOADED_STATES
from vockit.format.image_sets import Split

from .campaigns import is_of_campaign
from .shown import version_of_image

SETS = (*Split, "trainval")
FLAGS = ("truncated", "occluded", "difficult", "unsure", GROUP_OF)
Condition = ColumnElement[bool]


def parse_filters(
    session: Session,
    args: Mapping[str, str],
    party: Party,
    find: Callable[[WordKind, str], WordSpec | None],
) -> dict[str, str]:
    """The filters that a query string or the command's options give, without empty ones.

    Classes, views, parts and actions have today's names; `find` knows what is meant. Raises
    InvalidError for a filter that does not exist or a value that it cannot have, such as a name
    that no class, person, release or campaign has: "no image" would not say which it is.
    """
    filters = {name: word.strip() for name, word in args.items() if word.strip()}
    for name, word in filters.items():
        if name not in FILTERS:
            message = say(
                "Unknown filter {name}. Filters: {filters}.", name=name, filters=list(FILTERS)
            )
            raise InvalidError(message, field=name)
        if "\x00" in word or len(word) > 200:
            refuse(name, say("expected at most 200 characters"))
    for kind in WordKind:
        if kind in filters:
            filters[kind] = _name_word(party, kind, filters[kind], find)
    make_conditions(filters, party.words)
    _require_known(session, filters)
    return filters


def _require_known(session: Session, filters: Mapping[str, str]) -> None:
    """Raises InvalidError for a person, query, set or campaign that the catalogue lacks."""
    for role in ("person", "annotator", "checker"):
        if role in filters and session.scalar(select(_find_person(filters[role]))) is None:
            refuse(role, say("nobody here is called {name}", name=filters[role]))
    if "query" in filters and session.scalar(_find_queries(filters["query"])) is None:
        refuse(
            "query", say("no query has the number, words or class {word}", word=filters["query"])
        )
    word = filters.get("set")
    if word and word not in SETS:
        releases = session.scalars(select(Release.name).order_by(Release.id)).all()
        if word not in releases:
            refuse("set", expect_one_of((*SETS, *releases), word))
    if "campaign" in filters:
        word, _, _ = filters["campaign"].partition("/")
        campaigns = session.scalars(select(Campaign.name).order_by(Campaign.id)).all()
        if not campaigns:
            refuse("campaign", say("there is no campaign yet"))
        if word not in campaigns:
            refuse("campaign", expect_one_of(campaigns, word))


def _name_word(
    party: Party, kind: WordKind, word: str, find: Callable[[WordKind, str], WordSpec | None]
) -> str:
    """Today's name of what is meant, whatever its capitals; what left the preset has its own.

    Raises InvalidError for a word that never was one of the kind.
    """
    alike = (
        spec for spec in party.preset.list_words(kind) if spec.name.casefold() == word.casefold()
    )
    spec = find(kind, word) or next(alike, None)
    words = party.words[kind]
    if spec is None and word not in words.ids and word not in words.retired.values():
        names = (spec.name for spec in party.preset.list_words(kind))
        refuse(kind, expect_one_of((*names, *words.retired.values()), word))
    return spec.name if spec else word


def name_ids(filters: Mapping[str, str], party: Party) -> dict[str, str]:
    """The ids of the filters' classes, views, parts and actions, as the page Images names them."""
    ids = party.list_ids()
    return {kind: ids[kind].get(filters[kind], filters[kind]) for kind in ids if kind in filters}


def make_conditions(filters: Mapping[str, str], words: WordsOfKinds = NO_WORDS) -> list[Condition]:
    """What an image has to fulfil; `words` know the names of filters. Raises InvalidError.

    The filters of objects (class, view, flag, part, action) hold for one and the same object.
    """
    of_object = []
    for kind in WordKind:
        if kind in filters:
            name = filters[kind]
            of_object.append(has_word(kind, words[kind].members(words[kind].ids.get(name, name))))
    if "flag" in filters:
        flag = _choose("flag", filters["flag"], FLAGS)
        of_object.append(getattr(Object, flag).is_(True))
    conditions = [IMAGE_FILTERS[name](filters[name]) for name in IMAGE_FILTERS if name in filters]
    if of_object:
        conditions.append(Image.annotation_id.in_(select(Object.annotation_id).where(*of_object)))
    return conditions


def find_images(
    session: Session, conditions: Sequence[Condition], *, before: int | None = None, limit: int
) -> list[Image]:
    """The newest images that fulfil all conditions, with objects, authors and photos."""
    page = list(conditions)
    if before is not None:
        page.append(Image.id < before)
    whole = selectinload(Image.annotation)
    images = session.scalars(
        select(Image)
        .where(*page)
        .order_by(Image.id.desc())
        .limit(limit)
        .options(whole.selectinload(Annotation.objects), whole.joinedload(Annotation.person))
        .options(selectinload(Image.photos))
    )
    return list(images)


def count_images(session: Session, conditions: Sequence[Condition], most: int | None = None) -> int:
    """How many images fulfil all conditions; counting stops at `most`."""
    counted = select(Image.id).where(*conditions).limit(most).subquery()
    return session.scalar(select(func.count()).select_from(counted)) or 0


def list_rows(
    session: Session, conditions: Sequence[Condition], limit: int
) -> tuple[list[dict[str, Any]], int]:
    """The images that fulfil the conditions, as `vocparty images` prints them, and their number.

    `imported` is where the labels of another tool stood that the image came with, else None.
    """
    rows = []
    images = find_images(session, conditions, limit=limit)
    imports = describe_imports(session, [image.id for image in images])
    for image in images:
        head = image.annotation
        counts = sorted(Counter(item.class_name for item in head.objects).items()) if head else []
        row = {
            "id": image.id,
            "sha256": image.sha256,
            "state": image.state.value,
            "reason": image.reason,
            "author": head.person.name if head else None,
            "objects": ", ".join(f"{n} {name}" if n > 1 else name for name, n in counts),
            "imported": imports.get(image.id),
        }
        rows.append(row)
    return rows, count_images(session, conditions)


def list_versions(session: Session, conditions: Sequence[Condition]) -> list[dict[str, Any]]:
    """`image_id` and `version` of all images that fulfil the conditions, in order."""
    columns = (Image.id, Image.state, Image.state_at, Image.annotation_id)
    rows = session.execute(select(*columns).where(*conditions).order_by(Image.id))
    return [{"image_id": row.id, "version": version_of_image(row)} for row in rows]


def _is_in(image_ids: Select[Any], *conditions: Condition) -> Condition:
    return Image.id.in_(image_ids.where(*conditions))


_OF_PHOTOS = select(Photo.image_id).where(Photo.image_id.is_not(None))
_OF_REVISIONS = select(Annotation.image_id)
_OF_REVIEWS = _OF_REVISIONS.join(Review, Review.annotation_id == Annotation.id)
_OF_RELEASES = select(ReleaseImage.image_id)
_STANDS = Annotation.is_finished.is_(True) & Annotation.set_aside_at.is_(None)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 10


def _by_id(word: str) -> Condition:
    """Numbers of images, or names of released ones, with commas between them."""
    words = [part.strip() for part in word.split(",")]
    numbered = Image.id.in_([int(word) for word in words if _is_number(word)])
    names = [word for word in words if not _is_number(word)]
    return numbered | _is_in(_OF_RELEASES, ReleaseImage.public_id.in_(names)) if names else numbered


def _by_person(word: str) -> Condition:
    """Who drew any revision of the image, or checked one; what was set aside is among it."""
    drew = _is_in(_OF_REVISIONS, Annotation.person_id == _find_person(word))
    return drew | _is_in(_OF_REVIEWS, Review.person_id == _find_person(word))


def _find_person(word: str) -> ScalarSelect[int]:
    name = word.removesuffix(" (simulated)")  # as pages show it
    return select(Person.id).where(Person.name == name).scalar_subquery()


def _by_query(word: str) -> Condition:
    """The number of a query, its words, or the class that it stands for."""
    return _is_in(_OF_PHOTOS, Photo.query_id.in_(_find_queries(word)))


def _find_queries(word: str) -> Select[tuple[int]]:
    known = (Query.keyword == word) | (Query.class_name == word)
    if _is_number(word):
        known |= Query.id == int(word)
    return select(Query.id).where(known)


def _by_set(word: str) -> Condition:
    """train, val, trainval, test or test2 of any release, or the name of a release."""
    if word in SETS:
        splits = [Split.TRAIN, Split.VAL] if word == "trainval" else [word]
        return _is_in(_OF_RELEASES, ReleaseImage.split.in_(splits))
    return _is_in(_OF_RELEASES, ReleaseImage.release.has(name=word))


def _by_finding(word: str) -> Condition:
    """The name of a check, a severity, or any."""
    _choose("finding", word, ("any", *Severity, *check_names()))
    is_checked = rests_in(LOADED_STATES)
    if word == "any":  # most images may have one, so each is asked until the page is full
        return is_checked & exists().where(is_waiting(), Finding.image_id == Image.id)
    named = (Finding.check_name == word) | (Finding.severity == word)
    waiting = is_waiting() & Finding.image_id.is_not(None)
    return is_checked & _is_in(select(Finding.image_id), waiting, named)


def _by_text(word: str) -> Condition:
    """Words of a title, of tags, of an annotator's or a checker's comment."""

    def holds(column: InstrumentedAttribute[Any]) -> Condition:
        return column.icontains(word, autoescape=True)

    titled = _is_in(_OF_PHOTOS, holds(Photo.title) | holds(Photo.tags))
    commented = _is_in(_OF_REVISIONS, holds(Annotation.comment))
    return titled | commented | _is_in(_OF_REVIEWS, holds(Review.comment))


def _by_moment(name: str, word: str, secs: int) -> Condition:
    """The state changed since, or until, a day or moment; a day counts whole."""
    try:
        moment = datetime.fromisoformat(word)
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        after = moment + timedelta(seconds=secs if len(word) <= 10 else 1)
    except (ValueError, OverflowError):  # no date, or one that is out of the calendar
        refuse(name, say("expected a date such as 2026-01-31, got {word}", word=repr(word)))
    return Image.state_at >= moment if name == "since" else Image.state_at < after


def _choose(field: str, word: str, words: Iterable[str]) -> str:
    known = tuple(words)
    chosen = word.strip()
    if chosen not in known:
        refuse(field, expect_one_of(known, chosen))
    return chosen


def has_word(kind: WordKind, ids: Sequence[str]) -> Condition:
    """A condition on Object: it has a word of the kind, by one of these ids."""
    if kind is WordKind.CLASS:
        return Object.class_id.in_(ids)
    if kind is WordKind.VIEW:
        return Object.view.in_(ids)
    if kind is WordKind.GROUP:
        return false()  # objects are of classes
    if kind is WordKind.PART:
        return Object.id.in_(select(Part.object_id).where(Part.word.in_(ids)))
    actions = cast(Object.actions, Text)
    return or_(*(actions.contains(f'"{word}"', autoescape=True) for word in ids))


OBJECT_FILTERS = ("class", "view", "flag", "part", "action")
IMAGE_FILTERS: Mapping[str, Callable[[str], Condition]] = {
    "id": _by_id,
    "state": lambda word: Image.state.in_(
        [_choose("state", state, ImageState) for state in word.split(",")]
    ),
    "reason": lambda word: Image.reason.icontains(word, autoescape=True),
    "person": _by_person,
    "annotator": lambda word: _is_in(  # of a revision that still counts, as the board counts them
        _OF_REVISIONS, Annotation.person_id == _find_person(word), _STANDS
    ),
    "checker": lambda word: _is_in(
        _OF_REVIEWS, Review.person_id == _find_person(word), Review.set_aside_at.is_(None)
    ),
    "query": _by_query,
    "owner": lambda word: _is_in(_OF_PHOTOS, (Photo.owner_id == word) | (Photo.owner_name == word)),
    "since": lambda word: _by_moment("since", word, 0),
    "until": lambda word: _by_moment("until", word, 86_400),
    "set": _by_set,
    "finding": _by_finding,
    "campaign": is_of_campaign,
    "text": _by_text,
}
FILTERS = (*OBJECT_FILTERS, *IMAGE_FILTERS)
