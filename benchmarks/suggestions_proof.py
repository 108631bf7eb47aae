"""What suggestions of detectors of known precision and recall save, with people of known seconds.

Inputs of each act are counted on the real annotation page in Chromium. Seconds of each act are
those of suggestions_seconds.toml, published figures; --seconds names another table, and --from a
party whose images give them. Images are made: objects, what a detector finds of them and suggests
besides, and what people do with it. Half of the images show suggestions; intervals are 95 %, by
bootstrap over images. Seconds and inputs are those of an image, and the share that is saved is also
given of an object, as the board does. What is missed more is in percentage points; wrong boxes that
were accepted, and loose ones, are of 100 objects. Last comes the precision from which on
suggestions save anything, and a tenth, below which the board advises against them.

    python -m benchmarks.suggestions_proof --images 2000 --seed 0
    python -m benchmarks.suggestions_proof --without-views
    python -m benchmarks.suggestions_proof --from PARTY
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import sync_playwright
from scipy.optimize import brentq, nnls
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.party import Party, open_party
from catalog.states import Suggested
from catalog.tables import Object, SuggestionRejection
from qa.suggestion_effect import LEAST_SAVING
from qa.suggestion_rows import load_first_annotations
from tests.browser import QUIET, find_chromium

from .suggestion_inputs import count_inputs

ACTS = ("draw", "accept", "correct", "reject", "finish")
PUBLISHED = Path(__file__).with_name("suggestions_seconds.toml")
QUALITIES = (0.3, 0.6, 0.9)
OBJECTS_AN_IMAGE = 2.5  # of VOC2007, IJCV 2010, section 3.4
SPREAD = 0.4  # of the logarithm of the seconds of an act, as of simulate/habits.py
RESAMPLES = 1000
COLUMNS = (
    "precision",
    "recall",
    "s without",
    "s with",
    "% fewer",
    "an object",
    "inputs without",
    "inputs with",
    "% fewer",
    "an object",
    "missed more",
    "wrong",
    "loose",
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Shares:
    """What people and detectors do, as the table's [shares] explains each."""

    miss: float
    miss_beside: float
    accept_wrong: float
    tight: float
    accept_loose: float


@dataclass(frozen=True)
class Detector:
    """Which share of the suggestions is right, and which share of the objects is suggested."""

    precision: float
    recall: float


@dataclass(frozen=True)
class Work:
    """What people did in each image: how often each act, and what they left wrong."""

    acts: Mapping[str, Ints]
    objects: Ints
    missed: Ints
    wrong: Ints
    loose: Ints

    def total(self, prices: Mapping[str, float]) -> Floats:
        """Of each image the sum over its acts."""
        total: Floats = np.sum([self.acts[act] * prices[act] for act in ACTS], axis=0)
        return total

    def count_objects(self) -> Ints:
        """Of each image what people made objects of, right or wrong."""
        return self.acts["draw"] + self.acts["accept"] + self.acts["correct"]


def draw_by_hand(shares: Shares, images: int, rng: np.random.Generator) -> Work:
    """The images that show no suggestions."""
    objects = _make_objects(images, rng)
    missed = rng.binomial(objects, shares.miss)
    none = np.zeros(images, np.int64)
    acts = dict.fromkeys(ACTS, none) | {"draw": objects - missed, "finish": none + 1}
    return Work(acts, objects, missed, none, none)


def handle_suggestions(
    shares: Shares, detector: Detector, images: int, rng: np.random.Generator
) -> Work:
    """The images that show a detector's suggestions."""
    objects = _make_objects(images, rng)
    right = rng.binomial(objects, detector.recall)
    wrong = rng.poisson(_count_wrong(detector), images)
    loose = right - rng.binomial(right, shares.tight)
    kept_loose = rng.binomial(loose, shares.accept_loose)
    kept_wrong = rng.binomial(wrong, shares.accept_wrong)
    missed = rng.binomial(objects - right, shares.miss_beside)
    acts = {
        "draw": objects - right - missed,
        "accept": right - loose + kept_loose + kept_wrong,
        "correct": loose - kept_loose,
        "reject": wrong - kept_wrong,
        "finish": np.ones(images, np.int64),
    }
    return Work(acts, objects, missed, kept_wrong, kept_loose)


def _make_objects(images: int, rng: np.random.Generator) -> Ints:
    """At least one in each image."""
    return 1 + rng.poisson(OBJECTS_AN_IMAGE - 1, images)


def _count_wrong(detector: Detector) -> float:
    """The mean number of wrong suggestions of an image."""
    right = OBJECTS_AN_IMAGE * detector.recall
    return right * (1 - detector.precision) / detector.precision


def spend(work: Work, secs: Mapping[str, float], rng: np.random.Generator) -> Floats:
    """The seconds of each image; those of an act are log-normal around their mean."""
    total = np.zeros(len(work.objects))
    for act in ACTS:
        counts = work.acts[act]
        times = secs[act] * rng.lognormal(-(SPREAD**2) / 2, SPREAD, counts.sum())
        of_image = np.repeat(np.arange(len(counts)), counts)
        total += np.bincount(of_image, weights=times, minlength=len(counts))
    return total


@dataclass(frozen=True)
class Ratio:
    """A sum over images by another one, such as the seconds of an object."""

    parts: Floats
    wholes: Floats

    def measure(self, places: Ints | slice = slice(None)) -> float:
        """The ratio in these images, which may come several times."""
        return float(self.parts[places].sum() / self.wholes[places].sum())


def divide(parts: Floats | Ints, wholes: Floats | Ints | None = None) -> Ratio:
    """A ratio of images; to the images themselves, where nothing else is counted."""
    images = np.ones(len(parts))
    return Ratio(parts.astype(float), images if wholes is None else wholes.astype(float))


Change = Callable[[float, float], float]
"""How two figures differ: that without suggestions, that with them."""


def _find_saving(without: float, having: float) -> float:
    return 100 * (1 - having / without)


def _find_more(without: float, having: float) -> float:
    return 100 * (having - without)


def bootstrap(change: Change, both: Sequence[Ratio], rng: np.random.Generator) -> str:
    """The change and its interval; images of both kinds are drawn again, apart."""
    without, having = both
    images = len(without.parts)
    values = [
        change(*(ratio.measure(rng.integers(0, images, images)) for ratio in both))
        for _ in range(RESAMPLES)
    ]
    low, high = np.percentile(values, [2.5, 97.5])
    return f"{change(without.measure(), having.measure()):.1f} ({low:.1f} to {high:.1f})"


def compare(
    detector: Detector,
    prices: tuple[Mapping[str, float], Mapping[str, float]],
    shares: Shares,
    images: int,
    rng: np.random.Generator,
) -> str:
    """A row of the table; `prices` are the seconds and the inputs of each act."""
    secs, inputs = prices
    hand = draw_by_hand(shares, images, rng)
    helped = handle_suggestions(shares, detector, images, rng)
    cells = [f"{detector.precision:.1f}", f"{detector.recall:.1f}"]
    for spent in (
        [spend(work, secs, rng) for work in (hand, helped)],
        [work.total(inputs) for work in (hand, helped)],
    ):
        of_images = [divide(sums) for sums in spent]
        works = zip(spent, (hand, helped), strict=True)
        of_objects = [divide(sums, work.count_objects()) for sums, work in works]
        cells += [f"{ratio.measure():.1f}" for ratio in of_images]
        cells += [bootstrap(_find_saving, both, rng) for both in (of_images, of_objects)]
    missed = [divide(work.missed, work.objects) for work in (hand, helped)]
    cells.append(bootstrap(_find_more, missed, rng))
    errors = (helped.wrong, helped.loose)
    cells += [f"{100 * divide(error, helped.objects).measure():.1f}" for error in errors]
    return f"| {' | '.join(cells)} |"


def find_least_precision(
    prices: Mapping[str, float], shares: Shares, recall: float, saving: float
) -> float | None:
    """The precision from which on this share is saved on average; None where that is never."""

    def miss_goal(precision: float) -> float:
        without, having = _expect(prices, shares, Detector(precision, recall))
        return having / without - (1 - saving)

    if miss_goal(1.0) > 0:
        return None
    return float(brentq(miss_goal, 0.001, 1.0))


def _expect(prices: Mapping[str, float], shares: Shares, detector: Detector) -> tuple[float, float]:
    """The mean price of an image by hand, and with suggestions."""
    objects = OBJECTS_AN_IMAGE
    right = objects * detector.recall
    wrong = _count_wrong(detector)
    corrected = right * (1 - shares.tight) * (1 - shares.accept_loose)
    having = {
        "draw": (objects - right) * (1 - shares.miss_beside),
        "accept": right - corrected + wrong * shares.accept_wrong,
        "correct": corrected,
        "reject": wrong * (1 - shares.accept_wrong),
        "finish": 1.0,
    }
    without = objects * (1 - shares.miss) * prices["draw"] + prices["finish"]
    return without, sum(having[act] * prices[act] for act in ACTS)


def read_table(path: Path, *, has_views: bool) -> tuple[dict[str, float], Shares]:
    """The seconds of each act, summed over its parts, and the shares."""
    table = tomllib.loads(path.read_text("utf-8"))
    secs = {
        act: sum(part["secs"] for part in table[act] if has_views or not part.get("is_view"))
        for act in ACTS
    }
    return secs, Shares(**table["shares"])


def fit_seconds(party: Party) -> dict[str, float]:
    """The seconds of each act that explain best what a party's images took, none below zero.

    Least squares over the first annotations of the images that a set covers.
    """
    with party.catalogue.reading() as session:
        firsts = load_first_annotations(session)
        counts = _count_acts(session, [annotation_id for annotation_id, _, _ in firsts])
    if len(firsts) < 10 * len(ACTS):
        raise SystemExit(f"{len(firsts)} images are too few; {10 * len(ACTS)} are needed.")
    secs, _residual = nnls(counts, np.array([effort.secs for _, _, effort in firsts]))
    return dict(zip(ACTS, secs.tolist(), strict=True))


def _count_acts(session: Session, annotation_ids: list[int]) -> Floats:
    """How often each act happened in each of these annotations."""
    made: dict[Any, dict[int, int]] = {None: {}, Suggested.ACCEPTED: {}, Suggested.CORRECTED: {}}
    objects = select(Object.suggested, Object.annotation_id, func.count())
    for how, annotation_id, count in session.execute(
        objects.group_by(Object.suggested, Object.annotation_id)
    ):
        made[how][annotation_id] = count
    of_revision = SuggestionRejection.annotation_id
    rejected = dict(
        session.execute(select(of_revision, func.count()).group_by(of_revision)).tuples().all()
    )
    columns = [*made.values(), rejected]
    return np.array(
        [[*(column.get(number, 0) for column in columns), 1] for number in annotation_ids], float
    )


def main() -> None:
    """Print the seconds and inputs of each act, the table, and the break-even precision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=2000, help="of either kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=Path, default=PUBLISHED, help="a table of seconds")
    parser.add_argument("--from", dest="party", type=Path, help="a party that gives the seconds")
    parser.add_argument("--without-views", action="store_true", help="people give no views")
    given = parser.parse_args()
    has_views = not given.without_views
    secs, shares = read_table(given.seconds, has_views=has_views)
    if given.party:
        with open_party(given.party) as party:
            secs = fit_seconds(party)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        inputs = count_inputs(Path(folder) / "party", browser, has_views=has_views)
        browser.close()
    print("| act | seconds | inputs |\n|---|---|---|")
    for act in ACTS:
        print(f"| {act} | {secs[act]:.2f} | {inputs[act]:.2f} |")
    print(f"\n| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
    rng = np.random.default_rng(given.seed)
    for precision in QUALITIES:
        for recall in QUALITIES:
            detector = Detector(precision, recall)
            print(compare(detector, (secs, inputs), shares, given.images, rng))
    head = ("recall", "seconds fewer from", "by a tenth", "inputs fewer from", "by a tenth")
    print(f"\n| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for recall in QUALITIES:
        least = [
            find_least_precision(prices, shares, recall, saving)
            for prices in (secs, inputs)
            for saving in (0.0, LEAST_SAVING)
        ]
        cells = ["never" if number is None else f"{number:.2f}" for number in least]
        print(f"| {recall:.1f} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
