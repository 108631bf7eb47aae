"""The collector: one loop that claims photos, has them fetched, and writes what became of them.

Threads fetch, one thread draws, and the loop alone writes: no state is shared.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from catalog.party import Party

from .batch_writer import Ended, Kept, Missed, Outcome, load_fetched_count, write_batch
from .claims import Claim, claim_photos, find_next_due, give_back, give_up_unfinished
from .draws import Drawer
from .errors import HostBusyError, PhotoError, SearchesDryError
from .fetching import FILES_FOR_ONE, Fetching
from .hosts import HostRests
from .pauses import Clock, Pauses, StoppedError
from .picture import StoredPicture
from .snapshots import Tally
from .takedown.erase import delete_unwanted

log = logging.getLogger(__name__)

LONGEST_WAIT_SECS = 1.0
LOOK_AGAIN_SECS = 0.1
"""Photos that other processes found or gave back are seen so much later at most."""
RECOUNT_EVERY_SECS = 1.0
NEAR_IMAGES, NEAR_SECS = 200, 0.1
"""With few images left it is counted more often: what others fetch unseen is too much."""


class _PutOffError(Exception):
    """A photo's host rests, or the run ends: the photo is given back."""


@dataclass(frozen=True)
class Goal:
    """What a collector works towards, and what it calls on the way.

    `on_fetched` takes the images that came since, `tell` all that there are.
    """

    target: int
    workers: int
    on_fetched: Callable[[int], None]
    tell: Callable[[int], None]


class Collector:
    """One run until the target is reached, in one thread."""

    def __init__(
        self,
        party: Party,
        goal: Goal,
        drawer: Drawer,
        pauses: Pauses,
        tally: Tally,
        clock: Clock,
        stop: threading.Event,
    ) -> None:
        self._party, self._goal, self._settings = party, goal, party.settings.collect
        self._drawer, self._rests, self._pauses = drawer, HostRests(pauses), pauses
        self._fetching = Fetching(party, goal.workers)
        self._tally, self._clock, self._stop = tally, clock, stop
        self._name = f"{socket.gethostname()[:40]}/{os.getpid()}/{secrets.token_hex(4)}"
        self._waiting: int | None = None  # photos known to wait; None of many
        self._again_secs = 0.0
        self._in_hand: dict[Future[StoredPicture], Claim] = {}
        self._drawing: Future[int] | None = None
        self._drawn_by = ThreadPoolExecutor(1, thread_name_prefix="draw")
        self._fetched = 0
        self._recount_secs = 0.0

    def run(self) -> None:
        """Return when the target is reached, or a stop was asked for.

        Raises SearchesDryError, SourceError, HostRefusesError, ImageStoreError.
        """
        try:
            self._give_up_unfinished()
            self._recount()
            while self._fetched < self._goal.target and not self._stop.is_set():
                self._begin()
                self._draw()
                self._wait()
                self._settle()
                self._end_drawing()
                if time.monotonic() >= self._recount_secs:
                    self._recount()
        except StoppedError:
            return
        finally:
            self._end()

    def _begin(self) -> None:
        """Claim and begin what there is room for, several at once; where none waits, look later."""
        files = min(self._fetching.files, self._goal.target - self._fetched)
        room = files - len(self._in_hand)
        is_soon = time.monotonic() < self._again_secs
        if room <= 0 or is_soon or (self._in_hand and room < self._fetching.files // 4):
            return
        # A file waits for the others in hand, each at most as long as a download; then for a place
        # among the downloads; and a minute to be decoded and stored.
        lease_secs = (FILES_FOR_ONE + 2) * self._settings.total_timeout_secs + 60
        with self._party.catalogue.writing() as session:
            claims = claim_photos(
                session,
                self._name,
                room,
                now=self._clock.now(),
                lease=timedelta(seconds=lease_secs),
                attempts=self._settings.attempts,
                busy_hosts=self._rests.find_busy(),
            )
        if len(claims) < room:
            self._waiting, self._again_secs = 0, time.monotonic() + LOOK_AGAIN_SECS
        elif self._waiting is not None:
            self._waiting = max(0, self._waiting - len(claims))
        for claim in claims:
            check = partial(self._check, claim)
            future = self._fetching.begin(claim.image_url, claim.promised_size, check)
            self._in_hand[future] = claim

    def _check(self, claim: Claim) -> None:
        """Raise where the photo's turn has come and its host rests by now, or the run ends."""
        if self._stop.is_set() or self._rests.is_busy(claim.image_url):
            raise _PutOffError

    def _draw(self) -> None:
        """Draw while few photos wait in the catalogue, so that no download soon has to."""
        is_low = self._waiting is not None and self._waiting < self._fetching.files
        if self._drawing is not None or not is_low or self._drawer.is_dry:
            return
        # One worker's seed repeats everything: no draw runs ahead.
        is_idle = not self._in_hand or self._goal.workers > 1
        # Not once a host was given up: what is found then is mostly its own.
        if is_idle and not self._rests.given_up and self._rests.left_secs_of_all() <= 0:
            self._drawing = self._drawn_by.submit(self._drawer.draw)

    def _wait(self) -> None:
        """Return when something has ended, or it is time to look again."""
        ending: list[Future[Any]] = [*self._in_hand]
        if self._drawing is not None:
            ending.append(self._drawing)
        if ending:
            is_hungry = len(self._in_hand) < self._fetching.files
            pause_secs = self._recount_secs - time.monotonic()
            most_secs = LOOK_AGAIN_SECS if is_hungry else LONGEST_WAIT_SECS
            wait(ending, min(most_secs, max(0.0, pause_secs)), FIRST_COMPLETED)
        else:
            self._wait_for_photos()

    def _wait_for_photos(self) -> None:
        """Wait for the next photo that may be claimed; raises where none will be."""
        if (rest_secs := self._rests.left_secs_of_all()) > 0:
            self._clock.sleep(min(LONGEST_WAIT_SECS, rest_secs))
            return
        now, given_up = self._clock.now(), dict(self._rests.given_up)
        self._give_up_unfinished()
        with self._party.catalogue.reading() as session:
            due_at = find_next_due(session, now, given_up)
        if due_at is not None:
            left_secs = (due_at - now).total_seconds()
            self._clock.sleep(min(LONGEST_WAIT_SECS, max(LOOK_AGAIN_SECS, left_secs)))
        elif given_up:
            raise next(iter(given_up.values()))
        elif self._drawer.is_dry:
            raise SearchesDryError(
                "The searches find nothing new; widen first_date, last_date, licences or "
                "photos_per_owner in party.toml, or ask for fewer images with --target."
            )

    def _give_up_unfinished(self) -> None:
        now, attempts = self._clock.now(), self._settings.attempts
        with self._party.catalogue.writing() as session:
            give_up_unfinished(session, now=now, attempts=attempts)

    def _end_drawing(self) -> None:
        if self._drawing is not None and self._drawing.done():
            if found := self._drawing.result():
                self._waiting, self._again_secs = (self._waiting or 0) + found, 0.0
            self._drawing = None

    def _settle(self) -> None:
        """Write what ended; raises, after that, what no photo is to blame for."""
        done = {future: claim for future, claim in self._in_hand.items() if future.done()}
        if not done:
            return
        ended = [self._judge(claim, future) for future, claim in done.items()]
        outcomes = write_batch(self._party, ended)
        for future in done:
            del self._in_hand[future]
        for one, outcome in zip(ended, outcomes, strict=True):
            self._count(one, outcome)
        for future in done:
            error = future.exception()
            if not isinstance(error, PhotoError | _PutOffError | None):
                raise error

    def _judge(self, claim: Claim, future: Future[StoredPicture]) -> Ended:
        """The photo is kept or lost; it rests where another attempt may help and is left."""
        fault = future.exception()
        if fault is None or isinstance(fault, PhotoError):
            self._rests.judge(claim.image_url, fault)
        if fault is None:
            return Kept(claim, future.result(), self._clock.now())
        if isinstance(fault, HostBusyError) or not isinstance(fault, PhotoError):
            return Missed(claim)  # the attempt does not count
        is_tried_again = not fault.permanent and claim.attempt < self._settings.attempts
        log.info("photo %s: %s%s", claim.photo_id, fault, "; tried again" * is_tried_again)
        if not is_tried_again:
            return Missed(claim, fault)
        secs = self._pauses.delay_secs(claim.attempt)
        return Missed(claim, fault, self._clock.now() + timedelta(seconds=secs))

    def _count(self, ended: Ended, outcome: Outcome) -> None:
        fault = ended.fault if isinstance(ended, Missed) else None
        if isinstance(ended, Kept) and outcome is Outcome.LATE:  # it was withdrawn meanwhile
            delete_unwanted(self._party, [ended.picture.sha256])
        if isinstance(ended, Kept) or fault is not None:
            self._tally.count(outcome, fault)
        if outcome is Outcome.FETCHED:
            self._fetched += 1
            self._goal.on_fetched(1)

    def _recount(self) -> None:
        """Take over what the catalogue counts, which includes what others fetched."""
        began_secs = time.monotonic()
        with self._party.catalogue.reading() as session:
            fetched = load_fetched_count(session)
        took_secs = time.monotonic() - began_secs
        if fetched > self._fetched and self._recount_secs:
            self._goal.on_fetched(fetched - self._fetched)
        self._fetched = fetched
        self._goal.tell(fetched)
        is_near = self._goal.target - fetched <= NEAR_IMAGES
        every_secs = NEAR_SECS if is_near else RECOUNT_EVERY_SECS
        self._recount_secs = time.monotonic() + max(every_secs, 10 * took_secs)

    def _end(self) -> None:
        """Record what was begun, give back the rest; else its claims run out by themselves."""
        self._stop.set()
        wait(self._in_hand)
        self._fetching.close()
        self._drawn_by.shutdown()
        try:
            self._settle()
        except Exception as error:  # why the run ends is told already
            log.info("after the end: %s", error)
        claims = list(self._in_hand.values())
        try:
            with self._party.catalogue.writing() as session:
                for claim in sorted(claims, key=lambda one: one.photo_id):
                    give_back(session, claim)
        except SQLAlchemyError as error:
            photos = ", ".join(str(claim.photo_id) for claim in claims)
            log.warning(
                "Cannot release the claims of photos %s; they expire by themselves (%s)",
                photos,
                error,
            )
