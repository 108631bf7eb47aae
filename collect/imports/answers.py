"""What an import believes of the answers of hosts: pictures, losses and copies of one picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from catalog.party import Party
from collect.claims import Claim, Outcome, record_believed, take_back
from collect.doubts import Copies, Doubts, Miss, describe_row, find_host, make_copy_fault
from collect.errors import PhotoError, SameFaultError
from collect.picture import Picture
from vockit.format.whole_file import digest_of

from .table import DetailError


class HostAnswers:
    """Hears what came for each photo and writes what is believed by then; threads share it.

    `give_up` takes the error that ends the questions to a host.
    """

    def __init__(
        self,
        party: Party,
        doubts: Doubts,
        give_up: Callable[[SameFaultError], None],
        now: Callable[[], datetime],
    ) -> None:
        self._party = party
        self._doubts = doubts
        self._give_up = give_up
        self._now = now
        self._copies = Copies(doubts.is_one_owner)
        self.believed: list[tuple[Miss, Outcome]] = []
        """What was in doubt first and is written as lost."""
        self.taken_back = 0
        """How many photographs wait again, since the picture of others came for them."""

    def read(self, url: str, number: int, read: Callable[[], bytes]) -> bytes:
        """What `read` returns for the photo at the address; its host is being asked until then."""
        self._doubts.begin(find_host(url), number)
        try:
            return read()
        except DetailError:
            self._doubts.drop(number)
            raise

    def drop(self, number: int) -> None:
        """Note that the photo had a row already when its picture came."""
        self._doubts.drop(number)

    def hear(self, number: int, outcome: Outcome, claim: Claim, came: Picture | PhotoError) -> bool:
        """Whether the photo waits for a later answer; what is believed by now is written."""
        if not isinstance(came, PhotoError):
            if outcome is Outcome.SAME_BYTES:  # it may be a placeholder
                self._doubts.drop(number)
            else:
                self._believe(self._doubts.hear_picture(find_host(claim.image_url), number))
            row = self._copies.hear(claim, digest_of(came.data), number)
            self._take_copies_back(row)
            return False
        miss = Miss(claim, came, number)
        if outcome is not Outcome.DOUBTED:
            self._doubts.confirm(miss)
            return False
        try:
            self._believe(self._doubts.hear_miss(miss))
        except SameFaultError as error:
            self._give_up(error)
        return True

    def end(self) -> None:
        """Write as lost what is believed when the import ends by itself."""
        self._believe(self._doubts.end())

    def _take_copies_back(self, row: Sequence[Claim]) -> None:
        """Let photos wait for which one same picture came; the first of them keeps its image."""
        if not row:
            return
        fault = make_copy_fault()
        now = self._now()
        for claim in row[1:]:
            with self._party.catalogue.writing() as session:
                self.taken_back += take_back(session, claim, fault, now)
        misses = [Miss(claim, fault, number) for number, claim in enumerate(row)]
        self._give_up(SameFaultError(describe_row(misses), misses[0].host))

    def _believe(self, misses: Sequence[Miss]) -> None:
        """Write as lost what was in doubt."""
        for miss in misses:
            with self._party.catalogue.writing() as session:
                outcome = record_believed(session, miss.claim, miss.fault)
            self.believed.append((miss, outcome))
