"""The job of `vocparty collect --recheck`: what sources say today of the photographs that are kept.

The calls are within the shared budget. A photo that its source does not find was deleted or made
private; the two cannot be told apart. Photos are decided on in batches, and nothing is withdrawn of
a batch that a source finds hardly anything of: that is a fault of the source, or of the key, and
what is taken down never comes back.

Each batch is the one that was asked for least lately, so that a recheck that was stopped goes on.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import SEARCHED, PhotoState, Source
from catalog.tables import Photo
from catalog.transitions import count_changed

from .errors import CollectError
from .pauses import Backoff, Clock, Pauses, real_clock
from .query_yield import recount_yields
from .results import Licence, get_licences, is_kept
from .sources import check_source, open_budget, open_source
from .takedown.job import take_down

log = logging.getLogger(__name__)

BATCH_PHOTOS = 50
MOST_GONE_SHARE = 0.5
FEWEST_TO_DOUBT = 20
GONE = "gone: deleted or made private at its source"


class RecheckDoubtError(CollectError):
    """A source finds so little of what it had that it is hardly to be believed."""


class KeptPhoto(NamedTuple):
    """A photo that is kept, and the licence that it was kept by."""

    id: int
    source_id: str
    licence_id: str | None


@dataclass(frozen=True)
class Recheck:
    """How many photos were asked for, and what became of them."""

    asked: int = 0
    gone: int = 0
    refused: int = 0
    relicensed: int = 0
    unknown_licence: int = 0
    images_taken_down: int = 0

    def __add__(self, other: Recheck) -> Recheck:
        return Recheck(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def recheck_photos(
    party: Party,
    *,
    on_asked: Callable[[int], None] = lambda _count: None,
    clock: Clock | None = None,
    backoff: Backoff | None = None,
) -> Recheck:
    """What became of all kept photos that are due; each batch is recorded as it comes.

    Those that are gone or whose licence is not kept are withdrawn, other licences are noted. Raises
    RecheckDoubtError, SourceError, HostRefusesError, SettingsError where it cannot go on.
    """
    clock = clock or real_clock(threading.Event())
    due = [kind for kind in SEARCHED if count_due(party, clock.now(), kind)]
    for kind in due or [Source(party.settings.collect.source)]:
        check_source(party.settings, kind)
    licences = get_licences(party.settings.collect.licences)
    total, before = Recheck(), _due_before(party, clock.now())
    pauses = Pauses(clock, backoff, catalogue=party.catalogue)
    for kind in due:
        budget = open_budget(party, clock, kind)
        with closing(open_source(party, budget, pauses, kind)) as source:
            while photos := load_batch(party, before, kind):
                found = source.recheck([photo.source_id for photo in photos])
                total += settle_batch(party, photos, found, licences, clock)
                on_asked(len(photos))
    recount_yields(party)
    return total


def count_due(party: Party, now: datetime, *kinds: Source) -> int:
    """How many photos would be asked for, of these sources or of all."""
    due = _is_due(_due_before(party, now), *kinds)
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(Photo).where(due)) or 0


def load_batch(party: Party, before: datetime, kind: Source) -> list[KeptPhoto]:
    """The next photos whose source was last asked for before a moment."""
    with party.catalogue.reading() as session:
        rows = session.execute(
            select(Photo.id, Photo.source_id, Photo.licence_id)
            .where(_is_due(before, kind))
            .order_by(Photo.checked_at.is_not(None), Photo.checked_at, Photo.id)
            .limit(BATCH_PHOTOS)
        )
        return [KeptPhoto(*row) for row in rows]


def settle_batch(
    party: Party,
    photos: Sequence[KeptPhoto],
    found: Mapping[str, Licence | None],
    licences: Mapping[str, Licence],
    clock: Clock,
) -> Recheck:
    """What became of some photos by their licences of today, in one transaction."""
    gone = [photo.id for photo in photos if found[photo.source_id] is None]
    if len(photos) >= FEWEST_TO_DOUBT and len(gone) > MOST_GONE_SHARE * len(photos):
        raise RecheckDoubtError(
            f"The source does not find {len(gone)} of {len(photos)} photographs. That is "
            "probably an outage, so nothing was changed. Open some of them in a browser; "
            "`vocparty takedown` withdraws those that are really gone."
        )
    changed = [
        (photo.id, licence)
        for photo in photos
        if (licence := found[photo.source_id]) is not None and licence.id != photo.licence_id
    ]
    kept = [it for it in changed if is_kept(it[1], licences)]
    unknown = {one for _id, one in changed if not (is_kept(one, licences) or one.is_known)}
    refused = [it for it in changed if it not in kept and it[1] not in unknown]
    for licence in sorted(unknown, key=lambda one: one.id):
        log.warning("A photograph has the unknown %s now; nothing was changed", licence.name)
    strange = sum(licence in unknown for _id, licence in changed)
    with party.catalogue.writing() as session:
        now, down = clock.now(), 0
        down += len(take_down(session, gone, reason=GONE, at=now).images_taken_down)
        for licence in sorted({one for _id, one in refused}, key=lambda one: one.id):
            ids = [photo_id for photo_id, one in refused if one == licence]
            reason = f"licence: changed to {licence.name}"
            down += len(take_down(session, ids, reason=reason, at=now).images_taken_down)
        noted = sum(_note(session, photo_id, licence) for photo_id, licence in kept)
        ids = [photo.id for photo in photos]
        session.execute(update(Photo).where(Photo.id.in_(ids)).values(checked_at=now))
    return Recheck(len(photos), len(gone), len(refused), noted, strange, down)


def format_recheck(recheck: Recheck) -> str:
    """The counts of a recheck, in one line."""
    unknown = f"; unknown licences {recheck.unknown_licence}" if recheck.unknown_licence else ""
    return (
        f"Checked {recheck.asked:,}; withdrawn {recheck.gone} gone, {recheck.refused} because of "
        f"their licence; {recheck.relicensed} with another licence kept{unknown}. "
        f"Images taken down: {recheck.images_taken_down}."
    )


def _due_before(party: Party, now: datetime) -> datetime:
    """Answers of before this moment are old; those of this very run never are."""
    return now - timedelta(days=party.settings.collect.recheck_days)


def _is_due(before: datetime, *kinds: Source) -> ColumnElement[bool]:
    """The condition that a kept photo of the sources was not asked for since that moment."""
    is_old = or_(Photo.checked_at.is_(None), Photo.checked_at < before)
    return and_(Photo.state == PhotoState.FETCHED, Photo.source.in_(kinds or SEARCHED), is_old)


def _note(session: Session, photo_id: int, licence: Licence) -> bool:
    """Whether a photo that is still kept has that licence now."""
    statement = (
        update(Photo)
        .where(Photo.id == photo_id, Photo.state == PhotoState.FETCHED)
        .values(licence_id=licence.id, licence_name=licence.name, licence_url=licence.url)
    )
    return count_changed(session, statement) == 1
