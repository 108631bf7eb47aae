"""Which photos are meant: an id, the address of a page or of a picture, an owner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from catalog.states import Source
from catalog.tables import Photo
from collect.errors import CollectError

_ROW = "id"
_PAGE = re.compile(r"/photos/[^/]+/([0-9]+)(?:/.*)?")
_FILE = re.compile(r"/(?:[^/]+/)*([0-9]+)_[0-9a-f]+(?:_[a-z0-9]+)?\.[a-z]+")
_NSID = re.compile(r"[0-9]+@N[0-9]{2}")
_FLICKR_HOSTS = ("flickr.com", "staticflickr.com")
_PHOTO_GNE = "https://www.flickr.com/photo.gne?id="
_MOST_NUMBER = 2**62


class TakedownError(CollectError):
    """What was to be taken down is not what was expected; nothing was changed."""


def find_photo_ids(session: Session, targets: Sequence[str], owners: Sequence[str]) -> list[int]:
    """The ids of all photos that are meant, ascending; raises TakedownError where one is not there.

    A target is `SOURCE:ID` such as flickr:123, `id:N` with the number of our own row, an address of
    the photo's page or picture, or an id alone where only one photo has it. An owner may have no
    photo here where the id is written as Flickr writes them.
    """
    found: set[int] = set()
    for target in targets:
        found.update(_find_target(session, target.strip()))
    for owner in owners:
        found.update(_find_owner(session, owner.strip()))
    return sorted(found)


def _find_target(session: Session, target: str) -> list[int]:
    is_address = "://" in target
    rows = _load(session, _by_address(target) if is_address else _by_id(target))
    if not rows:
        missing = f"This party has no photo with the address {target}"
        missing = missing if is_address else f"Unknown photo {target}"
        raise TakedownError(f"{missing}. Nothing was changed.")
    if len(rows) > 1 and not is_address:
        choices = ", ".join(f"{source.value}:{source_id} (id:{n})" for n, source, source_id in rows)
        raise TakedownError(f"{target} may be any of {choices}; write which one.")
    return [row[0] for row in rows]


def _find_owner(session: Session, owner: str) -> list[int]:
    rows = _load(session, Photo.owner_id == owner)
    if rows or _NSID.fullmatch(owner):
        return [row[0] for row in rows]
    named = select(Photo.owner_id).where(Photo.owner_name == owner, Photo.owner_id.is_not(None))
    ids = sorted(owner_id for owner_id in session.scalars(named.distinct()) if owner_id)
    hint = f"; {owner} is the name of {', '.join(ids)}" if ids else ""
    raise TakedownError(f"This party has no photo of the owner {owner}{hint}.")


def _load(session: Session, condition: ColumnElement[bool]) -> list[tuple[int, Source, str]]:
    statement = select(Photo.id, Photo.source, Photo.source_id).where(condition)
    return list(session.execute(statement.order_by(Photo.id)).tuples())


def _by_id(target: str) -> ColumnElement[bool]:
    kind, colon, rest = target.partition(":")
    is_number = rest.isascii() and rest.isdigit() and int(rest) < _MOST_NUMBER
    if colon and kind == _ROW and is_number:
        return Photo.id == int(rest)
    if colon and kind in set(Source):
        return and_(Photo.source == Source(kind), Photo.source_id == rest)
    same = Photo.source_id == target
    if target.isascii() and target.isdigit() and int(target) < _MOST_NUMBER:
        return or_(same, Photo.id == int(target))
    return same


def _by_address(url: str) -> ColumnElement[bool]:
    """The photos of that page or picture, however the address is written."""
    bare = url.partition("#")[0].rstrip("/")
    written = sorted({url, bare, f"{bare}/", bare.replace("http://", "https://", 1)})
    same = or_(Photo.page_url.in_(written), Photo.image_url.in_(written))
    flickr_id = find_flickr_id(url)
    if flickr_id is None:
        return same
    is_flickr = and_(Photo.source == Source.FLICKR, Photo.source_id == flickr_id)
    return or_(same, is_flickr, Photo.page_url == f"{_PHOTO_GNE}{flickr_id}")


def find_flickr_id(url: str) -> str | None:
    """The id in the address of a photo's page or picture at Flickr, or None.

    Source: flickr.com/services/api/misc.urls.html.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return None
    if not any(host == known or host.endswith(f".{known}") for known in _FLICKR_HOSTS):
        return None
    match = _PAGE.fullmatch(parts.path) or _FILE.fullmatch(parts.path.lower())
    if match:
        return match[1]
    wanted = parse_qs(parts.query).get("id", []) if parts.path == "/photo.gne" else []
    return wanted[0] if wanted and wanted[0].isdigit() else None
