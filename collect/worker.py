"""One thread of the collector: claims photos, downloads, stores, records; draws for more."""

from __future__ import annotations

import logging
import random
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.orm import Session

from catalog.party import Party

from .backoff import Backoff
from .claims import (
    Claim,
    find_next_due,
    give_up_unfinished,
    let_rest,
    set_aside,
    waits_elsewhere,
)
from .clock import Clock, StoppedError
from .draw_pool import DrawPool, Dryness
from .drawers import Drawers
from .errors import HostBusyError, HostRefusesError, PhotoError, SearchesDryError
from .fetchers import Fetchers
from .host_limits import HostLimits
from .host_rests import HostRests
from .late_files import LateFiles
from .outcomes import Kept, Outcome, record_lost
from .picture import StoredPicture
from .quota import Quota
from .reasons import Reason
from .recorder import Recorder
from .shelf import Shelf, give_back_safely
from .tally import Tally
from .unrecorded import Unrecorded, find_whole

log = logging.getLogger(__name__)

DRAWN_BY_OTHERS_SECS = 0.02
LONGEST_WAIT_SECS = 1.0
"""A photo that another thread holds may be done, or rest, long before its claim runs out."""
GIVEN_UP_SECS = 120.0
"""A photo whose host was given up waits so long; longer than one that is tried again soon."""


@dataclass(frozen=True)
class Shared:
    """What the threads of one process share."""

    party: Party
    clock: Clock
    rests: HostRests
    pool: DrawPool
    drawers: Drawers
    dryness: Dryness
    quota: Quota
    tally: Tally
    recorder: Recorder
    shelf: Shelf
    notes: Unrecorded
    late: LateFiles
    fetchers: Fetchers
    downloads: HostLimits
    is_single: bool
    backoff: Backoff
    jitter: random.Random


class Worker:
    """One thread's work."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._settings = shared.party.settings.collect
        self._recorder, self._clock = shared.recorder, shared.clock

    def run(self, most: int) -> bool:
        """Whether there may be more to do after so many photographs or draws.

        There is not when the quota is filled or a stop was asked for. Raises SearchesDryError,
        FlickrError, HostRefusesError, ImageStoreError.
        """
        with suppress(StoppedError):
            for _ in range(most):
                self._shared.late.erase()
                if not self._shared.quota.reserve():
                    return False
                self._work_once()
            return True
        return False

    def _work_once(self) -> None:
        """One photograph, or one draw; the reserved place is settled when what it led to is."""
        try:
            claim = self._find_claim()
            picture = None if claim is None else self._fetch(claim)
        except BaseException:
            self._shared.quota.settle(is_fetched=False)
            raise
        if claim is None or picture is None:
            self._shared.quota.settle(is_fetched=False)
        else:
            kept = Kept(claim, picture, self._clock.now())
            settle = partial(self._settle, claim)
            self._recorder.keep(kept, settle, self._shared.quota.in_work)

    def _settle(self, claim: Claim, outcome: Outcome | None) -> None:
        if outcome is None:
            give_back_safely(self._recorder, [claim])
        else:
            self._count(outcome)
        self._shared.quota.settle(is_fetched=outcome is Outcome.FETCHED)

    def _count(self, outcome: Outcome, fault: PhotoError | None = None) -> None:
        self._shared.tally.count(outcome, fault)
        if outcome is Outcome.LATE:
            self._shared.late.note()

    def _find_claim(self) -> Claim | None:
        """A claimed photo whose host may be asked, or None where something else was done."""
        shared = self._shared
        if self._must_draw_ahead():
            self._try_draw()
        claim = shared.shelf.take()
        if claim is not None:
            return None if self._set_aside(claim) else claim
        self._check_hosts()
        if (rest_secs := shared.rests.left_secs_of_all()) > 0:
            self._clock.sleep(min(LONGEST_WAIT_SECS, rest_secs))
        elif not self._can_draw():
            self._wait_for_others()
        elif not self._try_draw():
            self._clock.sleep(DRAWN_BY_OTHERS_SECS)
        return None

    def _set_aside(self, claim: Claim) -> bool:
        """Whether the photo's host rests, and so the photo too: another takes its place."""
        rests = self._shared.rests
        rest_secs, refusal = rests.left_secs(claim.image_url), rests.find_refusal(claim.image_url)
        if refusal is not None:
            self._pass_over(claim, refusal)
        elif rest_secs > 0:
            self._let_wait(claim, rest_secs)
        return refusal is not None or rest_secs > 0

    def _pass_over(self, claim: Claim, refusal: HostRefusesError) -> None:
        """Let a photo wait whose host was given up; raises the refusal where no host is left."""
        try:
            self._check_hosts()
        except HostRefusesError:
            give_back_safely(self._recorder, [claim])
            raise
        self._let_wait(claim, GIVEN_UP_SECS)
        self._shared.rests.pass_over(claim.photo_id, refusal)

    def _let_wait(self, claim: Claim, secs: float) -> None:
        until = self._clock.now() + timedelta(seconds=secs)
        self._recorder.run(lambda session: set_aside(session, claim, until))

    def _check_hosts(self) -> None:
        """Raise HostRefusesError where all hosts were given up that any photo waits for."""
        rests = self._shared.rests
        refusal = rests.find_refusal_of_all()
        if refusal is None:
            return
        if not self._recorder.run(lambda session: waits_elsewhere(session, rests.given_up)):
            raise refusal

    def _can_draw(self) -> bool:
        shared = self._shared
        if shared.rests.find_refusal_of_all() is not None:
            return False
        return not (shared.dryness.is_dry or shared.pool.is_empty)

    def _must_draw_ahead(self) -> bool:
        """Whether few photos wait, so that downloads soon would; a single thread has no need."""
        shared = self._shared
        if not shared.shelf.is_low or shared.is_single or not self._can_draw():
            return False
        return shared.rests.left_secs_of_all() <= 0

    def _try_draw(self) -> bool:
        """Whether this thread made a draw; few do at once."""
        with self._shared.drawers.try_borrow() as drawer:
            if drawer is None:
                return False
            found = drawer.draw()
        self._shared.dryness.count(found)
        self._shared.shelf.add_found(found)
        return True

    def _wait_for_others(self) -> None:
        """Wait for the next photo that may be claimed; raises SearchesDryError where none will."""
        now = self._clock.now()

        def look(session: Session) -> datetime | None:
            give_up_unfinished(session, now=now, attempts=self._settings.attempts)
            return find_next_due(session, now)

        due_at = self._recorder.run(look)
        if due_at is None:
            raise SearchesDryError(
                "The searches find nothing new; widen first_date, last_date, licences or "
                "photos_per_owner in party.toml, or ask for fewer images with --target."
            )
        left_secs = (due_at - now).total_seconds()
        self._clock.sleep(min(LONGEST_WAIT_SECS, max(0.05, left_secs)))

    def _fetch(self, claim: Claim) -> StoredPicture | None:
        """The picture, or None where it could not be had; what became of the photo is recorded."""
        try:
            return self._download(claim)
        except HostBusyError as fault:
            self._count(self._rest_host(claim, fault))
        except PhotoError as fault:
            self._count(self._record_fault(claim, fault), fault)
        except BaseException:
            give_back_safely(self._recorder, [claim])
            raise
        return None

    def _download(self, claim: Claim) -> StoredPicture:
        """The picture, whose file is stored durably before a row speaks of it."""
        shared, url, photo_id = self._shared, claim.image_url, claim.photo_id
        is_tried, store = claim.attempt > 1, shared.party.store
        stored = find_whole(shared.notes, store, photo_id, url, is_tried=is_tried)
        if stored is not None:  # by a process that ended before it was recorded
            return stored
        asked = url, claim.promised_size, photo_id
        with shared.fetchers.borrow() as fetcher:
            if not shared.downloads.is_by_host:  # then the processes keep to the limit
                picture = fetcher.take(*asked)
                shared.rests.succeed(url)
                return picture
            with shared.downloads.taking(url):
                fetcher.fetch(*asked)
            shared.rests.succeed(url)
            return fetcher.keep()

    def _record_fault(self, claim: Claim, fault: PhotoError) -> Outcome:
        if fault.permanent:
            self._shared.rests.succeed(claim.image_url)
        try:
            outcome = self._lose(claim, fault)
        except BaseException:
            give_back_safely(self._recorder, [claim])
            raise
        if fault.reason is Reason.HTTP_STATUS and not fault.permanent:
            self._shared.rests.refuse(claim.image_url, str(fault))
        return outcome

    def _lose(self, claim: Claim, fault: PhotoError) -> Outcome:
        """The photo is lost, or rests where another attempt may help and is left."""
        may_mend = not fault.permanent and claim.attempt < self._settings.attempts
        log.info("photo %s: %s%s", claim.photo_id, fault, "; tried again" if may_mend else "")

        def record(session: Session) -> Outcome:
            if not may_mend:
                return record_lost(session, claim, fault)
            is_resting = let_rest(session, claim, self._rest_until(claim))
            return Outcome.RESTS if is_resting else Outcome.LATE

        return self._recorder.run(record)

    def _rest_host(self, claim: Claim, fault: HostBusyError) -> Outcome:
        """The attempt does not count: the host asked for rest, the photo did nothing wrong."""
        give_back_safely(self._recorder, [claim])
        self._shared.rests.refuse(claim.image_url, str(fault), fault.retry_after_secs)
        return Outcome.RESTS

    def _rest_until(self, claim: Claim) -> datetime:
        secs = self._shared.backoff.delay_secs(claim.attempt, self._shared.jitter)
        return self._clock.now() + timedelta(seconds=secs)
