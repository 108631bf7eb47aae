"""What both imports share: photographs that threads bring, record at once and count in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, not_, or_, select, update
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.session import Lock, hold
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from catalog.transitions import count_changed
from catalog.words import find_class
from collect.claims import (
    Claim,
    Outcome,
    Tally,
    is_known_picture,
    read_code,
    record_believed,
    record_doubted,
    record_kept,
    record_missed,
    take_back,
)
from collect.doubts import (
    Copies,
    Doubts,
    Miss,
    describe_row,
    find_host,
    is_said_twice,
    make_copy_fault,
)
from collect.errors import (
    DecoderFailsError,
    PhotoError,
    Reason,
    SameFaultError,
    clean_text,
    format_reason,
)
from collect.fetching import Decoders
from collect.future_times import set_times_back
from collect.picture import NO_MEMORY, Picture
from collect.query_yield import recount_yields
from collect.results import get_licences
from collect.rows import insert_new, load_blocks, lock_caps
from collect.takedown.erase import tidy_store
from vockit.errors import SettingsError
from vockit.format.shortage import ShortageError
from vockit.format.whole_file import digest_of

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
    number: int = 0  # its place among the candidates


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
    doubted: dict[int, Refusal] = field(default_factory=dict)  # by the id of the photo
    converted: Counter[str] = field(default_factory=Counter)  # by the format that came
    known: int = 0
    licensed: int = 0  # of the known ones: those that had no licence and have one now
    unlicensed: int = 0
    given_up: list[str] = field(default_factory=list)  # a sentence for each host


@dataclass(frozen=True)
class Known:
    """A photograph that has a row already, and whether the row got its licence now."""

    is_licensed_now: bool = False


_Done = tuple[Outcome, Picture | PhotoError, bool] | Miss | Refusal | Known
"""What became of a photograph, and whether it has a licence. A Miss waits for a later answer."""


class ImportJob:
    """One import: where to and from what.

    With `doubts`, what a host answers is not believed at once; `give_up` takes the error that ends
    the questions to a host.
    """

    def __init__(
        self,
        party: Party,
        source: Source,
        keyword: str,
        order: ImportOrder,
        now: Callable[[], datetime],
        doubts: Doubts | None = None,
        give_up: Callable[[SameFaultError], None] = lambda _error: None,
    ) -> None:
        self._doubts, self._give_up = doubts, give_up
        self._missed: set[tuple[str, str]] = set()  # what this run asked for in vain
        self._believed: list[tuple[Miss, Outcome]] = []
        self._copies = Copies(doubts is not None and doubts.is_one_owner)
        self._taken_back = 0
        self._party, self._source, self._now = party, source, now
        self._keyword = clean_text(keyword, 200)
        self._class_id = check_class(party, order.class_name)
        self._retries, settings = order.retry_broken, party.settings.collect
        kept = get_licences(settings.licences)
        try:
            table.check_licence(order.licence, kept)
        except table.DetailError as error:
            fault = str(error).removeprefix("its licence ")
            raise SettingsError(f"--licence: {fault}.") from error
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
        set_times_back(self._party, self._now())
        tidy_store(self._party, self._now())
        self._decoders.open()
        threads = ThreadPoolExecutor(self.workers, thread_name_prefix="import")
        try:
            ended = threads.map(self._import, candidates)
            for candidate, done in zip(candidates, ended, strict=True):
                advance(1)
                _count(count, candidate.where, done)
            if self._doubts is not None:
                self._believe(self._doubts.end())
        except BaseException as error:
            stop()
            if isinstance(error, ShortageError):
                raise DecoderFailsError(str(error)) from error
            if isinstance(error, MemoryError) or str(error) == NO_THREAD:
                raise DecoderFailsError(NO_MEMORY) from error
            raise
        finally:
            threads.shutdown(cancel_futures=True)
            _count_believed(count, self._believed)
            for _photo in range(self._taken_back):
                count.tally.count_taken_back(make_copy_fault())
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
                return Known(self._set_licence(values))
            came: Picture | PhotoError
            sha256 = ""
            try:
                data = self._read(candidate)
                values["taken_at_text"] = values["taken_at_text"] or table.find_taken_at(data)
                came = self._decoders.read(data)
                sha256 = self._party.store.put(came.data)
            except PhotoError as fault:
                came = fault
            recorded = self._record(row, values, origin[1], came, sha256)
        except table.DetailError as error:
            return Refusal(candidate.where, str(error))
        if recorded is None:
            if self._doubts is not None:
                self._doubts.drop(candidate.number)
            return Known()
        outcome, claim, came = recorded
        is_waiting = self._hear(candidate.number, outcome, claim, came)
        if is_waiting and isinstance(came, PhotoError):
            self._missed.add((values["source"], values["source_id"]))
            return Miss(claim, came, candidate.number)
        return outcome, came, values["licence_id"] is not None

    def _read(self, candidate: Candidate) -> bytes:
        if self._doubts is None:
            return candidate.read()
        self._doubts.begin(find_host(candidate.row.get("url") or ""), candidate.number)
        try:
            return candidate.read()
        except table.DetailError:
            self._doubts.drop(candidate.number)
            raise

    def _hear(
        self, number: int, outcome: Outcome, claim: Claim, came: Picture | PhotoError
    ) -> bool:
        """Whether the photo waits for a later answer; what is believed by now is written."""
        if self._doubts is None:
            return False
        if not isinstance(came, PhotoError):
            if outcome is Outcome.SAME_BYTES:  # it may be a placeholder
                self._doubts.drop(number)
            else:
                self._believe(self._doubts.hear_picture(find_host(claim.image_url), number))
            self._take_copies_back(self._copies.hear(claim, digest_of(came.data)))
            return False
        miss = Miss(claim, came, number)
        if outcome is not Outcome.DOUBTED:
            self._doubts.confirm(miss)
            return False
        try:
            self._believe(self._doubts.hear_miss(miss))
        except SameFaultError as error:
            self._give_up(error)
        return True

    def _take_copies_back(self, row: Sequence[Claim]) -> None:
        """Let photos wait for which one same picture came; the first of them keeps its image."""
        if not row:
            return
        fault, now = make_copy_fault(), self._now()
        for claim in row[1:]:
            with self._party.catalogue.writing() as session:
                self._taken_back += take_back(session, claim, fault, now)
        misses = [Miss(claim, fault, number) for number, claim in enumerate(row)]
        self._give_up(SameFaultError(describe_row(misses), misses[0].host))

    def _believe(self, misses: Sequence[Miss]) -> None:
        """Write as lost what was in doubt."""
        for miss in misses:
            with self._party.catalogue.writing() as session:
                outcome = record_believed(session, miss.claim, miss.fault)
            self._believed.append((miss, outcome))

    def _is_known(self, values: dict[str, Any]) -> bool:
        """Whether the photograph has a row, but for one to retry; DetailError for its owner."""
        if (values["source"], values["source_id"]) in self._missed:
            return True
        same = select(Photo.id).filter_by(source=values["source"], source_id=values["source_id"])
        same = same.where(not_(_is_open(retry_broken=self._retries)))
        with self._party.catalogue.reading() as session:
            _check_owner(session, values["owner_id"])
            return session.scalar(same) is not None

    def _set_licence(self, values: dict[str, Any]) -> bool:
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

    def _record(
        self,
        row: table.TableRow,
        values: dict[str, Any],
        keyword: str,
        came: Picture | PhotoError,
        sha256: str,
    ) -> tuple[Outcome, Claim, Picture | PhotoError] | None:
        """The outcome, the photo and what came for it, or None where it has a row already."""
        store, now = self._party.store, self._now()
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
                is_believed = self._doubts is None or is_said_twice(claim, came, now)
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
    spec = find_class(party, class_name)
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
    source_id, doubt, doubted_at = row["source_id"], "", None
    photo_id = insert_new(session, Photo, [row], ("source", "source_id")).get(source_id)
    if photo_id is None:
        same = select(Photo).filter_by(source=row["source"], source_id=source_id)
        same = same.where(_is_open(retry_broken=retry_broken)).with_for_update()
        known = session.scalar(same)
        if known is None:
            return None
        photo_id, doubted_at = known.id, known.doubted_at
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


def _count(count: ImportCount, where: str, done: _Done) -> None:
    if isinstance(done, Known):
        count.known += 1
        count.licensed += done.is_licensed_now
        return
    if isinstance(done, Refusal):
        count.refusals.append(done)
        return
    if isinstance(done, Miss):
        count.tally.count(Outcome.DOUBTED, done.fault)
        count.doubted[done.claim.photo_id] = Refusal(where, format_reason(str(done.fault)))
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


def _count_believed(count: ImportCount, believed: Sequence[tuple[Miss, Outcome]]) -> None:
    """Count as lost those that were counted as in doubt."""
    for miss, outcome in believed:
        refusal = count.doubted.pop(miss.claim.photo_id, None)
        if refusal is not None:
            count.tally.count_believed(outcome, miss.fault)
            count.broken.append(refusal)
