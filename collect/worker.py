"""One thread of the collector: claims photos, downloads, stores, records; draws for more."""

from __future__ import annotations

import logging
import random
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.exc import SQLAlchemyError

from catalog.party import Party

from .addresses import ImageHosts
from .backoff import Backoff
from .call_budget import CallBudget
from .claims import Claim, claim_photo, find_next_due, give_back, give_up_unfinished, let_rest
from .clock import Clock, StoppedError
from .download import Downloader
from .draw_pool import DrawPool, Dryness
from .draws import Drawer
from .errors import HostBusyError, PhotoError, SearchesDryError
from .flickr import Flickr
from .learnt import Learnt
from .outcomes import LateError, Outcome, record_fetched, record_lost
from .pauses import Pauses
from .picture import Picture, PictureLimits, read_picture
from .quota import Quota
from .reasons import Reason
from .tally import Tally

log = logging.getLogger(__name__)

IMAGE_HOSTS = "The image host"
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
    backoff: Backoff
    jitter: random.Random


class Worker:
    """One thread's work; `name` tells its claims from all others, on any machine."""

    def __init__(self, name: str, shared: Shared) -> None:
        self._name, self._shared = name, shared
        self._settings = shared.party.settings.collect
        self._catalogue, self._clock = shared.party.catalogue, shared.clock
        # Twice the time of a download, and a minute for decoding and storing it.
        self._lease = timedelta(seconds=2 * self._settings.total_timeout_secs + 60)

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
            drawer = Drawer(shared.pool, flickr, self._catalogue, self._clock, shared.learnt)
            while shared.quota.reserve():
                is_fetched = False
                try:
                    is_fetched = self._work_once(downloader, drawer)
                finally:
                    shared.quota.settle(is_fetched=is_fetched)

    def _work_once(self, downloader: Downloader, drawer: Drawer) -> bool:
        """Whether a new image was fetched."""
        self._shared.pauses.wait(IMAGE_HOSTS)
        claim = self._claim()
        if claim is not None:
            return self._fetch(claim, downloader) is Outcome.FETCHED
        if self._shared.dryness.is_dry or self._shared.pool.is_empty:
            self._wait_for_others()
        else:
            self._shared.dryness.count(drawer.draw())
        return False

    def _claim(self) -> Claim | None:
        with self._catalogue.writing() as session:
            return claim_photo(
                session,
                self._name,
                now=self._clock.now(),
                lease=self._lease,
                attempts=self._settings.attempts,
            )

    def _wait_for_others(self) -> None:
        """Wait for the next photo that may be claimed; raises SearchesDryError where none will."""
        now = self._clock.now()
        with self._catalogue.writing() as session:
            give_up_unfinished(session, now=now, attempts=self._settings.attempts)
            due_at = find_next_due(session)
        if due_at is None:
            raise SearchesDryError(
                "The searches find nothing new; widen first_date, last_date, licences or "
                "photos_per_owner in party.toml, or ask for fewer images with --target."
            )
        left_secs = (due_at - now).total_seconds()
        self._clock.sleep(min(LONGEST_WAIT_SECS, max(0.05, left_secs)))

    def _fetch(self, claim: Claim, downloader: Downloader) -> Outcome:
        try:
            outcome, fault = self._try_fetch(claim, downloader)
        except BaseException:
            self._give_back(claim)
            raise
        self._shared.tally.count(outcome, fault)
        return outcome

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
        data = downloader.fetch(claim.image_url)
        self._shared.pauses.succeed(IMAGE_HOSTS)
        settings = self._settings
        limits = PictureLimits(settings.longest_side_px, settings.min_side_px, settings.max_pixels)
        return read_picture(data, limits, claim.promised_size)

    def _keep(self, claim: Claim, picture: Picture) -> Outcome:
        """The file first, durably, then the row that speaks of it."""
        sha256 = self._shared.party.store.put(picture.data)
        try:
            with self._catalogue.writing() as session:
                return record_fetched(session, claim, picture, sha256, now=self._clock.now())
        except LateError:
            return Outcome.LATE

    def _lose(self, claim: Claim, fault: PhotoError) -> Outcome:
        """The photo is lost, or rests where another attempt may help and is left."""
        may_mend = not fault.permanent and claim.attempt < self._settings.attempts
        log.info("photo %s: %s%s", claim.photo_id, fault, "; tried again" if may_mend else "")
        with self._catalogue.writing() as session:
            if not may_mend:
                return record_lost(session, claim, fault)
            is_resting = let_rest(session, claim, self._rest_until(claim))
            return Outcome.RESTS if is_resting else Outcome.LATE

    def _rest_host(self, claim: Claim, fault: HostBusyError) -> Outcome:
        """The attempt does not count: the host asked for rest, the photo did nothing wrong."""
        self._give_back(claim)
        self._shared.pauses.refuse(IMAGE_HOSTS, str(fault), fault.retry_after_secs)
        return Outcome.RESTS

    def _rest_until(self, claim: Claim) -> datetime:
        secs = self._shared.backoff.delay_secs(claim.attempt, self._shared.jitter)
        return self._clock.now() + timedelta(seconds=secs)

    def _give_back(self, claim: Claim) -> None:
        try:
            with self._catalogue.writing() as session:
                give_back(session, claim)
        except SQLAlchemyError as error:
            log.warning(
                "photo %s stays claimed until its claim runs out: %s", claim.photo_id, error
            )
