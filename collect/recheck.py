"""The job of `vocparty collect --recheck`: what Flickr says today of the photographs that are kept.

One call a photo (flickr.photos.getInfo) within the shared budget. A photo that Flickr does not find
was deleted or made private; the two cannot be told apart. Photos are decided on in batches, and
nothing is withdrawn of a batch that Flickr finds hardly anything of: that is a fault at Flickr, or
of the key, and what is taken down never comes back.

Each batch is the one that was asked for least lately, so that a recheck that was stopped goes on;
two rechecks at once ask for different batches.
"""

from __future__ import annotations

import json
import logging
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.tables import Photo

from .backoff import Backoff
from .call_budget import CallBudget
from .clock import Clock, real_clock
from .errors import CollectError, FlickrUnavailableError
from .flickr import HOST, Flickr, check_key
from .licences import LICENCES, Licence, get_licences
from .notices import Notices
from .pauses import Pauses
from .recheck_claims import LEASE, Batches, KeptPhoto, is_due
from .replies import parse_reply
from .takedown.withdraw import relicense, take_down
from .text import clean_text
from .worth import refresh_query_worth

log = logging.getLogger(__name__)

MOST_GONE_SHARE = 0.5
FEWEST_TO_DOUBT = 20
GONE = "gone: Flickr does not find it any more; it was deleted or made private"
FAULTS_IN_A_ROW = 8
_NOT_FOUND = "1"  # flickr.photos.getInfo, error codes


class RecheckDoubtError(CollectError):
    """Flickr finds so little of what it had that it is hardly to be believed."""


@dataclass(frozen=True)
class Recheck:
    """How many photos were asked for, and what became of them.

    `left_to_others` are due too, but another recheck holds them.
    """

    asked: int = 0
    gone: int = 0
    refused: int = 0
    relicensed: int = 0
    unknown_licence: int = 0
    images_taken_down: int = 0
    left_to_others: int = 0

    def __add__(self, other: Recheck) -> Recheck:
        return Recheck(
            self.asked + other.asked,
            self.gone + other.gone,
            self.refused + other.refused,
            self.relicensed + other.relicensed,
            self.unknown_licence + other.unknown_licence,
            self.images_taken_down + other.images_taken_down,
            self.left_to_others + other.left_to_others,
        )


class InfoFlickr(Flickr):
    """Flickr's way of telling of one photo, with the waits and the budget of searches."""

    def find_licence_id(self, photo_id: str) -> str | None:
        """The id of the photo's licence today, or None where Flickr does not find the photo.

        Raises KeyRefusedError, CallRefusedError; HostRefusesError where Flickr stays unavailable.
        """
        while True:
            self._pauses.wait(HOST)
            self._budget.take()
            try:
                licence_id = parse_info(self._api.photos.getInfo(photo_id=photo_id))
            except FlickrUnavailableError as error:
                self._pauses.refuse(HOST, str(error), error.retry_after_secs)
            else:
                self._pauses.succeed(HOST)
                return licence_id


def recheck_photos(
    party: Party,
    *,
    on_asked: Callable[[int], None] = lambda _count: None,
    clock: Clock | None = None,
    backoff: Backoff | None = None,
) -> Recheck:
    """What became of all kept photos of Flickr that are due; each batch is recorded as it comes.

    Those that are gone or whose licence is not kept are withdrawn, other licences are noted. Raises
    RecheckDoubtError, FlickrError, HostRefusesError, SettingsError where it cannot go on.
    """
    check_key(party.settings.flickr)
    licences = get_licences(party.settings.collect.licences)
    clock = clock or real_clock(threading.Event())
    total = Recheck()
    batches = Batches(party.catalogue, clock, _due_before(party, clock.now()))
    with (
        closing(_open_flickr(party, clock, backoff or Backoff())) as flickr,
        _given_back(batches),
    ):
        while photos := batches.claim():
            found = {}
            for photo in photos:
                batches.renew()
                found[photo.source_id] = flickr.find_licence_id(photo.source_id)
                on_asked(1)
            total += settle_batch(party, photos, found, licences, clock)
    total += Recheck(left_to_others=batches.count_of_others())
    with party.catalogue.writing() as session:
        refresh_query_worth(session)
    return total


def count_due(party: Party, now: datetime) -> int:
    """How many photos would be asked for, one call each."""
    due = is_due(_due_before(party, now))
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(Photo).where(due)) or 0


def parse_info(body: bytes) -> str | None:
    """The licence's id in an answer to flickr.photos.getInfo, None where there is no such photo.

    Raises the FlickrError that any other failure stands for.
    """
    try:
        failure = json.loads(body)
    except (ValueError, RecursionError):
        failure = None
    is_failure = isinstance(failure, dict) and failure.get("stat") == "fail"
    if is_failure and clean_text(failure.get("code"), 20) == _NOT_FOUND:
        return None
    photo = parse_reply(body).get("photo")
    licence_id = clean_text(photo.get("license"), 100) if isinstance(photo, dict) else ""
    if not licence_id:
        raise FlickrUnavailableError("Flickr's answer tells no licence.")
    return licence_id


def settle_batch(
    party: Party,
    photos: Sequence[KeptPhoto],
    found: Mapping[str, str | None],
    licences: Mapping[str, Licence],
    clock: Clock,
) -> Recheck:
    """What became of some photos by their licences of today, in one transaction.

    Raises RecheckDoubtError, and then nothing is changed.
    """
    gone = [photo.id for photo in photos if found[photo.source_id] is None]
    if len(photos) >= FEWEST_TO_DOUBT and len(gone) > MOST_GONE_SHARE * len(photos):
        raise RecheckDoubtError(
            f"Flickr does not find {len(gone)} of {len(photos)} photographs, which is hard to "
            "believe; nothing of these was changed. See whether they are there in a browser; "
            "`vocparty takedown` withdraws what is really gone."
        )
    changed = [
        (photo.id, licence_id)
        for photo in photos
        if (licence_id := found[photo.source_id]) is not None and licence_id != photo.licence_id
    ]
    kept = [(photo_id, licence_id) for photo_id, licence_id in changed if licence_id in licences]
    unknown = [licence_id for _photo_id, licence_id in changed if licence_id not in LICENCES]
    refused = [it for it in changed if it[1] in LICENCES and it[1] not in licences]
    for licence_id in sorted(set(unknown)):
        log.warning("Flickr names a licence %s that nobody here knows; nothing done", licence_id)
    with party.catalogue.writing() as session:
        now, down = clock.now(), 0
        down += len(take_down(session, gone, reason=GONE, at=now).images_taken_down)
        for licence_id in sorted({licence_id for _photo_id, licence_id in refused}):
            ids = [photo_id for photo_id, one in refused if one == licence_id]
            reason = f"licence: it is {LICENCES[licence_id].name} now"
            down += len(take_down(session, ids, reason=reason, at=now).images_taken_down)
        noted = sum(_note(session, photo_id, licences[one]) for photo_id, one in kept)
        ids = [photo.id for photo in photos]
        values = {"checked_at": now, "claimed_by": None, "claimed_until_at": None}
        session.execute(update(Photo).where(Photo.id.in_(ids)).values(values))
    return Recheck(len(photos), len(gone), len(refused), noted, len(unknown), down)


def format_recheck(recheck: Recheck) -> str:
    """What a recheck came to, in one line."""
    unknown = f"; of unknown licences {recheck.unknown_licence}" if recheck.unknown_licence else ""
    minutes = LEASE.total_seconds() / 60
    others = (
        f" Left to another recheck that runs, or ended within {minutes:.0f} minutes: "
        f"{recheck.left_to_others}."
    )
    return (
        f"Asked for {recheck.asked}; withdrawn because gone {recheck.gone}, because of their "
        f"licence {recheck.refused}; licence noted anew {recheck.relicensed}{unknown}. "
        f"Images taken down: {recheck.images_taken_down}."
        f"{others if recheck.left_to_others else ''}"
    )


@contextmanager
def _given_back(batches: Batches) -> Iterator[None]:
    try:
        yield
    finally:
        batches.give_back()


def _due_before(party: Party, now: datetime) -> datetime:
    """Answers of before this moment are old; those of this very run never are."""
    return now - timedelta(days=party.settings.collect.recheck_days)


def _open_flickr(party: Party, clock: Clock, backoff: Backoff) -> InfoFlickr:
    settings = party.settings.flickr
    jitter = random.Random()  # noqa: S311  chance, not secrecy
    notices = Notices(party.catalogue, clock)
    pauses = Pauses(clock, backoff, jitter, most_in_a_row=FAULTS_IN_A_ROW, notices=notices)
    budget = CallBudget(party.catalogue, settings.key, settings.calls_per_hour, clock)
    return InfoFlickr(settings, budget, pauses)


def _note(session: Session, photo_id: int, licence: Licence) -> bool:
    return relicense(session, photo_id, licence.id, licence.name, licence.url)
