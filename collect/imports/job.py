"""What both imports share: photographs that threads bring, record at once and count in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.session import Lock, hold
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.claims import Claim, Outcome, Tally, record_kept, record_missed
from collect.errors import DecoderFailsError, PhotoError, clean_text, format_reason
from collect.fetching import Decoders
from collect.picture import NO_MEMORY, Picture
from collect.query_yield import recount_yields
from collect.results import get_licences
from collect.rows import insert_new, load_blocks, lock_caps
from collect.takedown.erase import tidy_store
from vockit.errors import SettingsError

from . import table

NO_THREAD = "can't start new thread"  # what Python says of it, as a RuntimeError
_CLAIM = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class ImportOrder:
    """What both imports may be told: class, threads, and the licence of photographs without one."""

    class_name: str | None = None
    workers: int | None = None
    licence: str | None = None
    require_licence: bool = False
    retry_broken: bool = False


@dataclass(frozen=True)
class Candidate:
    """A photograph that may come; `where` is a file or a line, `row` what a table says of it."""

    where: str
    row: table.TableRow
    find_id: Callable[[], str]
    read: Callable[[], bytes]
    title: str | None = None


@dataclass(frozen=True)
class Refusal:
    """Something of a folder or table that leaves no row or is broken, and why."""

    where: str
    reason: str


@dataclass
class ImportCount:
    """Counts of one import while it runs."""

    tally: Tally = field(default_factory=Tally)
    refusals: list[Refusal] = field(default_factory=list)
    broken: list[Refusal] = field(default_factory=list)
    converted: Counter[str] = field(default_factory=Counter)  # by the format that came
    known: int = 0
    unlicensed: int = 0
    given_up: list[str] = field(default_factory=list)  # a sentence for each host


_Done = tuple[Outcome, Picture | PhotoError, bool] | Refusal | None
"""What became of a photograph, and whether it has a licence; None where it has a row already."""


class ImportJob:
    """One import: where to and from what."""

    def __init__(
        self,
        party: Party,
        source: Source,
        keyword: str,
        order: ImportOrder,
        now: Callable[[], datetime],
    ) -> None:
        self._party, self._source, self._now = party, source, now
        self._keyword = clean_text(keyword, 200)
        self._class_name = check_class(party, order.class_name)
        self._retries, settings = order.retry_broken, party.settings.collect
        kept = get_licences(settings.licences)
        try:
            table.check_licence(order.licence, kept)
        except table.DetailError as error:
            told = str(error).removeprefix("its licence ")
            raise SettingsError(f"--licence: {told}.") from error
        is_required = order.require_licence or settings.require_licence
        self._licences = table.LicenceRules(kept, order.licence, is_required)
        self.workers = order.workers or settings.workers
        self._decoders = Decoders(settings, makes_jpeg=source is Source.FOLDER)

    def run(
        self,
        candidates: Sequence[Candidate],
        count: ImportCount,
        advance: Callable[[int], None],
        stop: Callable[[], None] = lambda: None,
    ) -> None:
        """Return when each is recorded or refused; `stop` ends waits. Threads record at once."""
        tidy_store(self._party, self._now())
        self._decoders.open()
        threads = ThreadPoolExecutor(self.workers, thread_name_prefix="import")
        try:
            ended = threads.map(self._import, candidates)
            for candidate, done in zip(candidates, ended, strict=True):
                advance(1)
                _count(count, candidate.where, done)
        except BaseException as error:
            stop()
            if isinstance(error, MemoryError) or str(error) == NO_THREAD:
                raise DecoderFailsError(NO_MEMORY) from error
            raise
        finally:
            threads.shutdown(cancel_futures=True)
            self._decoders.close()
            recount_yields(self._party)
            tidy_store(self._party, self._now())

    def _import(self, candidate: Candidate) -> _Done:
        row, origin = candidate.row, (self._source, self._keyword)
        try:
            values = table.make_details(row, self._licences)
            if self._source is not Source.FOLDER:
                origin = table.find_origin(row, *origin)
            values["title"] = values["title"] or candidate.title
            values |= {"source": origin[0], "source_id": candidate.find_id()}
            if self._is_known(values):
                return None
            came: Picture | PhotoError
            sha256 = ""
            try:
                data = candidate.read()
                values["taken_at_text"] = values["taken_at_text"] or table.find_taken_at(data)
                came = self._decoders.read(data)
                sha256 = self._party.store.put(came.data)
            except PhotoError as fault:
                came = fault
            outcome = self._record(row, values, origin[1], came, sha256)
        except table.DetailError as error:
            return Refusal(candidate.where, str(error))
        return None if outcome is None else (outcome, came, values["licence_id"] is not None)

    def _is_known(self, values: dict[str, Any]) -> bool:
        """Whether the photograph has a row, but for one to retry; DetailError for its owner."""
        same = select(Photo.id).filter_by(source=values["source"], source_id=values["source_id"])
        if self._retries:
            same = same.where(Photo.state != PhotoState.BROKEN)
        with self._party.catalogue.reading() as session:
            _check_owner(session, values["owner_id"])
            return session.scalar(same) is not None

    def _record(
        self, row: table.TableRow, values: dict[str, Any], keyword: str, came: Picture | PhotoError,
        sha256: str,
    ) -> Outcome | None:  # fmt: skip
        """The outcome with the photo in its last state, or None where it has a row already."""
        store, now = self._party.store, self._now()
        with self._party.catalogue.writing() as session:
            lock_caps(session)  # of this and a block of the owner, one waits for the other
            _check_owner(session, values["owner_id"])
            class_name = check_class(self._party, row.get("class")) or self._class_name
            query = {"source": values["source"], "class_name": class_name, "keyword": keyword}
            insert_new(session, Query, [query], ("source", "class_name", "keyword"))
            values["query_id"] = session.scalars(select(Query.id).filter_by(**query)).one()
            claim = _claim_row(session, values, now, retry_broken=self._retries)
            if claim is None:
                return None
            if isinstance(came, PhotoError):
                return record_missed(session, claim, came)
            if store.folder is not None:
                hold(session, Lock.FILES)
                if not store.has(sha256):  # it was deleted as another photo's
                    store.put(came.data)
            return record_kept(session, claim, came.as_stored(sha256), store, now)


def check_class(party: Party, class_name: str | None) -> str:
    """The class, empty for none; raises SettingsError where the preset has no such class."""
    class_name = party.former_classes.get(class_name or "", class_name or "")
    if class_name and party.preset.find_class(class_name) is None:
        known = ", ".join(party.preset.class_names)
        raise SettingsError(f"Unknown class {class_name!r}. The preset has: {known}.")
    return class_name


def _check_owner(session: Session, owner_id: str | None) -> None:
    reason = load_blocks(session, [owner_id]).get(owner_id) if owner_id else None
    if reason is not None:
        raise table.DetailError(f"its owner {owner_id} is excluded ({reason})")


def _claim_row(
    session: Session, values: dict[str, Any], now: datetime, *, retry_broken: bool
) -> Claim | None:
    """The claim of a photo that is new, or broken and tried again; None of one that is known."""
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
    photo_id = insert_new(session, Photo, [row], ("source", "source_id")).get(source_id)
    if photo_id is None and retry_broken:
        broken = {"source": row["source"], "source_id": source_id, "state": PhotoState.BROKEN}
        again = update(Photo).filter_by(**broken).values({**row, "reason": None})
        photo_id = session.scalar(again.returning(Photo.id))
    return None if photo_id is None else Claim(photo_id, str(row["claimed_by"]), 1, "", None)


def _count(count: ImportCount, where: str, done: _Done) -> None:
    if done is None:
        count.known += 1
        return
    if isinstance(done, Refusal):
        count.refusals.append(done)
        return
    outcome, came, is_licensed = done
    if isinstance(came, PhotoError):
        count.tally.count(outcome, came)
        count.broken.append(Refusal(where, format_reason(str(came))))
    else:
        count.tally.count(outcome)
        count.unlicensed += not is_licensed
        if came.came_as:
            count.converted[came.came_as] += 1
