"""Making Flickr's record of a file: what the table says, and the rest invented."""

from __future__ import annotations

from dataclasses import dataclass

from .hostile import HOSTILE_TEXTS
from .invent import (
    Inventor,
    invent_hostile_text,
    invent_id,
    invent_licence,
    invent_owner,
    invent_place,
    invent_tags,
    invent_taken,
    invent_title,
    invent_upload,
    invent_views,
    make_owner,
)
from .photos import Availability, ContentType, Owner, Photo, PictureFile, Place, Taken
from .table import TAG_SEPARATOR, Row
from .times import format_mysql, parse_time_secs

NO_ROW: Row = {}
WEEK_SECS = 7 * 86_400


@dataclass(frozen=True)
class Invention:
    """How what the table leaves open is invented: the seed, and how often texts are hostile."""

    seed: int = 0
    hostile_share: float = 0.0


PLAIN = Invention()


def make_photo(file: PictureFile, row: Row = NO_ROW, invention: Invention = PLAIN) -> Photo:
    """The record of a file; the same arguments always give the same record."""
    draw = Inventor(invention.seed, file.sha256)
    uploaded_secs = _uploaded(row, draw)
    title, description, tags, owner = _texts(file, row, draw, invention.hostile_share)
    return Photo(
        id=int(row.get("id") or invent_id(f"{file.sha256}/{file.name}")),
        file=file,
        title=title,
        description=description,
        tags=tags,
        owner=owner,
        licence_id=int(row["licence"]) if row.get("licence") else invent_licence(draw),
        uploaded_secs=uploaded_secs,
        taken=_taken(row, draw, uploaded_secs),
        updated_secs=uploaded_secs + draw.whole("updated", 0, WEEK_SECS),
        views=int(row["views"]) if row.get("views") else invent_views(draw),
        place=_place(row, draw),
        content_type=ContentType(row.get("content_type") or ContentType.PHOTO),
        safety_level=int(row.get("safety") or 1),
        is_original_hidden=_is_original_hidden(row, draw),
        availability=Availability(row.get("state") or Availability.PUBLIC),
    )


def _uploaded(row: Row, draw: Inventor) -> int:
    return parse_time_secs(row["uploaded"]) if row.get("uploaded") else invent_upload(draw)


def _taken(row: Row, draw: Inventor, uploaded_secs: int) -> Taken:
    text = row.get("taken", "")
    if text == "unknown":
        return Taken(format_mysql(uploaded_secs), is_unknown=True)
    if text:
        return Taken(text, int(row.get("granularity") or 0))
    return invent_taken(draw, uploaded_secs)


def _place(row: Row, draw: Inventor) -> Place | None:
    if row.get("latitude") and row.get("longitude"):
        return Place(float(row["latitude"]), float(row["longitude"]))
    return None if row else invent_place(draw)


def _is_original_hidden(row: Row, draw: Inventor) -> bool:
    if row.get("original"):
        return row["original"] == "hidden"
    return draw.happens("original hidden", 0.3)


def _texts(
    file: PictureFile, row: Row, draw: Inventor, hostile_share: float
) -> tuple[str, str, tuple[str, ...], Owner]:
    if draw.happens("hostile", hostile_share):
        return _hostile_texts(draw)
    title = row.get("title") or invent_title(draw, file.name)
    tags = tuple(tag.strip() for tag in row.get("tags", "").split(TAG_SEPARATOR) if tag.strip())
    owner = make_owner(row["owner"]) if row.get("owner") else invent_owner(draw)
    return title, row.get("description", ""), tags or invent_tags(draw, file.name), owner


def _hostile_texts(draw: Inventor) -> tuple[str, str, tuple[str, ...], Owner]:
    title, description, tag = (
        invent_hostile_text(draw, what) for what in ("title", "description", "tag")
    )
    number = HOSTILE_TEXTS.index(invent_hostile_text(draw, "owner"))
    owner = Owner(f"{number:08}@N99", HOSTILE_TEXTS[number], HOSTILE_TEXTS[number])
    return title, description, (tag, "cat", "street"), owner
