"""The job of `vocparty collect --recheck`: what sources say today of the photographs that are kept.

Photos are decided on in batches, those asked for least lately first. Nothing is withdrawn of a
batch of which a source finds hardly anything: that is a fault of the source, or of the key, and
what is taken down never comes back.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, func, or_, select, update

from catalog.party import Party
from catalog.states import SEARCHED, PhotoState, Source
from catalog.tables import Photo
from catalog.transitions import count_changed

from .errors import CollectError
from .job import check_source, open_source
from .pauses import Backoff, Clock, Pauses, real_clock
from .query_yield import recount_yields
from .results import LICENCES, Licence, get_licences, is_kept
from .takedown.job import take_down

log = logging.getLogger(__name__)

BATCH_PHOTOS = 50  # as many as one call to Commons takes (mediawiki.org/wiki/API:Query)
MOST_GONE_SHARE = 0.5
FEWEST_TO_DOUBT = 20
GONE = "gone: deleted or made private at its source"


class RecheckDoubtError(CollectError):
    """A source finds so little of what it had that it is hardly to be believed."""


def recheck_photos(
    party: Party,
    *,
    on_asked: Callable[[int], None] = lambda _count: None,
    clock: Clock | None = None,
    backoff: Backoff | None = None,
) -> Counter[str]:
    """What became of all kept photos that are due, batch by batch; raises RecheckDoubtError."""
    clock = clock or real_clock(threading.Event())
    due = [kind for kind in SEARCHED if count_due(party, clock.now(), kind)]
    for kind in due or [Source(party.settings.collect.source)]:
        check_source(party.settings, kind)
    licences = get_licences(party.settings.collect.licences)
    # Answers of before this moment are old; those of this very run never are.
    before = clock.now() - timedelta(days=party.settings.collect.recheck_days)
    pauses, total = Pauses(clock, backoff, catalogue=party.catalogue), Counter[str]()
    for kind in due:
        with closing(open_source(party, clock, pauses, kind)) as source:
            while photos := load_batch(party, before, kind):
                found = source.recheck([photo.source_id for photo in photos])
                total += settle_batch(party, photos, found, licences, clock)
                on_asked(len(photos))
    recount_yields(party)
    return total


def count_due(party: Party, now: datetime, *kinds: Source) -> int:
    """How many photos would be asked for, of these sources or of all."""
    due = _is_due(now - timedelta(days=party.settings.collect.recheck_days), *kinds)
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(Photo).where(due)) or 0


def load_batch(party: Party, before: datetime, kind: Source) -> Sequence[Row[Any]]:
    """Id, source_id and licence_id of the next photos that were last asked for before a moment."""
    with party.catalogue.reading() as session:
        return session.execute(
            select(Photo.id, Photo.source_id, Photo.licence_id)
            .where(_is_due(before, kind))
            .order_by(Photo.checked_at.is_not(None), Photo.checked_at, Photo.id)
            .limit(BATCH_PHOTOS)
        ).all()


def settle_batch(
    party: Party,
    photos: Sequence[Row[Any]],
    found: Mapping[str, Licence | None],
    licences: Mapping[str, Licence],
    clock: Clock,
) -> Counter[str]:
    """What became of some photos by their licences of today, in one transaction."""
    counts, kept = Counter(asked=len(photos)), list[tuple[int, Licence]]()
    leaving, unknown = defaultdict[str, list[int]](list), set[str]()
    for photo in photos:
        licence = found[photo.source_id]
        if licence is None:
            leaving[GONE].append(photo.id)
        elif licence.id == photo.licence_id:
            continue
        elif is_kept(licence, licences):
            kept.append((photo.id, licence))
        elif licence.id in LICENCES or licence.url:  # it is known what it allows
            leaving[f"licence: changed to {licence.name}"].append(photo.id)
            counts["refused"] += 1
        else:
            unknown.add(licence.name)
            counts["unknown_licence"] += 1
    counts["gone"] = len(leaving[GONE])
    if len(photos) >= FEWEST_TO_DOUBT and counts["gone"] > MOST_GONE_SHARE * len(photos):
        raise RecheckDoubtError(
            f"The source does not find {counts['gone']} of {len(photos)} photographs. That is "
            "probably an outage, so nothing was changed. Open some of them in a browser; "
            "`vocparty takedown` withdraws those that are really gone."
        )
    for name in sorted(unknown):
        log.warning("A photograph has the unknown %s now; nothing was changed", name)
    with party.catalogue.writing() as session:
        now = clock.now()
        for reason, ids in sorted(leaving.items()):
            plan = take_down(session, ids, reason=reason, at=now)
            counts["images_taken_down"] += len(plan.images_taken_down)
        for photo_id, licence in kept:
            noted = {f"licence_{name}": text for name, text in vars(licence).items()}
            is_kept_still = Photo.id == photo_id, Photo.state == PhotoState.FETCHED
            statement = update(Photo).where(*is_kept_still).values(noted)
            counts["relicensed"] += count_changed(session, statement)
        asked = [photo.id for photo in photos]
        session.execute(update(Photo).where(Photo.id.in_(asked)).values(checked_at=now))
    return counts


def format_recheck(counts: Counter[str]) -> str:
    """The counts of a recheck, in one line."""
    strange = counts["unknown_licence"]
    return (
        f"Checked {counts['asked']:,}; withdrawn {counts['gone']} gone, {counts['refused']} "
        f"because of their licence; {counts['relicensed']} with another licence kept"
        f"{f'; unknown licences {strange}' if strange else ''}. "
        f"Images taken down: {counts['images_taken_down']}."
    )


def _is_due(before: datetime, *kinds: Source) -> ColumnElement[bool]:
    """The condition that a kept photo of the sources was not asked for since that moment."""
    is_old = or_(Photo.checked_at.is_(None), Photo.checked_at < before)
    return and_(Photo.state == PhotoState.FETCHED, Photo.source.in_(kinds or SEARCHED), is_old)
