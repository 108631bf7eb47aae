"""The one loop that claims photos; threads fetch them, one draws, and what ended is recorded."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from datetime import timedelta
from functools import partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.tables import Photo
from vockit.format.threads import ThreadPool

from . import claims
from .admission import Admission
from .doubts import is_asked_twice
from .draws import Drawer
from .errors import PhotoError, SearchesDryError
from .fetching import FILES_FOR_ONE, Fetching
from .pauses import Clock, Pauses, StoppedError
from .picture import StoredPicture
from .recorder import IMAGE_HOST, Recorder
from .rows import lock_caps
from .tally import Tally

log = logging.getLogger(__name__)

NOTHING_NEW = (
    "The searches find nothing new; widen first_date, last_date, licences or "
    "photos_per_owner in party.toml, or ask for fewer images with --target."
)
NOTHING_AT_ALL = (
    "The searches find nothing new: none had a single result, so the source may be at fault; see "
    "`vocparty key test`. Else widen first_date, last_date or licences in party.toml."
)
LONGEST_WAIT_SECS = 1.0
LOOK_AGAIN_SECS = 0.1
"""Photos that other processes found or gave back are seen so much later at most."""
RECOUNT_EVERY_SECS = 1.0
GRACE_SECS = 1.0
"""For so long, running downloads may still end after Ctrl-C."""


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
        tally: Tally,
        on_fetched: Callable[[int], None],
        clock: Clock,
        stop: threading.Event,
        admission: Admission,
    ) -> None:
        self._party = party
        self._settings = party.settings.collect
        # A file waits for the others in hand, each at most as long as a download; then for a place
        # among the downloads; and a minute to be decoded and stored.
        lease_secs = (FILES_FOR_ONE + 2) * self._settings.total_timeout_secs + 60
        self._lease = timedelta(seconds=lease_secs)
        self._target = target
        self._workers = workers
        self._on_fetched = on_fetched
        self._drawer = drawer
        self._pauses = pauses
        self._admission = admission
        self._barred: set[int] = set()  # the ids of photos that the settings do not allow
        self._recorder = Recorder(party, self._lease, pauses, tally, self._count_kept, clock)
        self._fetching = Fetching(party, workers, self._check)
        self._tally = tally
        self._clock = clock
        self._stop = stop
        self._name = f"{socket.gethostname()[:40]}/{os.getpid()}/{secrets.token_hex(4)}"
        self._is_low = False  # whether no photo waits
        self._again_secs = 0.0
        self._files = FILES_FOR_ONE * workers if workers > 1 else 1
        self._threads = ThreadPool(self._files, thread_name_prefix="fetch")
        self._in_hand: dict[Future[StoredPicture], claims.Claim] = {}
        self._drawing: Future[int] | None = None
        self._drawn_by = ThreadPool(1, thread_name_prefix="draw")
        self._fetched = 0
        self._recount_secs = 0.0

    def run(self) -> None:
        """Return when the target is reached, or a stop was asked for."""
        is_own_end = False
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
            is_own_end = not self._stop.is_set()
        except StoppedError:
            return
        except SearchesDryError:
            is_own_end = True
            raise
        finally:
            self._end()
            if is_own_end:
                self._recorder.end()
            self._release()

    def _begin(self) -> None:
        """Claim and begin what there is room for, several at once; where none waits, look later."""
        room = min(self._files, self._target - self._fetched) - len(self._in_hand)
        is_soon = time.monotonic() < self._again_secs
        if room <= 0 or is_soon or (self._in_hand and room < self._files // 4):
            return
        if self._pauses.left_secs(IMAGE_HOST) > 0:
            return
        with self._party.catalogue.writing() as session:
            lock_caps(session)  # of two runs that look at an owner's photos, one waits
            held = claims.claim_photos(
                session,
                self._name,
                room,
                now=self._clock.now(),
                lease=self._lease,
                attempts=self._settings.attempts,
                judge=self._judge,
            )
        self._is_low = len(held) < room
        if self._is_low:
            self._again_secs = time.monotonic() + LOOK_AGAIN_SECS
        for claim in held:
            self._in_hand[self._threads.submit(self._fetch, claim)] = claim

    def _judge(self, session: Session, photos: Sequence[Photo]) -> Mapping[int, str]:
        """Why photos of the queue may not be fetched, counted; by their ids."""
        barred = self._admission.find_barred(session, photos, self._clock.now())
        # A second run may pass over the same ones, so that they come again.
        new = barred.keys() - self._barred
        self._barred |= new
        self._tally.barred.update(barred[photo_id] for photo_id in sorted(new))
        return barred

    def _fetch(self, claim: claims.Claim) -> StoredPicture:
        """The picture; a fault that would cost the photo has to come twice, a moment apart."""
        begin = partial(self._recorder.begin, claim)
        try:
            return self._fetching.fetch(claim.image_url, claim.promised_size, begin)
        except PhotoError as fault:
            if self._settings.attempts == 1 or not is_asked_twice(fault):
                raise
            if self._stop.wait(self._pauses.delay_secs(1)):
                raise _PutOffError from fault
            log.info("photo %s: %s; asked once more", claim.photo_id, fault)
        return self._fetching.fetch(claim.image_url, claim.promised_size)

    def _check(self) -> None:
        """Raise where a photo's turn has come and the host rests by now, or the run ends."""
        if self._stop.is_set() or self._recorder.refusal or self._pauses.left_secs(IMAGE_HOST) > 0:
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
            due_at = claims.find_next_due(session, now, self._name)
        if due_at is not None:
            left_secs = (due_at - now).total_seconds()
            self._clock.sleep(min(LONGEST_WAIT_SECS, max(LOOK_AGAIN_SECS, left_secs)))
        elif self._drawer.is_dry:
            is_silent = not self._drawer.returned and self._settings.source != "table"
            nothing = NOTHING_AT_ALL if is_silent else NOTHING_NEW
            raise SearchesDryError(self._tally.describe_main_reason() or nothing)

    def _give_up_unfinished(self) -> None:
        now = self._clock.now()
        attempts = self._settings.attempts
        with self._party.catalogue.writing() as session:
            claims.give_up_unfinished(session, now=now, attempts=attempts)

    def _settle(self) -> None:
        """Write what ended; raises, after that, what no photo is to blame for."""
        done = [future for future in self._in_hand if future.done()]
        for future in done:
            self._recorder.record(self._in_hand[future], future)
            del self._in_hand[future]
        for future in done:
            error = future.exception()
            if not isinstance(error, PhotoError | _PutOffError | StoppedError | None):
                raise error
        if self._recorder.refusal is not None:
            raise self._recorder.refusal
        if self._drawing is not None and self._drawing.done():
            if self._drawing.result():
                self._is_low = False
                self._again_secs = 0.0
            self._drawing = None

    def _count_kept(self) -> None:
        self._fetched += 1
        self._on_fetched(1)

    def _recount(self) -> None:
        """Take over what the catalogue counts, which includes what others fetched."""
        with self._party.catalogue.reading() as session:
            fetched = claims.load_fetched_count(session)
        if fetched > self._fetched and self._recount_secs:
            self._on_fetched(fetched - self._fetched)
        self._fetched = fetched
        self._recount_secs = time.monotonic() + RECOUNT_EVERY_SECS

    def _end(self) -> None:
        """End all threads and processes, and record what was begun.

        Where a stop was asked for, a download that is not done within a second is broken off.
        """
        if self._stop.is_set():
            log.warning("stopping")
            wait(self._in_hand, GRACE_SECS)
            self._fetching.cut()
            self._drawer.cut()
            self._recorder.cut()
        self._stop.set()
        self._threads.shutdown()
        self._fetching.close()
        self._drawn_by.shutdown()
        self._drawing = None  # what ended it is told already
        try:
            self._settle()
        except Exception as error:  # why the run ends is told already
            log.info("after the end: %s", error)

    def _release(self) -> None:
        """Let other runs have what this one leaves; else its claims run out by themselves."""
        held = sorted(self._in_hand.values(), key=lambda claim: claim.photo_id)
        try:
            with self._party.catalogue.writing() as session:
                for claim in held:
                    claims.give_back(session, claim)
                claims.release_doubted(session, self._name)
        except SQLAlchemyError as error:
            message = "Cannot release the claims of %d photos; they expire by themselves (%s)"
            log.warning(message, len(held), error)
