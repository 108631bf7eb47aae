"""What both imports share: arrivals that threads bring and record at once, counted in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import Source
from collect.batch_writer import Outcome
from collect.caps import load_blocks, lock_caps
from collect.errors import PhotoError, clean_text
from collect.fetching import Decoders
from collect.licences import get_licences
from collect.query_yield import recount_yields
from collect.takedown.erase import tidy_store

from .details import DetailError, LicenceRules, check_licence, find_taken_at, make_details
from .record import Arrival, ImportCount, Refusal, get_query_id, is_known, record_arrival
from .table import ImportSourceError, TableRow

Item = TypeVar("Item")
Result = TypeVar("Result")
AHEAD = 4  # for each thread


@dataclass(frozen=True)
class PutOff:
    """Something that will have another turn."""


Prepared = tuple[Arrival, str] | Refusal | PutOff | None
"""An arrival with its class, or why there is none; None where the photograph has a row."""


Recorded = tuple[Outcome | None, PhotoError | None, bool]
"""What became of an arrival, what kept it from being an image, whether it has a licence."""


@dataclass(frozen=True, kw_only=True)
class ImportOrder:
    """What both imports may be told: class, threads, and the licence of photographs without one."""

    class_name: str | None = None
    workers: int | None = None
    licence: str | None = None
    require_licence: bool = False


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
        self.workers = order.workers or self.settings.workers
        self._decoders = Decoders(self.settings)

    def run(
        self,
        items: Iterable[Item],
        prepare: Callable[[Item], Prepared],
        wait: Callable[[], Sequence[Item]] = lambda: (),
    ) -> None:
        """Return when every item is recorded or refused; the same call again goes on.

        `wait` gives the items that were put off, once the first of them is due.
        The thread that stored a file records it before it does anything else, so that a process
        that is killed fetches next to nothing again.
        """

        def work(item: Item) -> Recorded | Refusal | PutOff | None:
            return self._record(prepare(item))

        tidy_store(self.party, self._now())
        try:
            some: Iterable[Item] | None = items
            while some:
                for done in work_through(some, work, self.workers, self._stop):
                    self._count(done)
                some = wait()
        finally:
            self._decoders.close()
            recount_yields(self.party)
            tidy_store(self.party, self._now())

    def is_known(self, source_id: str) -> bool:
        """Whether the photograph has a row, whatever became of it."""
        with self.party.catalogue.reading() as session:
            return is_known(session, self._source, source_id)

    def read_details(self, row: TableRow) -> dict[str, Any]:
        """Columns of the row's photo; raises DetailError where it, or its owner, is left out."""
        details = make_details(row, self._licences)
        with self.party.catalogue.reading() as session:
            _check_owner(session, details["owner_id"])
        return details

    def name_class(self, row: TableRow) -> str:
        """The class that the row's photograph is meant for."""
        return row.get("class") or self._class_name

    def arrive(self, data: bytes, values: dict[str, Any]) -> Arrival:
        """The arrival of some bytes: a picture whose file is stored, or its fault."""
        values = {**values, "taken_at_text": values["taken_at_text"] or find_taken_at(data)}
        try:
            picture = self._decoders.read(data)
        except PhotoError as fault:
            return Arrival(values, fault)
        return Arrival(values, picture, self.party.store.put(picture.data))

    def _count(self, done: Recorded | Refusal | PutOff | None) -> None:
        if isinstance(done, PutOff):
            return
        self._advance(1)
        if isinstance(done, Refusal):
            self._count_in.refusals.append(done)
        else:
            outcome, fault, has_licence = done or (None, None, True)
            self._count_in.count(outcome, fault, has_licence=has_licence)

    def _record(self, prepared: Prepared) -> Recorded | Refusal | PutOff | None:
        if not isinstance(prepared, tuple):
            return prepared
        arrival, class_name = prepared
        fault = arrival.came if isinstance(arrival.came, PhotoError) else None
        try:
            with self.party.catalogue.writing() as session:
                outcome = self._record_in(session, arrival, class_name)
        except DetailError as error:
            return Refusal(str(arrival.values["source_id"]), str(error))
        return outcome, fault, arrival.values.get("licence_id") is not None

    def _record_in(self, session: Session, arrival: Arrival, class_name: str) -> Outcome | None:
        lock_caps(session)  # of this and a block of the owner, one waits for the other
        _check_owner(session, arrival.values.get("owner_id"))
        query_id = get_query_id(session, self._source, class_name, self._keyword)
        store, now = self.party.store, self._now()
        return record_arrival(session, store, self._source, arrival, query_id, now=now)


def work_through(
    items: Iterable[Item],
    work: Callable[[Item], Result],
    workers: int,
    stop: Callable[[], None] = lambda: None,
) -> Iterator[Result]:
    """The results in the order of the items; no more are in work than the reader soon takes.

    Exceptions of a thread are raised here. `stop` is called first when the reader ends early.
    """
    left = iter(items)
    with ThreadPoolExecutor(workers, thread_name_prefix="import") as pool:
        try:
            while some := list(islice(left, workers * AHEAD)):
                yield from pool.map(work, some)
        except BaseException:
            stop()
            pool.shutdown(cancel_futures=True)
            raise


def _check_owner(session: Session, owner_id: str | None) -> None:
    reason = load_blocks(session, [owner_id]).get(owner_id) if owner_id else None
    if reason is not None:
        raise DetailError(f"its owner {owner_id} is left out ({reason})")


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
    if class_name and party.preset.find_class(class_name) is None:
        known = ", ".join(party.preset.class_names)
        raise ImportSourceError(f"There is no class {class_name!r}; the preset has: {known}.")
    return class_name or ""
