"""Counts of a run while it goes on: for its summary, a terminal line, or a line of JSON."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import PhotoState
from catalog.tables import Photo, Query

from .batch_writer import Outcome
from .call_budget import CallBudget, Rate
from .errors import PhotoError, format_reasons
from .forecast import count_waiting, load_calls
from .survival import plan_party_targets


@dataclass(frozen=True)
class Summary:
    """What one run fetched and lost, and which results of searches it left out, and why."""

    fetched: int
    same_bytes: int
    gone: Mapping[str, int]
    broken: Mapping[str, int]
    left_out: Mapping[str, str] = field(default_factory=dict)


class Tally:
    """Counts of a run while it goes on."""

    def __init__(self) -> None:
        self._outcomes: Counter[Outcome] = Counter()
        self._lost: dict[PhotoState, Counter[str]] = defaultdict(Counter)
        self.left_out: Mapping[str, str] = {}

    def count(self, outcome: Outcome, fault: PhotoError | None = None) -> None:
        """Count one outcome, and with a loss its reason."""
        self._outcomes[outcome] += 1
        if outcome is Outcome.LOST and fault is not None:
            self._lost[fault.photo_state][fault.reason] += 1

    def summary(self) -> Summary:
        """The counts so far."""
        states = (PhotoState.GONE, PhotoState.BROKEN)
        gone, broken = (dict(sorted(self._lost[state].items())) for state in states)
        of = self._outcomes
        return Summary(
            of[Outcome.FETCHED], of[Outcome.SAME_BYTES], gone, broken, dict(self.left_out)
        )


def format_left_out(summary: Summary) -> str:
    """A line for each reason why results were left out, with one of them; most first."""
    counts = Counter(summary.left_out.values()).most_common()
    first = {reason: page for page, reason in reversed(list(summary.left_out.items()))}
    lines = [
        f"Skipped {count} ({first[reason]}, for example): {reason}." for reason, count in counts
    ]
    return "\n".join(lines)


def format_summary(summary: Summary) -> str:
    """The summary in one line."""
    return (
        f"Fetched {summary.fetched:,}; "
        f"gone {format_reasons(summary.gone)}; broken {format_reasons(summary.broken)}; "
        f"identical files {summary.same_bytes}."
    )


_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class ClassProgress:
    """The photos that queries of a class brought, and how many images it shall have."""

    images: int
    target: float


@dataclass(frozen=True)
class Snapshot:
    """One moment of a run; `gone` and `broken` are this run's, by reason."""

    fetched: int
    target: int
    images_per_sec: float
    secs_to_go: float | None
    calls_left: int
    calls_per_hour: int
    gone: Mapping[str, int]
    broken: Mapping[str, int]
    classes: Mapping[str, ClassProgress]


def find_call_secs(
    calls: int, images: int, waiting: int, missing: int, calls_left: int, calls_per_hour: int
) -> float:
    """How long the calls for the missing images take to come; photos that wait need none.

    So far `calls` brought `images`, and photos that wait.
    """
    needed = math.ceil(max(0, missing - waiting) * calls / max(1, images + waiting))
    return max(0, needed - calls_left) / Rate(calls_per_hour).calls_per_sec


class Observer:
    """Takes snapshots of one run."""

    def __init__(
        self,
        party: Party,
        target: int,
        tally: Tally,
        budget: CallBudget,
        classes: Sequence[str] = (),
    ) -> None:
        self._party, self._target, self._classes = party, target, classes
        self._tally, self._budget = tally, budget
        self._began_secs = time.monotonic()

    def look(self, fetched: int) -> Snapshot:
        """What is true now, with `fetched` images in all."""
        summary = self._tally.summary()
        with self._party.catalogue.reading() as session:
            counts = load_class_counts(session)
            brought = load_calls(session), sum(counts.values()), count_waiting(session)
        elapsed_secs = max(0.001, time.monotonic() - self._began_secs)
        rate = summary.fetched / elapsed_secs
        settings = self._party.settings
        targets = plan_party_targets(self._party, self._classes, self._target)
        classes = {
            name: ClassProgress(counts.get(name, 0), wanted) for name, wanted in targets.items()
        }
        missing, per_hour = max(0, self._target - fetched), settings.searched.calls_per_hour
        calls_left = self._budget.load_left()
        secs_for_calls = find_call_secs(*brought, missing, calls_left, per_hour)
        secs_to_go = max(missing / rate, secs_for_calls) if rate else None
        so_far = (fetched, self._target, rate, secs_to_go if missing else 0.0)
        return Snapshot(*so_far, calls_left, per_hour, summary.gone, summary.broken, classes)


def load_class_counts(session: Session) -> dict[str, int]:
    """How many photos of each class's queries were fetched."""
    # Counted by query alone, which one index holds; the few queries are looked up after that.
    counts = session.execute(
        select(Photo.query_id, func.count())
        .where(Photo.state == PhotoState.FETCHED, Photo.query_id.is_not(None))
        .group_by(Photo.query_id)
    ).all()
    names = dict(session.execute(select(Query.id, Query.class_name)).tuples().all())
    found: Counter[str] = Counter()
    for query_id, count in counts:
        found[names[query_id]] += count
    return dict(found)


def format_line(snapshot: Snapshot) -> str:
    """The snapshot in one line; a bar for each class says how much of its target it has."""
    bars = " ".join(
        f"{name[:3]}{_bar(one.images, one.target)}" for name, one in snapshot.classes.items()
    )
    return (
        f"{snapshot.fetched} of {snapshot.target} images, {snapshot.images_per_sec:.1f}/s, "
        f"{_format_secs(snapshot.secs_to_go)} to go; {_format_calls(snapshot)}; "
        f"gone {sum(snapshot.gone.values())}, broken {format_reasons(snapshot.broken)}  {bars}"
    )


def _format_calls(snapshot: Snapshot) -> str:
    """How many calls the hourly quota still allows; none means that the run waits for it."""
    free = f"{snapshot.calls_left:,} of {snapshot.calls_per_hour:,} calls free this hour"
    return free if snapshot.calls_left else f"waiting for the hourly quota ({free})"


def fit_line(snapshot: Snapshot, columns: int) -> str:
    """The snapshot in at most these columns: where it is long, with bars that have no names.

    What does not fit even then is the end of the reasons of what broke.
    """
    line = format_line(snapshot)
    if len(line) <= columns:
        return line
    bars = "".join(_bar(one.images, one.target) for one in snapshot.classes.values())
    line = (
        f"{snapshot.fetched}/{snapshot.target} {bars} {snapshot.images_per_sec:.1f}/s "
        f"{_format_secs(snapshot.secs_to_go)} left, {snapshot.calls_left} calls, "
        f"{sum(snapshot.gone.values())} gone, {format_reasons(snapshot.broken, 'broken')}"
    )
    return line if len(line) <= columns else f"{line[: columns - 1]}…"


def as_document(snapshot: Snapshot) -> dict[str, Any]:
    """The snapshot as JSON takes it."""
    found = asdict(snapshot)
    found["images_per_sec"] = round(snapshot.images_per_sec, 2)
    secs = snapshot.secs_to_go
    found["secs_to_go"] = None if secs is None else round(secs)
    return found


def _bar(images: int, target: float) -> str:
    share = min(1.0, images / target) if target else 1.0
    return _BARS[round(share * (len(_BARS) - 1))]


def _format_secs(secs: float | None) -> str:
    if secs is None:
        return "?"
    minutes, rest = divmod(round(secs), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
