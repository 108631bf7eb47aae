"""How well people agree: all together, by pair, by class and by both, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bootstrap import ROUNDS, Array, bootstrap, ratio
from .intervals import Interval
from .kappa import cohen_kappa, krippendorff_alpha
from .matched import FIELDS, VIEWS, MatchedPairs
from .recapture import Found, Missed, estimate_missed

_FLAG_WORDS = 2
_PLAIN_FLOORS = (0.0,) * 4
_FIELD_FLOORS = (0.0, -1.0, -1.0)  # kappa and alpha go down to -1


@dataclass(frozen=True)
class FieldAgreement:
    """How well a word was agreed on, over matched objects.

    `share` said the same; `kappa` is Cohen's, of two people only; `alpha` is Krippendorff's.
    """

    field: str
    share: Interval
    kappa: Interval | None
    alpha: Interval


@dataclass(frozen=True)
class Confusion:
    """How often one said the one class and the other the other, of the same object."""

    first_class: str
    second_class: str
    objects: int
    share: float


@dataclass(frozen=True)
class GroupAgreement:
    """The agreement of one pair of people, on one class, or of all.

    `both` is the share of the objects that either has which both have; the overlaps are of those.
    Each object counts at most once, whatever its class for pairs and for all; a class's own counts
    only what both gave that class.
    """

    people: tuple[int, int] | None
    class_name: str | None
    images: int
    first_objects: int
    second_objects: int
    both_objects: int
    both: Interval
    mean_overlap: Interval
    over_50: Interval
    over_70: Interval
    fields: tuple[FieldAgreement, ...]
    missed: Missed
    confusions: tuple[Confusion, ...]


@dataclass(frozen=True)
class _Rows:
    """Which images, matched objects and drawn objects belong to a group."""

    images: NDArray[np.bool_]
    matched: NDArray[np.bool_]
    drawn: NDArray[np.bool_]


def measure_all(matched: MatchedPairs, *, seed: int = 0, rounds: int = ROUNDS) -> GroupAgreement:
    """The agreement of everybody on everything."""
    return _measure(matched, _all_rows(matched), None, None, seed, rounds)


def measure_people(
    matched: MatchedPairs, *, seed: int = 0, rounds: int = ROUNDS
) -> list[GroupAgreement]:
    """The agreement of every two people who annotated an image both, in order of their ids."""
    return [
        _measure(matched, rows, people, None, seed, rounds)
        for people, rows in _iterate_people(matched)
    ]


def measure_classes(
    matched: MatchedPairs, *, seed: int = 0, rounds: int = ROUNDS
) -> list[GroupAgreement]:
    """The agreement on every class that anybody drew, in the order of classes."""
    return list(_measure_each_class(matched, _all_rows(matched), None, seed, rounds))


def measure_people_classes(
    matched: MatchedPairs, *, seed: int = 0, rounds: int = ROUNDS
) -> list[GroupAgreement]:
    """The agreement of every two people on every class that either drew: by people, then class."""
    return [
        one
        for people, rows in _iterate_people(matched)
        for one in _measure_each_class(matched, rows, people, seed, rounds)
    ]


def _iterate_people(matched: MatchedPairs) -> Iterator[tuple[tuple[int, int], _Rows]]:
    """Every two people, in order of their ids, with what is theirs."""
    for first, second in sorted({(int(a), int(b)) for a, b in matched.people}):
        images = (matched.people == (first, second)).all(axis=1)
        rows = _Rows(images, images[matched.pair_image], images[matched.object_image])
        yield (first, second), rows


def _measure_each_class(
    matched: MatchedPairs, rows: _Rows, people: tuple[int, int] | None, seed: int, rounds: int
) -> Iterator[GroupAgreement]:
    for place, name in enumerate(matched.classes):
        drawn = rows.drawn & (matched.object_class == place)
        if not drawn.any():
            continue
        alike = (matched.first_words["class"] == place) & (matched.second_words["class"] == place)
        images = np.zeros(matched.images, dtype=bool)
        images[matched.object_image[drawn]] = True
        its_rows = _Rows(images, rows.matched & alike, drawn)
        yield _measure(matched, its_rows, people, name, seed, rounds)


def _all_rows(matched: MatchedPairs) -> _Rows:
    return _Rows(
        np.ones(matched.images, dtype=bool),
        np.ones(len(matched.pair_image), dtype=bool),
        np.ones(len(matched.object_image), dtype=bool),
    )


def _measure(
    matched: MatchedPairs,
    rows: _Rows,
    people: tuple[int, int] | None,
    class_name: str | None,
    seed: int,
    rounds: int,
) -> GroupAgreement:
    # of one class only what both gave that class is matched
    fields = FIELDS if class_name is None else tuple(it for it in FIELDS if it != "class")
    both, mean, over_50, over_70, *rest = bootstrap(
        _tally(matched, rows, fields),
        _Figures(matched, fields).compute,
        floors=_PLAIN_FLOORS + _FIELD_FLOORS * len(fields),
        seed=seed,
        rounds=rounds,
    )
    sides = matched.object_side[rows.drawn]
    return GroupAgreement(
        people,
        class_name,
        int(rows.images.sum()),
        int((sides == 0).sum()),
        int((sides == 1).sum()),
        int(rows.matched.sum()),
        both,
        mean,
        over_50,
        over_70,
        tuple(_read_fields(fields, rest, is_pair=people is not None)),
        estimate_missed(_find_strata(matched, rows)),
        tuple(_count_confusions(matched, rows)) if class_name is None else (),
    )


def _count_confusions(matched: MatchedPairs, rows: _Rows) -> list[Confusion]:
    """Pairs of classes that were given to one object, the most frequent first.

    Who gave which is not told apart. `share` is of the matched objects to which either gave one of
    the two classes.
    """
    size = len(matched.classes)
    table = np.zeros((size, size), dtype=np.int64)
    words = (matched.first_words["class"], matched.second_words["class"])
    np.add.at(table, tuple(side[rows.matched] for side in words), 1)
    table = table + table.T
    found = []
    for first, second in np.argwhere(np.triu(table, k=1)).tolist():
        objects = int(table[first, second])
        own = (table[first, first] + table[second, second]) / 2
        others = table[first].sum() + table[second].sum() - table[first, first]
        others -= table[second, second] + 2 * objects
        share = objects / float(own + others + objects)
        found.append(Confusion(matched.classes[first], matched.classes[second], objects, share))
    return sorted(found, key=lambda one: (-one.objects, one.first_class, one.second_class))


def _tally(matched: MatchedPairs, rows: _Rows, fields: Sequence[str]) -> Array:
    """One row an image: drawn objects, matched ones, overlaps, then a table of words per field."""
    image_rows = np.cumsum(rows.images) - 1
    images = int(rows.images.sum())
    drawn = image_rows[matched.object_image[rows.drawn]]
    of_pairs = image_rows[matched.pair_image[rows.matched]]
    overlaps = matched.overlaps[rows.matched]
    columns = [
        np.bincount(drawn, minlength=images),
        np.bincount(of_pairs, minlength=images),
        np.bincount(of_pairs, weights=overlaps, minlength=images),
        np.bincount(of_pairs, weights=overlaps >= 0.5, minlength=images),
        np.bincount(of_pairs, weights=overlaps >= 0.7, minlength=images),
    ]
    parts = [np.stack(columns, axis=1).astype(np.float64).reshape(images, len(columns))]
    for field in fields:
        words = _count_words(field, matched)
        cells = matched.first_words[field] * words + matched.second_words[field]
        flat = of_pairs * words**2 + cells[rows.matched]
        counts = np.bincount(flat, minlength=images * words**2)
        parts.append(counts.astype(np.float64).reshape(images, words**2))
    return np.concatenate(parts, axis=1)


class _Figures:
    """Reads the figures of a group from summed tallies."""

    def __init__(self, matched: MatchedPairs, fields: Sequence[str]) -> None:
        self._sizes = [_count_words(field, matched) for field in fields]

    def compute(self, sums: Array) -> Array:
        """Both, mean overlap, over 0.5, over 0.7; then share, kappa and alpha of each field."""
        drawn, pairs, overlaps, over_50, over_70 = sums[:, :5].T
        figures = [ratio(pairs, drawn - pairs)]
        figures += [ratio(part, pairs) for part in (overlaps, over_50, over_70)]
        start = 5
        for words in self._sizes:
            tables = sums[:, start : start + words**2].reshape(len(sums), words, words)
            start += words**2
            agreed = np.trace(tables, axis1=1, axis2=2)
            figures += [ratio(agreed, pairs), cohen_kappa(tables), krippendorff_alpha(tables)]
        return np.stack(figures, axis=1)


def _count_words(field: str, matched: MatchedPairs) -> int:
    sizes = {"class": len(matched.classes), "view": len(VIEWS)}
    return sizes.get(field, _FLAG_WORDS)


def _read_fields(
    fields: Sequence[str], figures: list[Interval], *, is_pair: bool
) -> Iterator[FieldAgreement]:
    for place, field in enumerate(fields):
        share, kappa, alpha = figures[3 * place : 3 * place + 3]
        yield FieldAgreement(field, share, kappa if is_pair else None, alpha)


def _find_strata(matched: MatchedPairs, rows: _Rows) -> Iterator[Found]:
    """What each pair of people found in the group's images; pairs differ in how well they see."""
    people = matched.people[rows.images]
    drawn_people = matched.people[matched.object_image]
    pair_people = matched.people[matched.pair_image]
    for first, second in sorted({(int(a), int(b)) for a, b in people}):
        drawn = rows.drawn & (drawn_people == (first, second)).all(axis=1)
        both = rows.matched & (pair_people == (first, second)).all(axis=1)
        sides = matched.object_side[drawn]
        yield Found(int((sides == 0).sum()), int((sides == 1).sum()), int(both.sum()))
