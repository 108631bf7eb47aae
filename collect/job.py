"""The job of `vocparty collect`: a collector that works until the target is reached."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from catalog.party import Party, PartyData
from catalog.settings import Settings
from catalog.states import Source
from vockit.errors import SettingsError
from vockit.format.threads import ThreadPool

from . import forecast
from .admission import count_admitted, make_admission
from .asking import SAVED_SHARE_OF_MINUTES, CallBudget
from .claims import load_fetched_count, retry_broken
from .collector import Collector
from .commons import Commons
from .draws import Drawer, PhotoSource
from .errors import CollectError, SearchesDryError
from .flickr import Flickr, check_key
from .future_times import set_times_back
from .interrupts import hear_interrupt, wait_listening
from .pauses import FAULTS_IN_A_ROW, Backoff, Clock, Pauses, real_clock
from .query_yield import recount_yields
from .rehearsal import PLENTY, SPARSE, Rehearsal
from .source_table.source import Tables, fit_dates
from .takedown.erase import tidy_store
from .tally import Tally

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Order:
    """What one run shall do; None takes the party's setting, no classes mean all of them."""

    target: int | None = None
    classes: Sequence[str] = ()
    workers: int | None = None
    seed: int | None = None
    retry_broken: bool = False


@dataclass(frozen=True)
class Patience:
    """How faults are waited out: the waits, and after how many in a row a host is given up."""

    backoff: Backoff = field(default_factory=Backoff)
    faults_in_a_row: int = FAULTS_IN_A_ROW
    dry_draws_in_a_row: int = 200


def run_collect(
    party: Party,
    order: Order,
    *,
    tally: Tally | None = None,
    on_fetched: Callable[[int], None] = lambda _count: None,
    clock: Clock | None = None,
    patience: Patience | None = None,
) -> Tally:
    """The counts of the run, once the target is reached; every photo is recorded as it comes.

    `tally` counts outcomes also where the run ends with an error, `on_fetched` takes new images.
    Raises SettingsError before anything is asked for. The same call goes on where it ended.
    """
    check_source(party.settings)
    party = fit_dates(party)
    stop = threading.Event()
    tally = tally or Tally()
    patience = patience or Patience()
    clock = clock or real_clock(stop)
    forecast.check_targets(party)
    set_times_back(party, clock.now())
    tidy_store(party, clock.now())  # what an earlier run left that was killed
    most_in_a_row = patience.faults_in_a_row
    catalogue = party.catalogue
    pauses = Pauses(clock, patience.backoff, most_in_a_row=most_in_a_row, catalogue=catalogue)
    if order.retry_broken:
        with party.catalogue.writing() as session:
            log.warning("%d broken photographs are tried once more", retry_broken(session))
    recount_yields(party)
    missing = count_to_fetch(party, order)
    target = load_progress(party) + missing
    source = open_source(party, clock, pauses)
    _tell_what_is_new(source, party, order)
    drawer = Drawer(
        party,
        order.classes,
        order.seed,
        target=target,
        missing=missing,
        source=source,
        clock=clock,
        most_dry=patience.dry_draws_in_a_row,
    )
    tally.left_out = drawer.left_out
    workers = count_workers(party.settings, order.workers)
    try:
        with closing(source):
            collector = Collector(
                party,
                target=target,
                workers=workers,
                drawer=drawer,
                pauses=pauses,
                tally=tally,
                on_fetched=on_fetched,
                clock=clock,
                stop=stop,
                admission=make_admission(party, order.classes, clock.now()),
            )
            _run(collector, stop)
    except SearchesDryError:
        if load_progress(party) < target:  # no other process reached it
            raise
    finally:
        recount_yields(party)
    return tally


def _tell_what_is_new(source: PhotoSource, party: Party, order: Order) -> None:
    """Say what of the settings the tables of the party were not read for."""
    if isinstance(source, Tables) and (sentence := source.find_new(party, order.classes)):
        log.warning(sentence)


def count_to_fetch(party: Party, order: Order) -> int:
    """How many images the run fetches, so that as many as the target asks for can be used."""
    with party.catalogue.reading() as session:
        survival = forecast.load_survival(session)
    return survival.count_to_fetch(order.target or party.settings.collect.target_images)


def load_progress(party: Party) -> int:
    """How many images were fetched by now."""
    with party.catalogue.reading() as session:
        return load_fetched_count(session)


def load_forecast(party: Party, order: Order) -> forecast.Forecast:
    """What the order will take, from what the catalogue has learnt; nothing is asked for.

    Raises SettingsError for what the run itself refuses.
    """
    party = fit_dates(party)
    settings = party.settings
    check_source(settings)
    forecast.check_targets(party)
    target = order.target or settings.collect.target_images
    targets = forecast.plan_party_targets(party, order.classes, target)
    now = datetime.now(UTC)
    admission = make_admission(party, order.classes, now)
    with party.catalogue.reading() as session:
        waiting, barred = count_admitted(session, admission, now)
        experience = forecast.load_experience(session, count_workers(settings, order.workers))
        images = forecast.load_survival(session).images
    photos = forecast.count_photos(experience, target, images) - waiting
    plenty = _rehearse(party, order, photos, PLENTY)
    made = forecast.make_forecast(
        experience,
        target=target,
        images=images,
        waiting=waiting,
        calls_per_hour=settings.count_calls_per_hour(settings.collect.source),
        plenty=plenty,
        sparse=plenty if plenty.is_local else _rehearse(party, order, photos, SPARSE),
    )
    rounded = {name: round(count) for name, count in targets.items()}
    return replace(made, classes=rounded, barred=barred)


def _rehearse(party: Party, order: Order, photos: int, unasked: float) -> forecast.Rehearsed:
    """What searches for so many photos take, where a query never asked has `unasked` a year."""
    if photos <= 0:
        return forecast.Rehearsed()
    clock = real_clock(threading.Event())
    with closing(open_source(party, clock, Pauses(clock))) as source:
        if isinstance(source, Tables):
            _tell_what_is_new(source, party, order)
            new = source.count_new(party, order.classes, clock.now(), photos)
            return forecast.Rehearsed(found=new, is_dry=new < photos, is_local=True)
        missing = count_to_fetch(party, order)
        target = load_progress(party) + missing
        rehearsal = Rehearsal(
            party,
            order.classes,
            0 if order.seed is None and party.settings.collect.seed is None else order.seed,
            target,
            missing,
            source,
            clock,
            Patience().dry_draws_in_a_row,
        )
        return rehearsal.rehearse(photos, unasked)


def _run(collector: Collector, stop: threading.Event) -> None:
    """Run it in a thread, so that Ctrl-C never interrupts what it writes.

    The signal itself sets `stop`: an exception that it raises can be lost in a callback.
    """
    is_interrupted = threading.Event()

    def interrupt() -> None:
        is_interrupted.set()
        stop.set()

    with (
        hear_interrupt(interrupt),
        ThreadPool(1, thread_name_prefix="collect") as thread,
    ):
        try:
            wait_listening(thread.submit(collector.run))
        except CollectError as error:
            if not is_interrupted.is_set():
                raise
            log.info("after Ctrl-C: %s", error)
    if is_interrupted.is_set():
        raise KeyboardInterrupt


def check_source(settings: Settings, kind: Source | None = None) -> None:
    """Raise SettingsError where the source, that of the settings for None, cannot be asked."""
    kind = kind or Source(settings.collect.source)
    if kind is Source.FLICKR:
        check_key(settings.flickr)
    elif kind is Source.COMMONS and settings.collect.dates == "taken":
        raise SettingsError(
            "collect.dates = 'taken' is wrong: Wikimedia Commons can be searched by the date of "
            "upload only; expected 'upload' or 'none'."
        )


def open_source(
    party: PartyData, clock: Clock, pauses: Pauses, kind: Source | None = None
) -> PhotoSource:
    """A source, that of the party's settings for None; raises SettingsError.

    Of tables, a source that is named can be asked for known photographs only.
    """
    settings = party.settings
    contact = party.settings.collect.contact
    check_source(settings, kind)
    is_searched = kind is None
    kind = kind or Source(settings.collect.source)
    if kind is Source.TABLE:
        return Tables(party, pauses, is_searched=is_searched)
    is_commons = kind is Source.COMMONS
    calls_per_hour = settings.count_calls_per_hour("commons" if is_commons else "flickr")
    if is_commons:
        share = SAVED_SHARE_OF_MINUTES
        budget = CallBudget(party.catalogue, "commons", calls_per_hour, clock, share)
        return Commons(settings.commons, budget, pauses, contact)
    budget = CallBudget(party.catalogue, settings.flickr.key, calls_per_hour, clock)
    return Flickr(settings.flickr, budget, pauses, contact)


def count_workers(settings: Settings, asked: int | None = None) -> int:
    """How many files are downloaded at once; of Commons at most 2 (Wikitech, Robot_policy)."""
    workers = asked or settings.collect.workers
    is_commons = Source(settings.collect.source) is Source.COMMONS
    return min(workers, settings.commons.downloads_at_once) if is_commons else workers
