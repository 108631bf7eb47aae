"""The job of both imports: threads bring photographs, record at once and are counted in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.licences import check_option, get_licences
from catalog.party import Party
from catalog.states import Source
from collect.doubts import Doubts, Miss, make_copy_fault
from collect.errors import DecoderFailsError, PhotoError, SameFaultError, clean_text
from collect.fetching import Decoders
from collect.future_times import set_times_back
from collect.interrupts import wait_listening
from collect.picture import NO_MEMORY, Picture
from collect.query_yield import recount_yields
from collect.takedown.erase import tidy_store
from vockit.format.shortage import ShortageError
from vockit.format.threads import ThreadPool

from . import table
from .answers import HostAnswers
from .count import Done, ImportCount, Known, Refusal, count_believed, count_done
from .rows import PhotoRows, check_class

NO_THREAD = "can't start new thread"  # what Python says of it, as a RuntimeError


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
    is_asked_again: Callable[[PhotoError], bool] = lambda _fault: False
    """Whether it is to be read once more after its bytes were no picture; waits before that."""


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
        self._answers = None if doubts is None else HostAnswers(party, doubts, give_up, now)
        self._missed: set[tuple[str, str]] = set()  # what this run asked for in vain
        self._party = party
        self._source = source
        self._now = now
        self._keyword = clean_text(keyword, 200)
        class_id = check_class(party, order.class_name)
        settings = party.settings.collect
        self._rows = PhotoRows(
            party,
            class_id,
            now,
            retry_broken=order.retry_broken,
            has_doubts=doubts is not None,
        )
        kept = get_licences(settings.licences)
        check_option(order.licence, kept)
        is_required = order.require_licence or settings.require_licence
        self._licences = table.LicenceRules(kept, order.licence, is_required)
        self.workers = order.workers or settings.workers
        self._decoders = Decoders(settings, makes_jpeg=True)

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
        threads = ThreadPool(self.workers, thread_name_prefix="import")
        running = [(candidate, threads.submit(self._import, candidate)) for candidate in candidates]
        counted = 0
        try:
            for candidate, future in running:
                count_done(count, candidate.where, wait_listening(future))
                counted += 1
                advance(1)
            if self._answers is not None:
                self._answers.end()
        except BaseException as error:
            stop()
            if isinstance(error, ShortageError):
                raise DecoderFailsError(str(error)) from error
            if isinstance(error, MemoryError) or str(error) == NO_THREAD:
                raise DecoderFailsError(NO_MEMORY) from error
            raise
        finally:
            threads.shutdown(cancel_futures=True)
            _count_ended(count, running[counted:])
            if self._answers is not None:
                count_believed(count, self._answers.believed)
                for _photo in range(self._answers.taken_back):
                    count.tally.count_taken_back(make_copy_fault())
            self._decoders.close()
            recount_yields(self._party)
            tidy_store(self._party, self._now())

    def _import(self, candidate: Candidate) -> Done:
        row = candidate.row
        origin = (self._source, self._keyword)
        try:
            values = table.make_details(row, self._licences)
            if self._source is not Source.FOLDER:
                origin = table.find_origin(row, *origin)
            values["title"] = values["title"] or candidate.title
            values |= {"source": origin[0], "source_id": candidate.find_id()}
            if self._is_known(values):
                return Known(self._rows.set_licence(values))
            came: Picture | PhotoError
            sha256 = ""
            try:
                came = self._bring(candidate, values)
                sha256 = self._party.store.put(came.data)
            except PhotoError as fault:
                came = fault
            recorded = self._rows.record(row, values, origin[1], came, sha256)
        except table.DetailError as error:
            return Refusal(candidate.where, str(error))
        if recorded is None:
            if self._answers is not None:
                self._answers.drop(candidate.number)
            return Known()
        outcome, claim, came = recorded
        answers = self._answers
        is_waiting = answers is not None and answers.hear(candidate.number, outcome, claim, came)
        if is_waiting and isinstance(came, PhotoError):
            self._missed.add((values["source"], values["source_id"]))
            return Miss(claim, came, candidate.number)
        return outcome, came, values["licence_id"] is not None

    def _is_known(self, values: dict[str, Any]) -> bool:
        """Whether it has a row or this run asked in vain; DetailError for its owner."""
        if (values["source"], values["source_id"]) in self._missed:
            return True
        return self._rows.is_known(values)

    def _bring(self, candidate: Candidate, values: dict[str, Any]) -> Picture:
        """The picture, whose date goes to `values`; raises PhotoError.

        A fault of its bytes that would cost it has to come twice, as that of a download.
        """
        data = self._read(candidate)
        try:
            return self._decode(data, values)
        except PhotoError as fault:
            if not candidate.is_asked_again(fault):
                raise
        return self._decode(self._read(candidate), values)

    def _decode(self, data: bytes, values: dict[str, Any]) -> Picture:
        values["taken_at_text"] = values["taken_at_text"] or table.find_taken_at(data)
        return self._decoders.read(data)

    def _read(self, candidate: Candidate) -> bytes:
        if self._answers is None:
            return candidate.read()
        url = candidate.row.get("url") or ""
        return self._answers.read(url, candidate.number, candidate.read)


def _count_ended(count: ImportCount, running: Sequence[tuple[Candidate, Future[Done]]]) -> None:
    """Count what is recorded of photographs whose import ended beside the one that stopped it."""
    for candidate, future in running:
        if not future.cancelled() and future.exception() is None:
            count_done(count, candidate.where, future.result())
