"""What became of each photo that a run asked for: kept, lost, in doubt, or left for later."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import timedelta

from catalog.party import Party

from . import claims
from .doubts import (
    Copies,
    Doubts,
    Miss,
    describe_row,
    find_host,
    is_said_twice,
    make_copy_fault,
)
from .errors import (
    HostNotAllowedError,
    HostRefusesError,
    PhotoError,
    Reason,
    SameFaultError,
)
from .pauses import Clock, Pauses
from .picture import StoredPicture
from .takedown.erase import delete_unwanted
from .tally import Tally

log = logging.getLogger(__name__)

IMAGE_HOST = "The image host"
"""All hosts of the source's images rest together, whichever of them asked for it."""


class Recorder:
    """Writes what became of a run's photos, and judges from it whether their hosts can be believed.

    `lease` is how long the run keeps a photo, `on_kept` is called for each new image. Only `begin`
    is called by several threads.
    """

    def __init__(
        self,
        party: Party,
        lease: timedelta,
        pauses: Pauses,
        tally: Tally,
        on_kept: Callable[[], None],
        clock: Clock,
    ) -> None:
        self._party = party
        self._attempts = party.settings.collect.attempts
        self._lease = lease
        self._pauses = pauses
        self._tally = tally
        self._on_kept = on_kept
        self._clock = clock
        self._began = clock.now()
        self._doubts = Doubts()
        self._copies = Copies()
        self._numbers = itertools.count()
        self._begun: dict[claims.Claim, int] = {}  # in which order photos were asked for
        self._is_cut = False  # whether running downloads were broken off
        self.refusal: HostRefusesError | None = None
        """Why the run has to end, once a host refuses it."""

    def begin(self, claim: claims.Claim) -> None:
        """Note that the photo is being asked for."""
        self._begun[claim] = number = next(self._numbers)
        self._doubts.begin(find_host(claim.image_url), number)

    def record(self, claim: claims.Claim, future: Future[StoredPicture]) -> None:
        """Write one photo: kept, lost, in doubt, or left for another attempt after a rest."""
        fault = future.exception()
        number = self._begun.pop(claim, -1)
        if fault is None or (isinstance(fault, PhotoError) and not self._is_cut):
            self._judge_host(fault)
        if fault is None and self._is_copy_again(claim, future.result()):
            fault = make_copy_fault()
        if fault is None:
            self._record_kept(claim, future.result(), number)
        elif self._is_cut or not isinstance(fault, PhotoError) or not fault.is_counted:
            self._doubts.drop(number)
            with self._party.catalogue.writing() as session:
                claims.give_back(session, claim)  # the attempt does not count
        elif not fault.permanent and claim.attempt < self._attempts:
            self._doubts.drop(number)
            self._record_retry(claim, fault)
        elif is_said_twice(claim, fault, self._began):
            self._record_lost(claim, fault, number)
        else:
            self._record_doubted(claim, fault, number)

    def cut(self) -> None:
        """Note that running downloads were broken off: what they raise says nothing of hosts."""
        self._is_cut = True

    def end(self) -> None:
        """Write as lost what is believed when the run ends by itself."""
        self._believe(self._doubts.end())

    def _judge_host(self, fault: PhotoError | None) -> None:
        """Let the host rest where it asks for it; of several refusals the first is told."""
        if isinstance(fault, HostNotAllowedError):
            return
        try:
            self._pauses.judge(IMAGE_HOST, fault)
        except HostRefusesError as error:
            self.refusal = self.refusal or error

    def _record_kept(self, claim: claims.Claim, picture: StoredPicture, number: int) -> None:
        store = self._party.store
        now = self._clock.now()
        with self._party.catalogue.writing() as session:
            outcome = claims.record_kept(session, claim, picture, store, now)
        if outcome is claims.Outcome.LATE:  # it was withdrawn meanwhile
            delete_unwanted(self._party, [picture.sha256])
        self._tally.count(outcome)
        if outcome is claims.Outcome.FETCHED:
            self._on_kept()
        if outcome is claims.Outcome.SAME_BYTES:  # it may be a placeholder
            self._doubts.drop(number)
        else:
            self._believe(self._doubts.hear_picture(find_host(claim.image_url), number))
        self._take_copies_back(self._copies.hear(claim, picture.sha256, number))

    def _is_copy_again(self, claim: claims.Claim, picture: StoredPicture) -> bool:
        """Whether the photo was in doubt because the picture of others came, and it came again."""
        if claim.doubt != Reason.PLACEHOLDER:
            return False
        with self._party.catalogue.reading() as session:
            return claims.is_known_picture(session, picture)

    def _take_copies_back(self, row: Sequence[claims.Claim]) -> None:
        """Let photos wait for which one same picture came; the first of them keeps its image."""
        if not row:
            return
        fault = make_copy_fault()
        now = self._clock.now()
        for claim in row[1:]:
            with self._party.catalogue.writing() as session:
                is_back = claims.take_back(session, claim, fault, now, now + self._lease)
            if is_back:
                self._tally.count_taken_back(fault)
        misses = [Miss(claim, fault, number) for number, claim in enumerate(row)]
        self.refusal = self.refusal or SameFaultError(describe_row(misses))

    def _record_retry(self, claim: claims.Claim, fault: PhotoError) -> None:
        log.info("photo %s: %s; tried again", claim.photo_id, fault)
        rest = timedelta(seconds=self._pauses.delay_secs(claim.attempt))
        with self._party.catalogue.writing() as session:
            claims.record_missed(session, claim, fault, self._clock.now() + rest)

    def _record_lost(self, claim: claims.Claim, fault: PhotoError, number: int) -> None:
        """Write a loss that an earlier run heard of too."""
        log.info("photo %s: %s, as before", claim.photo_id, fault)
        with self._party.catalogue.writing() as session:
            outcome = claims.record_missed(session, claim, fault)
        self._tally.count(outcome, fault)
        self._doubts.confirm(Miss(claim, fault, number))

    def _record_doubted(self, claim: claims.Claim, fault: PhotoError, number: int) -> None:
        log.info("photo %s: %s", claim.photo_id, fault)
        now = self._clock.now()
        with self._party.catalogue.writing() as session:
            outcome = claims.record_doubted(session, claim, fault, now, now + self._lease)
        self._tally.count(outcome, fault)
        if outcome is not claims.Outcome.DOUBTED:
            self._doubts.drop(number)
            return
        try:
            self._believe(self._doubts.hear_miss(Miss(claim, fault, number)))
        except SameFaultError as error:
            self.refusal = self.refusal or error

    def _believe(self, misses: Sequence[Miss]) -> None:
        """Write as lost what was in doubt."""
        if not misses:
            return
        with self._party.catalogue.writing() as session:
            outcomes = [claims.record_believed(session, miss.claim, miss.fault) for miss in misses]
        for miss, outcome in zip(misses, outcomes, strict=True):
            self._tally.count_believed(outcome, miss.fault)
