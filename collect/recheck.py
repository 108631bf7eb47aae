"""The job of `vocparty collect --recheck`: what sources say today of the photographs that are kept.

Photos are decided on in batches, those asked for least lately first. Where a source tells of many
changes in a batch, each photo gets a mark instead, and the next run asks for it again.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.doubts import SAID_AGAIN_AFTER, Doubt, are_few, is_said_again, renew_doubt
from catalog.licences import Licence, get_licences
from catalog.party import PartyData
from catalog.states import SEARCHED, PhotoState, Source
from catalog.tables import Photo
from catalog.transitions import count_changed
from vockit.format.plural import format_count
from vockit.report.comparison import Compared

from .asking import CallRefusedError
from .changes import Change, ChangeKind, find_change
from .draws import PhotoSource
from .errors import CollectError
from .future_times import set_times_back
from .job import check_source, open_source
from .pauses import Backoff, Clock, Pauses, real_clock
from .query_yield import recount_yields
from .takedown.job import take_down

log = logging.getLogger(__name__)

BATCH_PHOTOS = 50  # as many as one call to Commons takes (mediawiki.org/wiki/API:Query)
MOST_WITNESSES = 10
"""So many photos of a list say whether a source answers that refuses a whole batch: those that it
refused before are first at every run."""
_SHOWN = 3
_KEPT = Photo.state == PhotoState.FETCHED


class RecheckDoubtError(CollectError):
    """A source says so much at once that nothing was done about it yet."""


def recheck_photos(
    party: PartyData,
    *,
    on_asked: Callable[[int], None] = lambda _count: None,
    clock: Clock | None = None,
    backoff: Backoff | None = None,
    counts: Counter[str] | None = None,
    passed_over: dict[str, str] | None = None,
) -> Counter[str]:
    """What became of all kept photos that are due, batch by batch.

    "doubted" counts those that got or kept a mark, "cleared" those that lost theirs unchanged.
    `counts` grows while it runs. `passed_over` takes those that their source cannot be asked for,
    and why, by source and id. Raises CollectError where a source does not answer, after the other
    sources were asked.
    """
    counts = Counter() if counts is None else counts
    passed_over = {} if passed_over is None else passed_over
    clock = clock or real_clock(threading.Event())
    set_times_back(party, clock.now())
    due = {kind: load_due_ids(party, clock.now(), kind) for kind in SEARCHED}
    due = {kind: photo_ids for kind, photo_ids in due.items() if photo_ids}
    for kind in due or [Source(party.settings.collect.source)]:
        check_source(party.settings, kind)
    licences = get_licences(party.settings.collect.licences)
    pauses = Pauses(clock, backoff, catalogue=party.catalogue)
    faults = list[CollectError]()
    for kind, photo_ids in due.items():
        try:
            with closing(open_source(party, clock, pauses, kind)) as source:
                for photos, licences_now in ask_by_batch(party, source, photo_ids, passed_over):
                    asked = [photo for photo in photos if photo.source_id in licences_now]
                    if asked:
                        counts += settle_batch(party, asked, licences_now, licences, clock)
                    on_asked(len(photos))
        except CollectError as error:
            faults.append(error)
    recount_yields(party)
    for fault in faults[1:]:
        log.warning("%s", fault)
    if faults:
        raise faults[0]
    return counts


def ask_by_batch(
    party: PartyData, source: PhotoSource, photo_ids: Sequence[int], passed_over: dict[str, str]
) -> Iterator[tuple[Sequence[Row[Any]], Mapping[str, Licence | None]]]:
    """The photos of each batch, and the licences today of those that the source answers for.

    Raises CallRefusedError if it answers for none of a batch, nor then for any photo from all over
    the list: the photos are not the cause. Adds the photos left out to `passed_over`.
    """
    for batch_ids in split_evenly(photo_ids, BATCH_PHOTOS):
        photos = load_batch(party, batch_ids)
        licences, refused = ask_for_batch(source, _list_known(source, photos))
        if refused and not licences:
            witnesses = load_batch(party, photo_ids[:: -(-len(photo_ids) // MOST_WITNESSES)])
            answers, _ = ask_each(source, _list_known(source, witnesses))
            if not answers:
                raise next(iter(refused.values()))
        for source_id in (photo.source_id for photo in photos):
            if source_id not in licences:
                why = _describe_refusal(source, source_id, refused.get(source_id))
                passed_over[f"{source.kind}:{source_id}"] = why
        yield photos, licences


def _list_known(source: PhotoSource, photos: Sequence[Row[Any]]) -> list[str]:
    """The ids of the photos that are ids of the source."""
    return [photo.source_id for photo in photos if source.id_form.fullmatch(photo.source_id)]


def _describe_refusal(source: PhotoSource, source_id: str, refusal: CallRefusedError | None) -> str:
    if not source.id_form.fullmatch(source_id):
        return f"this is no id of {source.name}"
    if refusal is None:
        return f"{source.name} says nothing of it"
    reason = str(refusal).partition(";")[0].rstrip(".")
    return f"{source.name} refuses it ({reason})"


def ask_for_batch(
    source: PhotoSource, source_ids: Sequence[str]
) -> tuple[dict[str, Licence | None], dict[str, CallRefusedError]]:
    """The licences of a batch today, and the photos that the source refuses.

    If it refuses the batch, each photo is asked for alone, so bad rows do not stop the others.
    """
    if not source_ids:
        return {}, {}
    with suppress(CallRefusedError):
        return dict(source.recheck(source_ids)), {}
    return ask_each(source, source_ids)


def ask_each(
    source: PhotoSource, source_ids: Sequence[str]
) -> tuple[dict[str, Licence | None], dict[str, CallRefusedError]]:
    """The licences of photos that are asked for one by one, and those that the source refuses."""
    licences = dict[str, Licence | None]()
    refused = dict[str, CallRefusedError]()
    for source_id in source_ids:
        try:
            licences |= source.recheck([source_id])
        except CallRefusedError as error:
            refused[source_id] = error
    return licences, refused


def compare_checked(counts: Counter[str], passed_over: Mapping[str, str]) -> Compared:
    """How many photos were checked, and which were passed over, by reason."""
    by_reason = defaultdict[str, list[str]](list)
    for name, reason in passed_over.items():
        by_reason[reason].append(name)
    return Compared(
        what="photograph",
        equal=counts["asked"],
        passed_over={reason: tuple(names) for reason, names in by_reason.items()},
        is_right="checked",
    )


def count_due(party: PartyData, now: datetime, *kinds: Source) -> int:
    """How many photos would be asked for, of these sources or of all."""
    due = _is_due(party, now, *kinds)
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(Photo).where(due)) or 0


def load_due_ids(party: PartyData, now: datetime, *kinds: Source) -> list[int]:
    """The photos to ask for, those asked for least lately first; no later moment adds to them."""
    order = Photo.checked_at.is_not(None), Photo.checked_at, Photo.id
    wanted = select(Photo.id).where(_is_due(party, now, *kinds)).order_by(*order)
    with party.catalogue.reading() as session:
        return list(session.scalars(wanted))


def split_evenly(photo_ids: Sequence[int], most: int) -> Iterator[Sequence[int]]:
    """Batches whose sizes differ by one at most: a small rest would show too little of a source."""
    count = -(-len(photo_ids) // most)
    for number in range(count):
        begin, end = (len(photo_ids) * place // count for place in (number, number + 1))
        yield photo_ids[begin:end]


def load_batch(party: PartyData, photo_ids: Sequence[int]) -> Sequence[Row[Any]]:
    """What is recorded of these photos, as far as they are still kept."""
    columns = Photo.id, Photo.source_id, Photo.licence_id, Photo.doubt, Photo.doubted_at
    wanted = select(*columns).where(_KEPT, Photo.id.in_(photo_ids)).order_by(Photo.id)
    with party.catalogue.reading() as session:
        return session.execute(wanted).all()


def settle_batch(
    party: PartyData,
    photos: Sequence[Row[Any]],
    licences_now: Mapping[str, Licence | None],
    licences: Mapping[str, Licence],
    clock: Clock,
) -> Counter[str]:
    """What became of some photos by their licences of today, in one transaction."""
    counts = Counter(asked=len(photos))
    now = clock.now()
    said = {
        photo.id: find_change(photo.licence_id, licences_now[photo.source_id], licences)
        for photo in photos
    }
    doubts = {photo.id: Doubt(photo.doubt, photo.doubted_at) for photo in photos}
    believed, marks = judge_changes(said, doubts, now)
    has_changed = believed.keys() | marks.keys()
    counts["doubted"] = len(marks)
    counts["cleared"] = sum(bool(photo.doubt) for photo in photos if photo.id not in has_changed)
    with party.catalogue.writing() as session:
        of_batch = Photo.id.in_([photo.id for photo in photos]), _KEPT
        asked = {"checked_at": now, "doubt": None, "doubted_at": None}
        session.execute(update(Photo).where(*of_batch).values(asked))
        for photo_id, doubt in marks.items():
            mark = {"doubt": doubt.said, "doubted_at": doubt.since}
            session.execute(update(Photo).where(Photo.id == photo_id, _KEPT).values(mark))
        counts += carry_out(session, believed, now)
    return counts


def judge_changes(
    said: Mapping[int, Change | None], doubts: Mapping[int, Doubt], now: datetime
) -> tuple[dict[int, Change], dict[int, Doubt]]:
    """The changes among the photographs of a batch to carry out, and those to mark instead.

    A photograph that is in doubt already waits for its hour also among few changes.
    """
    changes = {photo_id: change for photo_id, change in said.items() if change is not None}
    is_believed = are_few(len(changes), len(said))
    believed = dict[int, Change]()
    marks = dict[int, Doubt]()
    for photo_id, change in changes.items():
        is_new = doubts[photo_id].said is None
        if (is_believed and is_new) or is_said_again(change.said, doubts[photo_id], now):
            believed[photo_id] = change
        else:
            marks[photo_id] = renew_doubt(change.said, doubts[photo_id], now)
    return believed, marks


def carry_out(session: Session, changes: Mapping[int, Change], now: datetime) -> Counter[str]:
    """The counts of what was withdrawn and recorded; an unknown licence changes nothing."""
    counts = Counter[str]()
    leaving = defaultdict[str, list[int]](list)
    for photo_id, change in changes.items():
        if change.kind in (ChangeKind.GONE, ChangeKind.REFUSED):
            leaving[change.said].append(photo_id)
        elif change.kind is ChangeKind.RELICENSED:
            noted = {f"licence_{name}": text for name, text in vars(change.licence).items()}
            statement = update(Photo).where(Photo.id == photo_id, _KEPT).values(noted)
            counts["relicensed"] += count_changed(session, statement)
    for reason, ids in sorted(leaving.items()):
        plan = take_down(session, ids, reason=reason, at=now)
        counts["images_taken_down"] += len(plan.images_taken_down)
    for kind in (ChangeKind.GONE, ChangeKind.REFUSED, ChangeKind.UNKNOWN_LICENCE):
        counts[kind.value] = sum(change.kind is kind for change in changes.values())
    unknown = {
        change.said for change in changes.values() if change.kind is ChangeKind.UNKNOWN_LICENCE
    }
    for text in sorted(unknown):
        log.warning("A photograph has an unknown %s; nothing was changed", text)
    return counts


def format_recheck(counts: Counter[str]) -> str:
    """The counts of a recheck, in one line."""
    strange = counts["unknown_licence"]
    cleared = counts["cleared"]
    return (
        f"Checked {counts['asked']:,}; withdrawn {counts['gone']} gone, {counts['refused']} "
        f"because of their licence; {counts['relicensed']} with another licence kept"
        f"{f'; unknown licences {strange}' if strange else ''}"
        f"{f'; no longer in doubt {cleared}' if cleared else ''}. "
        f"Images taken down: {counts['images_taken_down']}."
    )


def describe_doubts(party: PartyData) -> str:
    """What sources said of kept photographs that was not done, and what to do; empty for none."""
    count = func.count()
    is_doubted = (_KEPT, Photo.doubt.is_not(None))
    groups = (Photo.source, Photo.doubt)
    with party.catalogue.reading() as session:
        counted = select(*groups, count).where(*is_doubted).group_by(*groups)
        said = session.execute(counted.order_by(count.desc(), *groups)).all()
        since = session.scalar(select(func.max(Photo.doubted_at)).where(*is_doubted))
        named = select(Photo.source, Photo.source_id, Photo.page_url).where(*is_doubted)
        first = session.execute(named.order_by(Photo.id).limit(_SHOWN)).all()
    if since is None:
        return ""
    total = sum(photos for _source, _text, photos in said)
    sayings = "; ".join(
        f"{source} says of {photos:,}: {text}" for source, text, photos in said[:_SHOWN]
    )
    names = ", ".join(page_url or f"{source}:{number}" for source, number, page_url in first)
    names += ", ..." if total > _SHOWN else ""
    return (
        f"Nothing was done about {format_count(total, 'photograph')} ({names}): {sayings}. "
        "So many changes at once may be a fault of the source. Open some of the photographs in a "
        "browser, and run `vocparty collect --recheck` again after "
        f"{since + SAID_AGAIN_AFTER:%Y-%m-%d %H:%M} UTC: what the source then says again is done."
    )


def _is_due(party: PartyData, now: datetime, *kinds: Source) -> ColumnElement[bool]:
    """The condition that a kept photo of the sources is asked for at that moment.

    A photo with a mark always is. A moment in the future is of a clock that was wrong.
    """
    before = now - timedelta(days=party.settings.collect.recheck_days)
    is_old = or_(Photo.checked_at.is_(None), Photo.checked_at < before, Photo.checked_at > now)
    is_due = or_(is_old, Photo.doubt.is_not(None))
    return and_(_KEPT, Photo.source.in_(kinds or SEARCHED), is_due)
