"""What 104 submissions, a year of two a week, gain over chance from what a challenge's board shows.

The attacker has no method: every submission holds two random rankings of the test images for each
class, one for comp1 and one for comp2, which have the same labels; the next ones are made of what
was shown for those before. The best of four attacks counts: rankings weighted by their shown
scores, and small, middling and large changes of the best ranking so far, kept where the shown score
rises. The gain is the mean AP of the last submission on the whole test set, less that of a random
one. A tenth of the images shows each class.

    python -m benchmarks.challenge_attack [--trials 20] [--images 1000] [--classes 1]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from challenge.making import choose_step
from challenge.showing import is_move

Floats = NDArray[np.float64]
SUBMISSIONS = 104
RANKINGS = 2 * SUBMISSIONS
SHARE = 0.1


@dataclass(frozen=True)
class Protection:
    """How scores are shown: rounded to so many percent points, moving by a step, on a part."""

    name: str
    rounding: float = 0.1
    step: float = 0.0
    public_share: float = 1.0


def list_protections(classes: int) -> list[Protection]:
    """Those of a challenge of so many classes, none included; steps are in percent points."""
    step = 100 * choose_step(classes)
    return [
        Protection("none", rounding=0.0),
        Protection("rounded to 0.1 %"),
        Protection(f"the default: rounded, step {step:.1f}", step=step),
        Protection("rounded, public part 30 %", public_share=0.3),
        Protection(f"rounded, step {step:.1f}, public 30 %", step=step, public_share=0.3),
    ]


def measure_aps(scores: Floats, labels: NDArray[np.bool_]) -> Floats:
    """The AP of each class (rows) by the rules of 2012, in percent."""
    order = np.argsort(-scores, axis=1, kind="stable")
    right = np.take_along_axis(labels, order, axis=1)
    precision = np.cumsum(right, axis=1) / np.arange(1, labels.shape[1] + 1)
    highest = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(100 * (highest * right).sum(axis=1) / np.maximum(right.sum(axis=1), 1))


class Board:
    """Shows an attacker the scores of a submission by class, or nothing."""

    def __init__(self, labels: NDArray[np.bool_], protection: Protection) -> None:
        count = round(protection.public_share * labels.shape[1])
        self._labels = labels[:, :count]
        self._protection = protection
        self._best = -np.inf

    def show(self, scores: Floats) -> Floats | None:
        """The score of each class; None where it is not enough above the best."""
        aps = measure_aps(scores[:, : self._labels.shape[1]], self._labels)
        protection = self._protection
        if protection.rounding:
            aps = np.round(aps / protection.rounding) * protection.rounding
        if protection.step and not is_move(float(aps.mean()), self._best, protection.step):
            return None
        self._best = max(self._best, float(aps.mean()))
        return aps


def weight(board: Board, shape: tuple[int, int], chance: np.random.Generator) -> Floats:
    """Random rankings added up, each by how far its shown score is above the mean of all."""
    shown = list[tuple[Floats, Floats]]()
    for _ in range(RANKINGS - 1):
        scores = chance.standard_normal(shape)
        if (aps := board.show(scores)) is not None:
            shown.append((scores, aps))
    mean = np.mean([aps for _, aps in shown], axis=0)
    added = sum(((aps - mean)[:, None] * scores for scores, aps in shown), np.zeros(shape))
    return np.asarray(added + 1e-9 * chance.standard_normal(shape))


def climb(
    board: Board, shape: tuple[int, int], chance: np.random.Generator, *, change: float
) -> Floats:
    """The best ranking so far, changed again and again; a class keeps what raised its score."""
    best = chance.standard_normal(shape)
    best_aps = board.show(best)
    assert best_aps is not None
    for _ in range(RANKINGS - 2):
        changed = best + change * chance.standard_normal(shape)
        aps = board.show(changed)
        if aps is None:
            continue
        is_higher = aps > best_aps
        best = np.where(is_higher[:, None], changed, best)
        best_aps = np.maximum(aps, best_aps)
    return best


Attack = Callable[[Board, tuple[int, int], np.random.Generator], Floats]


def measure_gain(
    attack: Attack, images: int, classes: int, protection: Protection, seed: int
) -> float:
    """By how much the last submission is above chance on the whole set, in AP from 0 to 1."""
    chance = np.random.default_rng(seed)
    labels = chance.random((classes, images)) < SHARE
    labels[:, :2] = True, False
    scores = attack(Board(labels, protection), labels.shape, chance)
    random = [measure_aps(chance.standard_normal(labels.shape), labels).mean() for _ in range(20)]
    return float(measure_aps(scores, labels).mean() - np.mean(random)) / 100


ATTACKS: tuple[Attack, ...] = (
    weight,
    partial(climb, change=0.5),
    partial(climb, change=1.0),
    partial(climb, change=2.0),
)


def find_gain(images: int, classes: int, protection: Protection, trials: int) -> float:
    """The mean gain of the best attack."""
    return max(
        sum(measure_gain(attack, images, classes, protection, seed) for seed in range(trials))
        / trials
        for attack in ATTACKS
    )


def main() -> None:
    """Print a table for one class and for twenty."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--images", type=int, nargs="+", default=[200, 1_000, 5_000])
    parser.add_argument("--classes", type=int, nargs="+", default=[1, 20])
    options = parser.parse_args()
    for classes in options.classes:
        print(f"Gain in AP of {SUBMISSIONS} submissions, {classes} classes: test images")
        print(f"{'protection':<44}" + "".join(f"{images:>8,}" for images in options.images))
        for protection in list_protections(classes):
            gains = [
                find_gain(images, classes, protection, options.trials) for images in options.images
            ]
            print(f"{protection.name:<44}" + "".join(f"{gain:>8.3f}" for gain in gains), flush=True)


if __name__ == "__main__":
    main()
