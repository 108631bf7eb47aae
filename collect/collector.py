"""The one loop that claims photos and writes what became of them; threads fetch, one draws."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import timedelta
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from catalog.party import Party

from . import claims
from .draws import Drawer
from .errors import HostBusyError, HostRefusesError, PhotoError, SearchesDryError
from .fetching import FILES_FOR_ONE, Fetching
from .pauses import Clock, Pauses, StoppedError
from .picture import StoredPicture
from .takedown.erase import delete_unwanted

log = logging.getLogger(__name__)

IMAGE_HOST = "The image host"
"""All hosts of the source's images rest together, whichever of them asked for it."""

LONGEST_WAIT_SECS = 1.0
LOOK_AGAIN_SECS = 0.1
"""Photos that other processes found or gave back are seen so much later at most."""
RECOUNT_EVERY_SECS = 1.0


class _PutOffError(Exception):
    """A photo's host rests, or the run ends: the photo is given back."""


class Collector:
    """One run until the target is reached, in one thread."""

    def __init__(
        self,
        party: Party,
        target: int,
        workers: int,
        drawer: Drawer,
        pauses: Pauses,
        tally: claims.Tally,
        on_fetched: Callable[[int], None],
        clock: Clock,
        stop: threading.Event,
    ) -> None:
        self._party, self._settings = party, party.settings.collect
        self._target, self._workers, self._on_fetched = target, workers, on_fetched
        self._drawer, self._pauses = drawer, pauses
        self._refusal: HostRefusesError | None = None
        self._fetching = Fetching(party, workers, self._check)
        self._tally, self._clock, self._stop = tally, clock, stop
        self._name = f"{socket.gethostname()[:40]}/{os.getpid()}/{secrets.token_hex(4)}"
        self._is_low = False  # whether no photo waits
        self._again_secs = 0.0
        self._files = FILES_FOR_ONE * workers if workers > 1 else 1
        self._threads = ThreadPoolExecutor(self._files, thread_name_prefix="fetch")
        self._in_hand: dict[Future[StoredPicture], claims.Claim] = {}
        self._drawing: Future[int] | None = None
        self._drawn_by = ThreadPoolExecutor(1, thread_name_prefix="draw")
        self._fetched = 0
        self._recount_secs = 0.0

    def run(self) -> None:
        """Return when the target is reached, or a stop was asked for."""
        try:
            self._give_up_unfinished()
            self._recount()
            while self._fetched < self._target and not self._stop.is_set():
                self._begin()
                self._draw()
                self._wait()
                self._settle()
                if time.monotonic() >= self._recount_secs:
                    self._recount()
        except StoppedError:
            return
        finally:
            self._end()

    def _begin(self) -> None:
        """Claim and begin what there is room for, several at once; where none waits, look later."""
        room = min(self._files, self._target - self._fetched) - len(self._in_hand)
        is_soon = time.monotonic() < self._again_secs
        if room <= 0 or is_soon or (self._in_hand and room < self._files // 4):
            return
        if self._pauses.left_secs(IMAGE_HOST) > 0:
            return
        # A file waits for the others in hand, each at most as long as a download; then for a place
        # among the downloads; and a minute to be decoded and stored.
        lease = timedelta(seconds=(FILES_FOR_ONE + 2) * self._settings.total_timeout_secs + 60)
        with self._party.catalogue.writing() as session:
            name, now, attempts = self._name, self._clock.now(), self._settings.attempts
            held = claims.claim_photos(session, name, room, now=now, lease=lease, attempts=attempts)
        self._is_low = len(held) < room
        if self._is_low:
            self._again_secs = time.monotonic() + LOOK_AGAIN_SECS
        fetch = self._fetching.fetch
        for claim in held:
            future = self._threads.submit(fetch, claim.image_url, claim.promised_size)
            self._in_hand[future] = claim

    def _check(self) -> None:
        """Raise where a photo's turn has come and the host rests by now, or the run ends."""
        if self._stop.is_set() or self._refusal or self._pauses.left_secs(IMAGE_HOST) > 0:
            raise _PutOffError

    def _draw(self) -> None:
        """Draw where no photo waits in the catalogue."""
        if self._drawing is not None or not self._is_low or self._drawer.is_dry:
            return
        # One worker's seed repeats everything: no draw runs ahead.
        is_idle = not self._in_hand or self._workers > 1
        if is_idle and self._pauses.left_secs(IMAGE_HOST) <= 0:
            self._drawing = self._drawn_by.submit(self._drawer.draw)

    def _wait(self) -> None:
        """Return when something has ended or may be claimed; raises where nothing ever will be."""
        ending: list[Future[Any]] = [*self._in_hand, *filter(None, [self._drawing])]
        if ending:
            has_room = len(self._in_hand) < self._files
            wait(ending, LOOK_AGAIN_SECS if has_room else LONGEST_WAIT_SECS, FIRST_COMPLETED)
            return
        if (rest_secs := self._pauses.left_secs(IMAGE_HOST)) > 0:
            self._clock.sleep(min(LONGEST_WAIT_SECS, rest_secs))
            return
        now = self._clock.now()
        self._give_up_unfinished()
        with self._party.catalogue.reading() as session:
            due_at = claims.find_next_due(session, now)
        if due_at is not None:
            left_secs = (due_at - now).total_seconds()
            self._clock.sleep(min(LONGEST_WAIT_SECS, max(LOOK_AGAIN_SECS, left_secs)))
        elif self._drawer.is_dry:
            raise SearchesDryError(
                "The searches find nothing new; widen first_date, last_date, licences or "
                "photos_per_owner in party.toml, or ask for fewer images with --target."
            )

    def _give_up_unfinished(self) -> None:
        now, attempts = self._clock.now(), self._settings.attempts
        with self._party.catalogue.writing() as session:
            claims.give_up_unfinished(session, now=now, attempts=attempts)

    def _settle(self) -> None:
        """Write what ended; raises, after that, what no photo is to blame for."""
        done = [future for future in self._in_hand if future.done()]
        for future in done:
            self._record(self._in_hand[future], future)
            del self._in_hand[future]
        for future in done:
            error = future.exception()
            if not isinstance(error, PhotoError | _PutOffError | None):
                raise error
        if self._refusal is not None:
            raise self._refusal
        if self._drawing is not None and self._drawing.done():
            if self._drawing.result():
                self._is_low, self._again_secs = False, 0.0
            self._drawing = None

    def _record(self, claim: claims.Claim, future: Future[StoredPicture]) -> None:
        """Write one photo: kept, lost, or left for another attempt after a rest."""
        fault, now = future.exception(), self._clock.now()
        if fault is None or isinstance(fault, PhotoError):
            try:
                self._pauses.judge(IMAGE_HOST, fault)
            except HostRefusesError as error:
                self._refusal = self._refusal or error  # of those in hand, the first is told
        with self._party.catalogue.writing() as session:
            if fault is None:
                store = self._party.store
                outcome = claims.record_kept(session, claim, future.result(), store, now)
            elif isinstance(fault, HostBusyError) or not isinstance(fault, PhotoError):
                claims.give_back(session, claim)  # the attempt does not count
                return
            else:
                is_last = fault.permanent or claim.attempt >= self._settings.attempts
                told = "" if is_last else "; tried again"
                log.info("photo %s: %s%s", claim.photo_id, fault, told)
                rest = timedelta(seconds=self._pauses.delay_secs(claim.attempt))
                again_at = None if is_last else now + rest
                outcome = claims.record_missed(session, claim, fault, again_at)
        if fault is None and outcome is claims.Outcome.LATE:  # it was withdrawn meanwhile
            delete_unwanted(self._party, [future.result().sha256])
        self._tally.count(outcome, fault)
        if outcome is claims.Outcome.FETCHED:
            self._fetched += 1
            self._on_fetched(1)

    def _recount(self) -> None:
        """Take over what the catalogue counts, which includes what others fetched."""
        with self._party.catalogue.reading() as session:
            fetched = claims.load_fetched_count(session)
        if fetched > self._fetched and self._recount_secs:
            self._on_fetched(fetched - self._fetched)
        self._fetched, self._recount_secs = fetched, time.monotonic() + RECOUNT_EVERY_SECS

    def _end(self) -> None:
        """Record what was begun, give back the rest; else its claims run out by themselves."""
        self._stop.set()
        self._threads.shutdown()
        self._fetching.close()
        self._drawn_by.shutdown()
        self._drawing = None  # what ended it is told already
        try:
            self._settle()
        except Exception as error:  # why the run ends is told already
            log.info("after the end: %s", error)
        held = sorted(self._in_hand.values(), key=lambda one: one.photo_id)
        try:
            with self._party.catalogue.writing() as session:
                for claim in held:
                    claims.give_back(session, claim)
        except SQLAlchemyError as error:
            told = "Cannot release the claims of %d photos; they expire by themselves (%s)"
            log.warning(told, len(held), error)
