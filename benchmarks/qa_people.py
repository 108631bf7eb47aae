"""Parties of honest people among whom one draws too large or never marks a class, and none does.

Honest people differ too: in how their hands tremble, in the size of what they met, in how many
images they did, and in when they were there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from catalog.box import Box
from catalog.preset import load_preset
from catalog.settings import make_settings
from qa.checks import run_person_checks
from qa.intervals import Interval, estimate_share
from qa.subjects import CheckedImage, CheckedObject, PartyWork, SeenTwice

VOC2012 = load_preset("voc2012")
SETTINGS = make_settings({"name": "Party of people"})
PEOPLE = range(1, 7)
ODD_ONE = 3
DOUBLES_OF_TWO = 12
HONEST_BIAS = 0.01
SHEEP = "sheep"

Work = Callable[[np.random.Generator], PartyWork]
Counts = tuple[int, int]


def measure_people(parties: int, *, seed: int = 0) -> dict[str, Interval]:
    """How often the odd one of a party is named, and how often anybody who is honest."""
    bias, never = "box_size_bias", "class_never_marked"
    planted: dict[str, tuple[str, Work]] = {
        **{
            f"draws {share:.0%} too large": (bias, _biased(share))
            for share in (0.03, 0.05, 0.08, 0.12)
        },
        **{
            f"never marks a class of {share:.0%} of the images": (never, _blind_to(share))
            for share in (0.02, 0.05, 0.15)
        },
    }
    honest: dict[str, tuple[str, Work]] = {
        "honest; hands tremble unevenly": (bias, _biased(0.0)),
        "honest; some did few images": (never, _blind_to(0.0)),
    }
    odd = {
        who: estimate_share(_count_named(check, work, parties, seed)[0], parties)
        for who, (check, work) in planted.items()
    }
    of_honest = {
        who: estimate_share(sum(_count_named(check, work, parties, seed)), parties * len(PEOPLE))
        for who, (check, work) in honest.items()
    }
    away, _ = _count_named(never, _away_from_sheep, parties, seed)
    return (
        odd | of_honest | {"honest; away while a class came first": estimate_share(away, parties)}
    )


def _count_named(check: str, work: Work, parties: int, seed: int) -> Counts:
    """How often the check named the odd one, and how many others."""
    odd, others = 0, 0
    for party in range(parties):
        rng = np.random.default_rng([seed, party])
        found = run_person_checks(work(rng), VOC2012, SETTINGS)
        named = {one.person_id for one in found if one.check == check}
        odd += ODD_ONE in named
        others += len(named - {ODD_ONE})
    return odd, others


def _biased(share: float) -> Work:
    """Images that two annotated; the odd one's boxes are so much wider and higher."""

    def make(rng: np.random.Generator) -> PartyWork:
        biases = {person: float(rng.normal(0, HONEST_BIAS)) for person in PEOPLE}
        biases[ODD_ONE] += share
        trembles = {person: float(rng.uniform(1, 4)) for person in PEOPLE}
        seen = []
        for number, (one, other) in enumerate(_iterate_pairs()):
            truth = [_draw_side(rng) for _ in range(int(rng.integers(1, 5)))]
            drawn = [_draw(truth, biases[who], trembles[who], rng) for who in (one, other)]
            seen.append(SeenTwice(number, one, other, drawn[0], drawn[1]))
        return PartyWork({}, (), tuple(seen))

    return make


def _iterate_pairs() -> Iterator[tuple[int, int]]:
    for pair in combinations(PEOPLE, 2):
        for _ in range(DOUBLES_OF_TWO):
            yield pair


def _draw_side(rng: np.random.Generator) -> float:
    """The side of an object in pixels: most are some dozens, some fill the image."""
    return float(np.clip(rng.lognormal(4.3, 0.7), 15, 400))


def _draw(
    sides: list[float], bias: float, tremble_px: float, rng: np.random.Generator
) -> tuple[CheckedObject, ...]:
    """Squares of these sides, each far from the others."""
    drawn = []
    for number, side in enumerate(sides, start=1):
        reach = side * (1 + bias) / 2
        middle = 1000 * number
        edges = np.array([-reach, -reach, reach, reach]) + rng.normal(0, tremble_px, size=4)
        left, top, right, bottom = (middle + np.sort(edges.reshape(2, 2), axis=0)).ravel()
        box = Box(int(left), int(top), int(right), int(bottom))
        drawn.append(CheckedObject(number, f"o{number}", "car", box))
    return tuple(drawn)


def _blind_to(share: float) -> Work:
    """Images of everybody, so many with sheep, which the odd one does not mark.

    Where the share is nothing sheep are on one image in fifty, and everybody marks them.
    """

    def make(rng: np.random.Generator) -> PartyWork:
        images = []
        for person in PEOPLE:
            count = 200 if share and person == ODD_ONE else int(rng.integers(20, 300))
            has_sheep = rng.random(count) < (share or 0.02)
            marks = not (share and person == ODD_ONE)
            images += [_show(person, marks and bool(one)) for one in has_sheep]
        return PartyWork({}, tuple(images), ())

    return make


def _away_from_sheep(rng: np.random.Generator) -> PartyWork:
    """Everybody but the odd one was there while a class came first in the queue."""
    images = []
    for person in PEOPLE:
        rare, first = rng.random(150) < 0.005, rng.random(100) < 0.3
        met = rare.tolist() + ([] if person == ODD_ONE else first.tolist())
        images += [_show(person, one) for one in met]
    return PartyWork({}, tuple(images), ())


def _show(person: int, has_sheep: bool) -> CheckedImage:
    names = ("person", SHEEP) if has_sheep else ("person",)
    objects = tuple(
        CheckedObject(number, f"o{number}", name, Box(1, 1, 50, 50))
        for number, name in enumerate(names, start=1)
    )
    return CheckedImage(0, 500, 375, objects, person_id=person)
