"""What both imports share: arrivals that threads bring and record at once, counted in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import Source
from collect.caps import load_blocks, lock_caps
from collect.errors import DecoderFailsError, PhotoError, clean_text
from collect.fetching import Decoders
from collect.licences import get_licences
from collect.picture import NO_MEMORY
from collect.query_yield import recount_yields
from collect.takedown.erase import tidy_store

from .record import Arrival, ImportCount, Recorded, Refusal, get_query_id, is_known, record_arrival
from .table import (
    DetailError,
    ImportSourceError,
    LicenceRules,
    TableRow,
    check_licence,
    find_origin,
    find_taken_at,
    make_details,
)

Item = TypeVar("Item")
NO_THREAD = "can't start new thread"  # what Python says of it, as a RuntimeError


@dataclass(frozen=True)
class PutOff:
    """Something that will have another turn."""


Prepared = Arrival | Refusal | PutOff | None
"""An arrival, or why there is none; None where the photograph has a row."""


@dataclass(frozen=True, kw_only=True)
class ImportOrder:
    """What both imports may be told: class, threads, and the licence of photographs without one."""

    class_name: str | None = None
    workers: int | None = None
    licence: str | None = None
    require_licence: bool = False
    retry_broken: bool = False


class ImportJob:
    """One import in work: where to, from what, and its counts so far."""

    def __init__(
        self,
        party: Party,
        source: Source,
        keyword: str,
        order: ImportOrder,
        count: ImportCount,
        now: Callable[[], datetime],
        advance: Callable[[int], None] = lambda _count: None,
        stop: Callable[[], None] = lambda: None,
    ) -> None:
        self.party, self.settings, self._source = party, party.settings.collect, source
        self._keyword, self._count_in, self._now = clean_text(keyword, 200), count, now
        self._advance, self._stop = advance, stop
        self._class_name = check_class(party, order.class_name)
        self._licences = _make_licence_rules(party, order)
        self._retries = order.retry_broken
        self.workers = order.workers or self.settings.workers
        self._decoders = Decoders(self.settings, makes_jpeg=source is Source.FOLDER)

    def run(
        self,
        items: Sequence[Item],
        prepare: Callable[[Item], Prepared],
        wait: Callable[[Sequence[Item]], None] = lambda _items: None,
    ) -> None:
        """Return when every item is recorded or refused; the same call again goes on.

        `wait` returns when the first of the items that were put off may have another turn.
        The thread that stored a file records it before it does anything else, so that a process
        that is killed fetches next to nothing again.
        """
        tidy_store(self.party, self._now())
        self._decoders.open()
        threads = ThreadPoolExecutor(self.workers, thread_name_prefix="import")
        try:
            while items:
                later = []
                all_done = threads.map(lambda item: self._record(prepare(item)), items)
                for item, done in zip(items, all_done, strict=True):
                    if isinstance(done, PutOff):
                        later.append(item)
                        continue
                    self._advance(1)
                    self._count_in.add(done)
                if items := later:
                    wait(items)
        except BaseException as error:
            self._stop()  # ends the waits of threads
            if isinstance(error, MemoryError) or str(error) == NO_THREAD:
                raise DecoderFailsError(NO_MEMORY) from error
            raise
        finally:
            threads.shutdown(cancel_futures=True)
            self._decoders.close()
            recount_yields(self.party)
            tidy_store(self.party, self._now())

    def find_origin(self, row: TableRow) -> tuple[Source, str]:
        """The source and the query of a row's photo; raises DetailError."""
        return find_origin(row, self._source, self._keyword)

    def is_known(self, source_id: str, source: Source | None = None) -> bool:
        """Whether the photograph has a row; one that is broken and retried does not count."""
        with self.party.catalogue.reading() as session:
            return is_known(session, source or self._source, source_id, but_broken=self._retries)

    def read_details(self, row: TableRow) -> dict[str, Any]:
        """Columns of the row's photo; raises DetailError where it, or its owner, is left out."""
        details = make_details(row, self._licences)
        with self.party.catalogue.reading() as session:
            _check_owner(session, details["owner_id"])
        return details

    def arrive(
        self, data: bytes, values: dict[str, Any], class_name: str | None, where: str
    ) -> Arrival:
        """The arrival of some bytes: a picture whose file is stored, or its fault."""
        values = {**values, "taken_at_text": values["taken_at_text"] or find_taken_at(data)}
        try:
            picture = self._decoders.read(data)
        except PhotoError as fault:
            return Arrival(values, class_name, fault, where=where)
        sha256 = self.party.store.put(picture.data)
        return Arrival(values, class_name, picture, sha256, where)

    def _record(self, prepared: Prepared) -> Recorded | Refusal | PutOff | None:
        if not isinstance(prepared, Arrival):
            return prepared
        values = prepared.values
        try:
            with self.party.catalogue.writing() as session:
                lock_caps(session)  # of this and a block of the owner, one waits for the other
                _check_owner(session, values.get("owner_id"))
                class_name = prepared.class_name or self._class_name
                source, keyword = prepared.origin or (self._source, self._keyword)
                query_id = get_query_id(session, source, class_name, keyword)
                store, now = self.party.store, self._now()
                outcome = record_arrival(
                    session, store, source, prepared, query_id,
                    now=now, retry_broken=self._retries,
                )  # fmt: skip
        except DetailError as error:
            return Refusal(str(values["source_id"]), str(error))
        return None if outcome is None else (prepared, outcome)


def _check_owner(session: Session, owner_id: str | None) -> None:
    reason = load_blocks(session, [owner_id]).get(owner_id) if owner_id else None
    if reason is not None:
        raise DetailError(f"its owner {owner_id} is excluded ({reason})")


def _make_licence_rules(party: Party, order: ImportOrder) -> LicenceRules:
    """The party's rules, with the licence for all; raises ImportSourceError where it is not kept.

    A licence is required where this import or the party's settings say so.
    """
    settings = party.settings.collect
    kept = get_licences(settings.licences)
    try:
        check_licence(order.licence, kept)
    except DetailError as error:
        raise ImportSourceError(f"--licence: {str(error).removeprefix('its licence ')}.") from error
    return LicenceRules(kept, order.licence, order.require_licence or settings.require_licence)


def check_class(party: Party, class_name: str | None) -> str:
    """The class, empty for none; raises ImportSourceError where the preset has no such class."""
    class_name = party.former_classes.get(class_name or "", class_name or "")
    if class_name and party.preset.find_class(class_name) is None:
        known = ", ".join(party.preset.class_names)
        raise ImportSourceError(f"Unknown class {class_name!r}. The preset has: {known}.")
    return class_name
