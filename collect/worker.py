"""One thread of the collector: claims photos, downloads, stores, records; draws for more."""

from __future__ import annotations

import logging
import random
import threading
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from catalog.party import Party

from .addresses import ImageHosts
from .backoff import Backoff
from .call_budget import CallBudget
from .claims import Claim, find_next_due, give_up_unfinished, let_rest
from .clock import Clock, StoppedError
from .decoders import Decoders
from .download import Downloader
from .draw_pool import DrawPool, Dryness
from .draws import Drawer
from .errors import HostBusyError, PhotoError, SearchesDryError
from .flickr import Flickr
from .host_limits import HostLimits
from .learnt import Learnt
from .outcomes import LateError, Outcome, record_fetched, record_lost
from .pauses import Pauses
from .picture import Picture, PictureLimits
from .quota import Quota
from .reasons import Reason
from .recorder import Recorder
from .shelf import Shelf, give_back_safely
from .tally import Tally

log = logging.getLogger(__name__)

IMAGE_HOSTS = "The image host"
DRAWN_BY_OTHERS_SECS = 0.02
LONGEST_WAIT_SECS = 1.0
"""A photo that another thread holds may be done, or rest, long before its claim runs out."""


@dataclass(frozen=True)
class Shared:
    """What the threads of one process share."""

    party: Party
    clock: Clock
    pauses: Pauses
    budget: CallBudget
    pool: DrawPool
    learnt: Learnt
    dryness: Dryness
    quota: Quota
    tally: Tally
    recorder: Recorder
    shelf: Shelf
    decoders: Decoders
    downloads: HostLimits
    drawing: threading.Semaphore
    is_single: bool
    backoff: Backoff
    jitter: random.Random


class Worker:
    """One thread's work."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._settings = shared.party.settings.collect
        self._recorder, self._clock = shared.recorder, shared.clock

    def run(self) -> None:
        """Work until the quota is filled or a stop is asked for.

        Raises SearchesDryError, FlickrError, HostRefusesError, ImageStoreError.
        """
        flickr_settings = self._shared.party.settings.flickr
        hosts = ImageHosts(flickr_settings.image_hosts)
        shared = self._shared
        with (
            closing(Downloader(hosts, self._settings)) as downloader,
            closing(Flickr(flickr_settings, shared.budget, shared.pauses)) as flickr,
            suppress(StoppedError),
        ):
            drawer = Drawer(shared.pool, flickr, shared.recorder, self._clock, shared.learnt)
            while shared.quota.reserve():
                is_fetched = False
                try:
                    is_fetched = self._work_once(downloader, drawer)
                finally:
                    shared.quota.settle(is_fetched=is_fetched)

    def _work_once(self, downloader: Downloader, drawer: Drawer) -> bool:
        """Whether a new image was fetched."""
        shared = self._shared
        shared.pauses.wait(IMAGE_HOSTS)
        claim = shared.shelf.take()
        if claim is not None:
            return self._fetch(claim, downloader, drawer) is Outcome.FETCHED
        if not self._can_draw():
            self._wait_for_others()
        elif not self._try_draw(drawer):
            self._clock.sleep(DRAWN_BY_OTHERS_SECS)
        return False

    def _can_draw(self) -> bool:
        return not (self._shared.dryness.is_dry or self._shared.pool.is_empty)

    def _try_draw(self, drawer: Drawer) -> bool:
        """Whether this thread made a draw; few do at once."""
        if not self._shared.drawing.acquire(blocking=False):
            return False
        try:
            self._shared.dryness.count(drawer.draw())
        finally:
            self._shared.drawing.release()
        return True

    def _wait_for_others(self) -> None:
        """Wait for the next photo that may be claimed; raises SearchesDryError where none will."""
        now = self._clock.now()

        def look(session: Session) -> datetime | None:
            give_up_unfinished(session, now=now, attempts=self._settings.attempts)
            return find_next_due(session)

        due_at = self._recorder.run(look)
        if due_at is None:
            raise SearchesDryError(
                "The searches find nothing new; widen first_date, last_date, licences or "
                "photos_per_owner in party.toml, or ask for fewer images with --target."
            )
        left_secs = (due_at - now).total_seconds()
        self._clock.sleep(min(LONGEST_WAIT_SECS, max(0.05, left_secs)))

    def _fetch(self, claim: Claim, downloader: Downloader, drawer: Drawer) -> Outcome:
        try:
            self._draw_ahead(drawer)
            outcome, fault = self._try_fetch(claim, downloader)
        except BaseException:
            give_back_safely(self._recorder, claim)
            raise
        self._shared.tally.count(outcome, fault)
        return outcome

    def _draw_ahead(self, drawer: Drawer) -> None:
        """Draw where few photos wait, so that downloads need not; a single thread has no need."""
        if self._shared.shelf.is_low and not self._shared.is_single and self._can_draw():
            self._try_draw(drawer)

    def _try_fetch(self, claim: Claim, downloader: Downloader) -> tuple[Outcome, PhotoError | None]:
        try:
            picture = self._download(claim, downloader)
        except HostBusyError as fault:
            return self._rest_host(claim, fault), None
        except PhotoError as fault:
            if fault.permanent:
                self._shared.pauses.succeed(IMAGE_HOSTS)
            outcome = self._lose(claim, fault)
            if fault.reason is Reason.HTTP_STATUS and not fault.permanent:
                self._shared.pauses.refuse(IMAGE_HOSTS, str(fault))
            return outcome, fault
        return self._keep(claim, picture), None

    def _download(self, claim: Claim, downloader: Downloader) -> Picture:
        with self._shared.downloads.taking(claim.image_url):
            data = downloader.fetch(claim.image_url)
        self._shared.pauses.succeed(IMAGE_HOSTS)
        settings = self._settings
        limits = PictureLimits(settings.longest_side_px, settings.min_side_px, settings.max_pixels)
        return self._shared.decoders.read(data, limits, claim.promised_size)

    def _keep(self, claim: Claim, picture: Picture) -> Outcome:
        """The file first, durably, then the row that speaks of it."""
        sha256 = self._shared.party.store.put(picture.data)

        def record(session: Session) -> Outcome:
            return record_fetched(session, claim, picture, sha256, now=self._clock.now())

        try:
            return self._recorder.run(record, key=sha256)
        except LateError:
            return Outcome.LATE

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
        give_back_safely(self._recorder, claim)
        self._shared.pauses.refuse(IMAGE_HOSTS, str(fault), fault.retry_after_secs)
        return Outcome.RESTS

    def _rest_until(self, claim: Claim) -> datetime:
        secs = self._shared.backoff.delay_secs(claim.attempt, self._shared.jitter)
        return self._clock.now() + timedelta(seconds=secs)
