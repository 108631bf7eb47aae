"""What today's settings say of photographs that an earlier search found and that wait.

A search asks the settings too, but they may be another's by the time that a photo is fetched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from catalog.licences import Licence, get_licences, is_kept
from catalog.party import Party
from catalog.settings import CollectSettings
from catalog.states import SEARCHED, PhotoState
from catalog.tables import Photo, Query

from .rows import Room, load_blocks
from .strata import Window, choose_classes, find_span
from .transport import ImageHosts, parse_endpoint


@dataclass(frozen=True, kw_only=True)
class Admission:
    """The settings, and the classes, by which one run takes photographs from the queue."""

    settings: CollectSettings
    licences: Mapping[str, Licence]
    hosts: ImageHosts
    class_names: frozenset[str]
    is_any_class: bool  # also a photo without a class
    span: Window

    def find_barred(
        self, session: Session, photos: Sequence[Photo], now: datetime
    ) -> dict[int, str]:
        """Why photos may not be fetched, by their ids; those that may be are left out.

        The caps of owners count what was fetched, what is being fetched, and the photos before.
        """
        classes = _load_classes(session, photos)
        room = _load_taken(session, {photo.owner_id or "" for photo in photos}, self, now)
        barred = {}
        for photo in photos:
            reason = self._find_bar(photo, classes.get(photo.query_id or 0, ""))
            reason = reason or find_full(photo, room)
            if reason:
                barred[photo.id] = reason
            else:
                room.take(photo)
        return barred

    def is_host_allowed(self, photo: Photo) -> bool:
        """Whether its picture's host may be asked."""
        endpoint = parse_endpoint(photo.image_url or "")
        return endpoint is not None and self.hosts.allows(endpoint)

    def _find_bar(self, photo: Photo, class_name: str) -> str:
        """Why the photo itself may not be fetched; empty where it may be."""
        if not self._is_class_wanted(class_name):
            return f"the class {class_name or 'without a name'} is not collected in this run"
        if reason := self._find_licence_bar(photo):
            return reason
        sides_px = photo.promised_width, photo.promised_height
        if any(side is not None and side < self.settings.min_side_px for side in sides_px):
            return f"smaller than min_side_px = {self.settings.min_side_px}"
        if not self._is_in_time(photo):
            return "its date is not between first_date and last_date"
        return ""

    def _is_class_wanted(self, class_name: str) -> bool:
        return class_name in self.class_names or (self.is_any_class and not class_name)

    def _find_licence_bar(self, photo: Photo) -> str:
        if photo.licence_id is None:
            return "no licence is named" if self.settings.require_licence else ""
        name = photo.licence_name or photo.licence_id
        licence = Licence(photo.licence_id, name, photo.licence_url or "")
        if is_kept(licence, self.licences):
            return ""
        return f"the licence {name} is not among collect.licences"

    def _is_in_time(self, photo: Photo) -> bool:
        """Whether its date, or the window of the search that found it, is in the range of dates."""
        start = photo.window_start_at
        end = photo.window_end_at
        if self.settings.dates == "none" or start is None or end is None:
            return True
        is_open = self.settings.last_date is None  # tomorrow's photographs are wanted too
        if self.span.start <= start and (is_open or end <= self.span.end):
            return True
        return photo.uploaded_at is not None and self.span.holds(photo.uploaded_at)


def make_admission(party: Party, classes: Collection[str], now: datetime) -> Admission:
    """The admission of a run that takes these classes, or all; raises SettingsError."""
    settings = party.settings.collect
    return Admission(
        settings=settings,
        licences=get_licences(settings.licences),
        hosts=ImageHosts(party.settings.image_hosts),
        class_names=frozenset(choose_classes(party.preset, tuple(classes))),
        is_any_class=not classes,
        span=find_span(settings, now),
    )


def find_full(photo: Photo, room: Room) -> str:
    """Why its owner's photographs are not wanted; empty where there is room for one more."""
    if photo.owner_id is None:
        return ""
    if photo.owner_id in room.blocked:
        return "its owner is excluded"
    return "" if room.admits(photo) else "its owner has as many photographs as the caps allow"


def count_admitted(session: Session, admission: Admission, now: datetime) -> tuple[int, int]:
    """How many photos of the queue may be fetched, and how many may not."""
    waiting = select(Photo).where(Photo.source.in_(SEARCHED), Photo.state == PhotoState.FOUND)
    photos = session.scalars(waiting.order_by(Photo.id)).all()
    barred = admission.find_barred(session, photos, now)
    allowed = sum(photo.id not in barred and admission.is_host_allowed(photo) for photo in photos)
    return allowed, len(photos) - allowed


def _load_classes(session: Session, photos: Sequence[Photo]) -> dict[int, str]:
    """The classes of the photos' queries, by the queries' ids."""
    ids = sorted({photo.query_id for photo in photos if photo.query_id is not None})
    rows = session.execute(select(Query.id, Query.class_name).where(Query.id.in_(ids)))
    return dict(rows.tuples().all())


def _load_taken(session: Session, owner_ids: Set[str], admission: Admission, now: datetime) -> Room:
    """What the owners have already: photos that were fetched, or that are being fetched."""
    blocked = frozenset(load_blocks(session, owner_ids))
    room = Room(admission.settings, Counter(), Counter(), blocked)
    is_held = and_(Photo.claimed_by.is_not(None), Photo.claimed_until_at > now)
    is_taken = or_(
        Photo.state == PhotoState.FETCHED, and_(Photo.state == PhotoState.FOUND, is_held)
    )
    for owner in sorted(owner_ids - {""}):
        for photo in session.scalars(select(Photo).where(Photo.owner_id == owner, is_taken)):
            if photo.source in SEARCHED:
                room.take(photo)
    return room
