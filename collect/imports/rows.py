"""The rows of imported photographs: which are known, and one writer for what came."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, not_, or_, select, update
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.session import Lock, hold
from catalog.states import PhotoState
from catalog.tables import Photo, Query
from catalog.transitions import count_changed
from collect.claims import (
    Claim,
    Outcome,
    is_known_picture,
    read_code,
    record_doubted,
    record_kept,
    record_missed,
)
from collect.doubts import is_said_twice, make_copy_fault
from collect.errors import PhotoError, Reason
from collect.picture import Picture
from collect.rows import insert_new, load_blocks, lock_caps
from vockit.errors import SettingsError

from . import table

_CLAIM = timedelta(hours=1)


class PhotoRows:
    """Reads and writes the rows of one import; its threads share it.

    `class_id` is that of photographs whose row names none. With `has_doubts`, a loss is written
    as a doubt until a second run, or `record_believed`, says it again.
    """

    def __init__(
        self,
        party: Party,
        class_id: str,
        now: Callable[[], datetime],
        *,
        retry_broken: bool,
        has_doubts: bool,
    ) -> None:
        self._party = party
        self._class_id = class_id
        self._now = now
        self._began = now()
        self._retries = retry_broken
        self._has_doubts = has_doubts

    def is_known(self, values: dict[str, Any]) -> bool:
        """Whether the photograph has a row, but for one to retry; DetailError for its owner."""
        same = select(Photo.id).filter_by(source=values["source"], source_id=values["source_id"])
        same = same.where(not_(_is_open(retry_broken=self._retries)))
        with self._party.catalogue.reading() as session:
            _check_owner(session, values["owner_id"])
            return session.scalar(same) is not None

    def set_licence(self, values: dict[str, Any]) -> bool:
        """Whether the row of a known photograph had no licence, and has the one of the values."""
        if values["licence_id"] is None:
            return False
        licence = {name: text for name, text in values.items() if name.startswith("licence_")}
        unlicensed = (
            update(Photo)
            .filter_by(source=values["source"], source_id=values["source_id"])
            .where(Photo.licence_id.is_(None), Photo.state == PhotoState.FETCHED)
        )
        with self._party.catalogue.writing() as session:
            return count_changed(session, unlicensed.values(licence)) == 1

    def record(
        self,
        row: table.TableRow,
        values: dict[str, Any],
        keyword: str,
        came: Picture | PhotoError,
        sha256: str,
    ) -> tuple[Outcome, Claim, Picture | PhotoError] | None:
        """The outcome, the photo and what came for it, or None where it has a row already."""
        store = self._party.store
        now = self._now()
        with self._party.catalogue.writing() as session:
            lock_caps(session)  # of this and a block of the owner, one waits for the other
            _check_owner(session, values["owner_id"])
            class_id = check_class(self._party, row.get("class")) or self._class_id
            query = {"source": values["source"], "class_id": class_id, "keyword": keyword}
            insert_new(session, Query, [query], ("source", "class_id", "keyword"))
            values["query_id"] = session.scalars(select(Query.id).filter_by(**query)).one()
            claim = _claim_row(session, values, now, retry_broken=self._retries)
            if claim is None:
                return None
            if not isinstance(came, PhotoError) and claim.doubt == Reason.PLACEHOLDER:
                is_copy = is_known_picture(session, came.as_stored(sha256))
                came = make_copy_fault() if is_copy else came
            if isinstance(came, PhotoError):
                is_believed = not self._has_doubts or is_said_twice(claim, came, self._began)
                if is_believed:
                    return record_missed(session, claim, came), claim, came
                return record_doubted(session, claim, came, now), claim, came
            if store.folder is not None:
                hold(session, Lock.FILES)
                if not store.has(sha256):  # it was deleted as another photo's
                    store.put(came.data)
            outcome = record_kept(session, claim, came.as_stored(sha256), store, now)
            return outcome, claim, came


def check_class(party: Party, class_name: str | None) -> str:
    """The id of the class, empty for none; raises SettingsError where there is no such class."""
    if not class_name:
        return ""
    spec = party.find_class(class_name)
    if spec is None:
        known = ", ".join(party.preset.class_names)
        raise SettingsError(f"Unknown class {class_name!r}. The preset has: {known}.")
    return spec.key


def _check_owner(session: Session, owner_id: str | None) -> None:
    reason = load_blocks(session, [owner_id]).get(owner_id) if owner_id else None
    if reason is not None:
        raise table.DetailError(f"its owner {owner_id} is excluded ({reason})")


def _is_open(*, retry_broken: bool) -> ColumnElement[bool]:
    """The condition that an import takes a photo again that has a row: in doubt, or to retry."""
    is_doubted = and_(Photo.state == PhotoState.FOUND, Photo.doubted_at.is_not(None))
    return or_(is_doubted, Photo.state == PhotoState.BROKEN) if retry_broken else is_doubted


def _claim_row(
    session: Session, values: dict[str, Any], now: datetime, *, retry_broken: bool
) -> Claim | None:
    """The claim of a photo that is new, or that is tried again; None of one that is known."""
    row = {
        **values,
        "state": PhotoState.FOUND,
        "found_at": now,
        "taken_at_unknown": values["taken_at_text"] is None,
        "claimed_by": f"import {values['source']}",
        "claimed_until_at": now + _CLAIM,
        "attempts": 1,
    }
    source_id = row["source_id"]
    doubt = ""
    doubted_at = None
    photo_id = insert_new(session, Photo, [row], ("source", "source_id")).get(source_id)
    if photo_id is None:
        same = select(Photo).filter_by(source=row["source"], source_id=source_id)
        same = same.where(_is_open(retry_broken=retry_broken)).with_for_update()
        known = session.scalar(same)
        if known is None:
            return None
        photo_id = known.id
        doubted_at = known.doubted_at
        doubt = read_code(known.reason) if doubted_at else ""
        again = update(Photo).where(Photo.id == photo_id).values({**row, "reason": None})
        session.execute(again.execution_options(synchronize_session=False))
    return Claim(
        photo_id=photo_id,
        claimant=str(row["claimed_by"]),
        attempt=1,
        image_url=values["image_url"] or "",
        promised_size=None,
        owner_id=values["owner_id"],
        doubt=doubt,
        doubted_at=doubted_at,
    )
