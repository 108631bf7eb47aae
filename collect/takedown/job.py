"""The job of `vocparty takedown`: which photographs are meant, and what goes with them for good.

A lease on an image that goes runs out; its holder is told so by their next save, which is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.decisions import decide_many
from catalog.errors import ImageStoreError
from catalog.locks import lock_images
from catalog.party import PartyData
from catalog.states import DecisionKind, ImageState, PhotoState, Source
from catalog.tables import BlockedOwner, Image, Photo, Release, ReleaseImage
from catalog.transitions import move_image
from collect.errors import CollectError
from collect.query_yield import recount_yields
from collect.results import parse_whole
from collect.rows import insert_new, load_blocks, lock_caps, slices

from .addresses import complete_address, find_commons_id, find_commons_name, find_flickr_id
from .erase import Erasure, erase_files

_NSID = re.compile(r"[0-9]+@N[0-9]{2}")
_MOST_NUMBER = 2**62


class TakedownError(CollectError):
    """What was to be taken down is not what was expected; nothing was changed."""

    exit_status = 2


def find_photo_ids(
    session: Session,
    targets: Sequence[str],
    owners: Sequence[str],
    listed_owners: Collection[str] = (),
) -> list[int]:
    """The ids of all photos that are meant, ascending; raises TakedownError where one is not there.

    A target is `SOURCE:ID` such as flickr:123, `id:N` with the number of our own row, an address of
    the photo's page or picture, or an id alone where only one photo has it. Of owners that a table
    lists, none may have been collected yet.
    """
    of_targets = [_find_target(session, target.strip()) for target in targets]
    of_owners = [_find_owner(session, owner.strip(), listed_owners) for owner in owners]
    return sorted(set().union(*of_targets, *of_owners))


def _find_target(session: Session, target: str) -> list[int]:
    if "://" in target:
        return _find_address(session, target)
    rows = _load_photos(session, _by_id(target))
    if not rows and (url := complete_address(target)):
        return _find_address(session, url)
    if not rows:
        raise TakedownError(f"Unknown photo {target}. Nothing was changed.")
    if len(rows) > 1:
        choices = ", ".join(f"{source.value}:{source_id} (id:{n})" for n, source, source_id in rows)
        raise TakedownError(f"{target} may be any of {choices}; write which one.")
    return [row[0] for row in rows]


def _find_address(session: Session, url: str) -> list[int]:
    """The photos of that page or picture, however the address is written."""
    flickr_id = find_flickr_id(url)
    commons_id = find_commons_id(url)
    commons_name = find_commons_name(url)
    conditions = [_by_written_address(url)]
    meanings = []
    if flickr_id is not None:
        conditions.append(_is_of(Source.FLICKR, flickr_id))
        conditions.append(Photo.id.in_(_list_of_flickr_id(session, flickr_id)))
        meanings.append(f"flickr:{flickr_id}")
    if commons_id is not None:
        conditions.append(_is_of(Source.COMMONS, commons_id))
        meanings.append(f"commons:{commons_id}")
    if commons_name is not None:
        conditions.append(and_(Photo.source == Source.COMMONS, Photo.title == commons_name))
        conditions.append(Photo.id.in_(_list_of_commons_name(session, commons_name)))
        meanings.append(f"File:{commons_name} of Wikimedia Commons")
    rows = _load_photos(session, or_(*conditions))
    if not rows:
        also = f", nor {' or '.join(meanings)}" if meanings else ""
        raise TakedownError(
            f"This party has no photo with the address {url}{also}. Nothing was changed."
        )
    return [row[0] for row in rows]


def _list_of_flickr_id(session: Session, flickr_id: str) -> list[int]:
    """The photos whose own address names that photo of Flickr: those of tables and imports."""
    columns = select(Photo.id, Photo.image_url, Photo.page_url).where(
        Photo.source != Source.FLICKR,
        or_(Photo.image_url.contains(flickr_id), Photo.page_url.contains(flickr_id)),
    )
    return [
        photo_id
        for photo_id, image_url, page_url in session.execute(columns).tuples()
        if flickr_id in (find_flickr_id(image_url or ""), find_flickr_id(page_url or ""))
    ]


def _list_of_commons_name(session: Session, name: str) -> list[int]:
    """The photos whose own address names that file of Commons, such as those of an import."""
    is_of_commons = or_(
        Photo.image_url.contains("wikimedia.org/", autoescape=True),
        Photo.page_url.contains("wikimedia.org/", autoescape=True),
    )
    columns = select(Photo.id, Photo.image_url, Photo.page_url).where(is_of_commons)
    return [
        photo_id
        for photo_id, image_url, page_url in session.execute(columns).tuples()
        if name in (find_commons_name(image_url or ""), find_commons_name(page_url or ""))
    ]


def _find_owner(session: Session, owner: str, listed_owners: Collection[str]) -> list[int]:
    rows = _load_photos(session, Photo.owner_id == owner)
    if rows or owner in listed_owners or _NSID.fullmatch(owner):
        return [row[0] for row in rows]
    named = select(Photo.owner_id).where(Photo.owner_name == owner, Photo.owner_id.is_not(None))
    ids = sorted(owner_id for owner_id in session.scalars(named.distinct()) if owner_id)
    hint = f"; {owner} is the name of {', '.join(ids)}" if ids else ""
    raise TakedownError(f"This party has no photo of the owner {owner}{hint}.")


def _load_photos(session: Session, condition: ColumnElement[bool]) -> list[tuple[int, Source, str]]:
    statement = select(Photo.id, Photo.source, Photo.source_id).where(condition)
    return list(session.execute(statement.order_by(Photo.id)).tuples())


def _by_id(target: str) -> ColumnElement[bool]:
    kind, colon, rest = target.partition(":")
    if colon and kind == "id" and (number := parse_whole(rest, _MOST_NUMBER)) is not None:
        return Photo.id == number
    if colon and kind in set(Source):
        return _is_of(Source(kind), rest)
    is_listed = Photo.source_id.endswith(f":{target}", autoescape=True)  # "NAME:ID" of a table
    same = or_(Photo.source_id == target, and_(Photo.source == Source.TABLE, is_listed))
    number = parse_whole(target, _MOST_NUMBER)
    return same if number is None else or_(same, Photo.id == number)


def _by_written_address(url: str) -> ColumnElement[bool]:
    bare = url.partition("#")[0].rstrip("/")
    written = sorted({url, bare, f"{bare}/", bare.replace("http://", "https://", 1)})
    return or_(Photo.page_url.in_(written), Photo.image_url.in_(written))


def _is_of(source: Source, source_id: str) -> ColumnElement[bool]:
    return and_(Photo.source == source, Photo.source_id == source_id)


@dataclass(frozen=True)
class TakedownOrder:
    """Which photos, whose by their ids, why, and whether the files go too.

    Tables of the party list the `listed_owners`, perhaps without a photo that was collected.
    """

    photos: tuple[str, ...]
    owners: tuple[str, ...]
    reason: str
    erase: bool = False
    listed_owners: frozenset[str] = frozenset()


@dataclass(frozen=True)
class WithdrawnPhoto:
    """One photo to be withdrawn, as it is shown to the organiser."""

    id: int
    source: Source
    source_id: str
    owner_id: str | None
    title: str | None
    page_url: str | None
    image_id: int | None


@dataclass(frozen=True)
class TakedownPlan:
    """What goes and what stays, which releases list it as withdrawn, and whose files are erased.

    Of `images_absent` a file that was to be erased was not in the store. `erase_fault` says why
    files could not be deleted, after all else was recorded.
    """

    photos: tuple[WithdrawnPhoto, ...]
    images_taken_down: tuple[int, ...]
    images_shared: tuple[int, ...]
    releases: tuple[str, ...]
    owners_blocked: tuple[str, ...] = ()
    images_erased: tuple[int, ...] = ()
    images_absent: tuple[int, ...] = ()
    erase_fault: str = ""


def _find_ordered(session: Session, order: TakedownOrder) -> list[int]:
    return find_photo_ids(session, order.photos, order.owners, order.listed_owners)


def plan_order(party: PartyData, order: TakedownOrder) -> TakedownPlan:
    """What the order would do now; nothing is changed. Raises TakedownError."""
    with party.catalogue.reading() as session:
        plan = _plan(session, _find_ordered(session, order))
        new = set(order.owners) - load_blocks(session, order.owners).keys()
        return replace(plan, owners_blocked=tuple(sorted(new)))


def run_order(
    party: PartyData,
    order: TakedownOrder,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> TakedownPlan:
    """What was withdrawn, in one transaction, before files are deleted; raises TakedownError."""
    reason = f"takedown: {order.reason}"  # reports count by the first word
    at = now()
    with party.catalogue.writing() as session:
        if order.owners:
            lock_caps(session)  # no draw goes on that has not seen the block
        photo_ids = _find_ordered(session, order)
        blocked = tuple(sorted(set(order.owners) - load_blocks(session, order.owners).keys()))
        blocks = [
            {"owner_id": owner_id, "reason": reason, "blocked_at": at} for owner_id in blocked
        ]
        insert_new(session, BlockedOwner, blocks, ("owner_id",))
        plan = take_down(session, photo_ids, reason=reason, at=at)
    recount_yields(party)
    plan = replace(plan, owners_blocked=blocked)
    if not order.erase:
        return plan
    erasure = Erasure()
    try:
        erase_files(party, photo_ids, at=now(), erasure=erasure)
    except ImageStoreError as error:  # a disk that went away undoes no withdrawal
        return replace(plan, erase_fault=str(error), **vars(erasure))
    return replace(plan, **vars(erasure))


def take_down(
    session: Session, photo_ids: Iterable[int], *, reason: str, at: datetime
) -> TakedownPlan:
    """What was withdrawn: in one transaction all of it, whatever state it was in."""
    photo_ids = sorted(photo_ids)
    # The images first and in order, so that a save or a second takedown waits, never both ways.
    having = select(Photo.id, Photo.image_id).where(Photo.image_id.is_not(None))
    lock_images(session, {image_id for _, image_id in _load(session, having, Photo.id, photo_ids)})
    plan = _plan(session, photo_ids)
    for is_some in slices(Photo.id, [photo.id for photo in plan.photos]):
        withdraw_photos(session, is_some, reason=reason)
    gone = [{"image_id": image_id, "reason": reason} for image_id in plan.images_taken_down]
    decide_many(session, gone, DecisionKind.TAKEN_DOWN, at=at)
    for image_id, state in _load_states(session, plan.images_taken_down):
        enters = ImageState.TAKEN_DOWN
        is_moved = move_image(session, image_id, state, enters, at=at, reason=reason)
        assert is_moved, "the row is locked, and its state was read"
    return plan


def withdraw_photos(session: Session, chosen: ColumnElement[bool], *, reason: str) -> None:
    """Withdraw the chosen photos for good, whoever claimed them; those withdrawn before stay."""
    values: dict[str, Any] = {"state": PhotoState.WITHDRAWN, "reason": reason}
    values |= dict.fromkeys(("claimed_by", "claimed_until_at", "doubt", "doubted_at"))
    stays = Photo.state != PhotoState.WITHDRAWN
    session.execute(update(Photo).where(chosen, stays).values(values))


def _plan(session: Session, photo_ids: Iterable[int]) -> TakedownPlan:
    """What a takedown of these photos would do now; those withdrawn before are left out."""
    columns = (getattr(Photo, name) for name in WithdrawnPhoto.__dataclass_fields__)
    stays = Photo.state != PhotoState.WITHDRAWN
    wanted = select(*columns).where(stays).order_by(Photo.id)
    photos = [WithdrawnPhoto(*row) for row in _load(session, wanted, Photo.id, photo_ids)]
    image_ids = {photo.image_id for photo in photos if photo.image_id is not None}
    states = _load_states(session, image_ids)
    down = {image_id for image_id, state in states if state is ImageState.TAKEN_DOWN}
    pairs = select(Photo.id, Photo.image_id).where(stays)
    having = _load(session, pairs, Photo.image_id, image_ids)
    ids = {photo.id for photo in photos}
    shared = {image_id for photo_id, image_id in having if photo_id not in ids}
    going = sorted(image_ids - shared - down)
    releases = select(Release.name).join(ReleaseImage, ReleaseImage.release_id == Release.id)
    held = _load(session, releases.distinct(), ReleaseImage.image_id, going)
    return TakedownPlan(
        photos=tuple(photos),
        images_taken_down=tuple(going),
        images_shared=tuple(sorted(shared - down)),
        releases=tuple(sorted({name for (name,) in held})),
    )


def _load_states(session: Session, image_ids: Collection[int]) -> list[Row[Any]]:
    wanted = select(Image.id, Image.state).order_by(Image.id)
    return list(_load(session, wanted, Image.id, image_ids))


def _load(
    session: Session, wanted: Select[Any], column: InstrumentedAttribute[Any], ids: Iterable[int]
) -> Iterator[Row[Any]]:
    """The wanted rows whose column has one of the ids, however many there are."""
    for is_some in slices(column, ids):
        yield from session.execute(wanted.where(is_some))
