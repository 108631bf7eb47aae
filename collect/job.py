"""The job of `vocparty collect`: threads that work until the target is reached."""

from __future__ import annotations

import random
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from sqlalchemy.exc import InterfaceError, OperationalError

from catalog.allocator import share_arenas
from catalog.errors import CatalogueError
from catalog.party import Party

from .backoff import Backoff
from .balance import Balanced, Standing, Uniform, plan_targets
from .call_budget import CallBudget
from .claims import give_up_unfinished
from .clock import Clock, real_clock
from .draw_pool import Chooser, DrawPool, DrawRules, Dryness
from .errors import SearchesDryError
from .fetchers import Fetchers
from .finishing import finishing
from .flickr import check_key
from .forecast import Forecast, count_waiting, load_experience, make_forecast
from .host_limits import HostLimits
from .host_rests import HostRests
from .late_files import LateFiles
from .licences import get_licences
from .notices import Notices
from .outcomes import load_fetched_count
from .pauses import Pauses
from .queries import load_draw_count, load_keywords, seed_queries
from .quota import Quota
from .recorder import Recorder
from .sampling import choose_classes
from .snapshots import Observer, Snapshot
from .supplies import FILES_FOR_ONE, make_drawers, make_fetchers, make_shelf
from .takedown.erase import erase_again
from .tally import Summary, Tally
from .unrecorded import Unrecorded, open_notes
from .windows import whole_range
from .worker import Shared
from .worker_threads import run_workers
from .worth import count_query_worth, load_standing, save_query_worth

SWITCH_SECS = 0.0005


@dataclass(frozen=True)
class Order:
    """What one run shall do; None takes the party's setting, no classes mean all of them."""

    target: int | None = None
    classes: Sequence[str] = ()
    workers: int | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Patience:
    """How faults are waited out: the waits, and after how many in a row a host is given up."""

    backoff: Backoff = field(default_factory=Backoff)
    faults_in_a_row: int = 8
    dry_draws_in_a_row: int = 200


ORDINARY = Order()
PATIENT = Patience()


def run_collect(
    party: Party,
    order: Order = ORDINARY,
    *,
    tally: Tally | None = None,
    on_fetched: Callable[[int], None] = lambda _count: None,
    watch: Callable[[Snapshot], None] | None = None,
    clock: Clock | None = None,
    patience: Patience = PATIENT,
) -> Summary:
    """What the run came to, once the target is reached; every photo is recorded as it comes.

    `tally` counts outcomes while they happen, also where the run ends with an error; `watch` sees
    from time to time, and at the end, how far it has come. Raises
    SettingsError before anything is asked for; SearchesDryError, FlickrError, HostRefusesError,
    ImageStoreError, CatalogueError where it cannot go on. The same call goes on where it stopped.
    """
    check_key(party.settings.flickr)
    share_arenas()
    stop, tally = threading.Event(), tally or Tally()
    clock = clock or real_clock(stop)
    workers = order.workers or party.settings.collect.workers
    notes = open_notes(party.folder)
    with (
        _named_faults(),
        _switching_often(),
        finishing(partial(erase_again, party)),  # when the processes that fetch have ended
        closing(make_fetchers(party, workers, notes)) as fetchers,
    ):
        missing = max(0, load_target(party, order) - load_progress(party))
        if missing:
            fetchers.load()  # takes as long as all that comes before the first search
        erase_again(party)  # what came where an earlier run was killed
        fetchers.start(min(missing, workers))
        pool = _make_pool(party, order, clock)
        flickr = party.settings.flickr
        budget = CallBudget(party.catalogue, flickr.key, flickr.calls_per_hour, clock)
        shared = _share(party, clock, patience, pool, tally, budget, fetchers, notes, workers)
        observer = Observer(party, load_target(party, order), tally, budget)

        def tell(fetched: int) -> None:
            if watch is not None:
                watch(observer.look(fetched))

        with finishing(shared.drawers.close, partial(_recount_worth, party)):
            try:
                while (fetched := load_progress(party)) < load_target(party, order):
                    quota = Quota(load_target(party, order), fetched, on_fetched)
                    run_workers(replace(shared, quota=quota), _count_threads(workers), stop, tell)
                tell(fetched)
            except SearchesDryError:
                if load_progress(party) < load_target(party, order):  # no other process reached it
                    raise
        return tally.summary()


def load_progress(party: Party) -> int:
    """How many images count towards the target by now."""
    with party.catalogue.reading() as session:
        return load_fetched_count(session)


def load_forecast(party: Party, order: Order = ORDINARY) -> Forecast:
    """What the order will take, from what the catalogue has learnt; nothing is asked for."""
    settings = party.settings
    workers = order.workers or settings.collect.workers
    choose_classes(party.preset, order.classes)
    with party.catalogue.reading() as session:
        return make_forecast(
            load_experience(session, settings.collect, workers),
            target=load_target(party, order),
            images=load_fetched_count(session),
            waiting=count_waiting(session),
            calls_per_hour=settings.flickr.calls_per_hour,
        )


def load_target(party: Party, order: Order) -> int:
    """How many images the party shall have."""
    return order.target or party.settings.collect.target_images


@contextmanager
def _named_faults() -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise CatalogueError(
            f"The catalogue did not answer: {reason}; run the same command again when it does."
        ) from error


@contextmanager
def _switching_often() -> Iterator[None]:
    """Let a thread that something came for have the interpreter soon, not after 5 ms.

    Until it has it, a place among the downloads stays empty.
    """
    before_secs = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECS)
    try:
        yield
    finally:
        sys.setswitchinterval(before_secs)


def _make_pool(party: Party, order: Order, clock: Clock) -> DrawPool:
    settings = party.settings.collect
    classes = choose_classes(party.preset, order.classes)
    licences = get_licences(settings.licences)
    span = whole_range(settings.first_date, settings.last_date or clock.now().date())
    _recount_worth(party)
    with party.catalogue.writing() as session:
        seed_queries(session, classes)
        give_up_unfinished(session, now=clock.now(), attempts=settings.attempts)
        keywords = load_keywords(session, classes)
        first_draw = load_draw_count(session)
    chosen = (order.seed, settings.seed, secrets.randbits(64))
    seed = next(seed for seed in chosen if seed is not None)
    rules = DrawRules(seed, first_draw, span, licences, settings)
    return DrawPool(rules, keywords, _make_chooser(party, load_target(party, order)))


def _recount_worth(party: Party) -> None:
    """Count without a lock, which may take seconds, and then write."""
    with party.catalogue.reading() as session:
        worth = count_query_worth(session)
    with party.catalogue.writing() as session:
        save_query_worth(session, worth)


def _make_chooser(party: Party, target: int) -> Chooser:
    settings = party.settings.collect
    classes = choose_classes(party.preset, ())
    choose_classes(party.preset, tuple(settings.class_targets))  # raises where one is unknown
    if settings.choice == "uniform":
        return Uniform()

    def load() -> Standing:
        with party.catalogue.reading() as session:
            return load_standing(session)

    return Balanced(plan_targets(tuple(classes), settings.class_targets, target), load)


def _count_threads(workers: int) -> int:
    """One for each file in hand, and some that draw and record; one alone keeps its order."""
    return workers if workers == 1 else (FILES_FOR_ONE + 1) * workers


def _share(
    party: Party,
    clock: Clock,
    patience: Patience,
    pool: DrawPool,
    tally: Tally,
    budget: CallBudget,
    fetchers: Fetchers,
    notes: Unrecorded,
    workers: int,
) -> Shared:
    settings = party.settings
    jitter = random.Random()  # noqa: S311  chance, not secrecy; kept apart from the seeded draws
    recorder = Recorder(party.catalogue, 2 * workers, party.store)
    pauses = Pauses(
        clock,
        patience.backoff,
        jitter,
        most_in_a_row=patience.faults_in_a_row,
        notices=Notices(party.catalogue, clock),
    )
    return Shared(
        party=party,
        clock=clock,
        rests=HostRests(pauses),
        pool=pool,
        drawers=make_drawers(party, clock, pauses, pool, recorder, budget, workers),
        dryness=Dryness(patience.dry_draws_in_a_row),
        quota=Quota(0, 0, lambda _count: None),
        tally=tally,
        recorder=recorder,
        shelf=make_shelf(party, clock, recorder, workers),
        notes=notes,
        late=LateFiles(partial(erase_again, party)),
        fetchers=fetchers,
        downloads=HostLimits(workers, settings.collect.downloads_per_host),
        is_single=workers == 1,
        backoff=patience.backoff,
        jitter=jitter,
    )
