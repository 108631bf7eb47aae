"""How often annotators slip, by what checkers mended: by class, field, person and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .bootstrap import ROUNDS, Array, bootstrap, ratio
from .intervals import Interval
from .mends import CheckedWork, Slip, SlipAt, find_slips

Labels = Callable[[CheckedWork], str]
_SLIPS = tuple(Slip)


@dataclass(frozen=True)
class ErrorRates:
    """The slips in some checked work, each as a share of the objects that should be there.

    EXTRA alone is a share of what was drawn. `images` were checked, and held `objects` in the end.
    """

    label: str
    images: int
    objects: int
    counts: dict[Slip, int]
    rates: dict[Slip, Interval]


@dataclass(frozen=True)
class _Tally:
    """One image's objects as they should be, as they were drawn, and its slips."""

    objects: int
    drawn: int
    slips: Counter[Slip]


def measure_errors(
    work: Sequence[CheckedWork], *, seed: int = 0, rounds: int = ROUNDS
) -> ErrorRates:
    """The error rates of all checked work."""
    return _measure("all", [_tally(one, find_slips(one)) for one in work], seed, rounds)


def measure_errors_by(
    work: Sequence[CheckedWork], label: Labels, *, seed: int = 0, rounds: int = ROUNDS
) -> list[ErrorRates]:
    """The error rates of the work of each label (a person, a day), in order of labels."""
    groups: dict[str, list[_Tally]] = {}
    for one in work:
        groups.setdefault(label(one), []).append(_tally(one, find_slips(one)))
    return [_measure(name, groups[name], seed, rounds) for name in sorted(groups)]


def measure_errors_by_class(
    work: Sequence[CheckedWork], *, seed: int = 0, rounds: int = ROUNDS
) -> list[ErrorRates]:
    """The error rates of objects of each class, as it should have been, in order of names."""
    groups: dict[str, list[_Tally]] = {}
    for one in work:
        for name, tally in _tally_classes(one).items():
            groups.setdefault(name, []).append(tally)
    return [_measure(name, groups[name], seed, rounds) for name in sorted(groups)]


def count_words(work: Iterable[CheckedWork], slip: Slip) -> list[tuple[str, str, int]]:
    """What was said, what it should have been, and how often; the most frequent first."""
    words = Counter(
        (one.before or "", one.after or "")
        for item in work
        for one in find_slips(item)
        if one.slip is slip
    )
    rows = [(before, after, count) for (before, after), count in words.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))


def _tally(work: CheckedWork, slips: Sequence[SlipAt]) -> _Tally:
    return _Tally(len(work.mended), len(work.drawn), Counter(one.slip for one in slips))


def _tally_classes(work: CheckedWork) -> dict[str, _Tally]:
    objects = Counter(item.class_name for item in work.mended)
    drawn = Counter(item.class_name for item in work.drawn)
    slips: dict[str, Counter[Slip]] = {}
    for one in find_slips(work):
        slips.setdefault(one.class_name, Counter())[one.slip] += 1
    return {
        name: _Tally(objects[name], drawn[name], slips.get(name, Counter()))
        for name in {*objects, *drawn}
    }


def _measure(label: str, tallies: Sequence[_Tally], seed: int, rounds: int) -> ErrorRates:
    table = np.array(
        [[one.objects, one.drawn, *(one.slips[slip] for slip in _SLIPS)] for one in tallies],
        dtype=np.float64,
    ).reshape(-1, 2 + len(_SLIPS))
    intervals = bootstrap(table, _compute_rates, seed=seed, rounds=rounds)
    totals = table.sum(axis=0).astype(int).tolist()
    return ErrorRates(
        label,
        len(tallies),
        totals[0],
        dict(zip(_SLIPS, totals[2:], strict=True)),
        dict(zip(_SLIPS, intervals, strict=True)),
    )


def _compute_rates(sums: Array) -> Array:
    objects, drawn = sums[:, 0], sums[:, 1]
    columns = [
        ratio(sums[:, 2 + place], drawn if slip is Slip.EXTRA else objects)
        for place, slip in enumerate(_SLIPS)
    ]
    return np.stack(columns, axis=1)
