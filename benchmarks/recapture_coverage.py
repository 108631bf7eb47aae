"""How often the interval of what two people both missed holds the truth, by rate and size.

    python -m benchmarks.recapture_coverage --draws 2000

Two people find every object by chance, each with a share of their own; the same draws every time.
Then two people annotate images in three ways that mislead a plain count of boxes.
"""

from __future__ import annotations

from statistics import median

import click
import numpy as np

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from qa.agreement import measure_all, measure_classes
from qa.findings import SeenTwice
from qa.matching import match_pairs
from qa.recapture import Found, Missed, estimate_missed

RATES = ((0.98, 0.98), (0.95, 0.95), (0.9, 0.8), (0.6, 0.5))
SIZES = (10, 40, 100, 500, 5000)


def draw_missed(
    first: float, second: float, objects: int, draws: int, *, seed: int = 0
) -> list[tuple[Missed, int]]:
    """The estimate, and how many objects neither found, of each draw."""
    shares = [first * second, first * (1 - second), (1 - first) * second]
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(objects, [*shares, 1 - sum(shares)], size=draws)
    return [
        (estimate_missed([Found(both + one, both + other, both)]), neither)
        for both, one, other, neither in counts.tolist()
    ]


def share_held(drawn: list[tuple[Missed, int]]) -> float:
    """The share of the intervals that hold the truth."""
    return sum(missed.low <= truth <= missed.high for missed, truth in drawn) / len(drawn)


CASES = ("riders, 30 % missed", "small ones seen by half", "10 % of one class confused")


def annotate_twice(case: str, images: int, rng: np.random.Generator) -> tuple[list[SeenTwice], int]:
    """What two people drew, and how many objects neither did.

    A rider and a motorbike overlap by 0.3 to 0.65, and both people miss 30 % of them; or every
    other object is small and half as often seen, by both people; or a dog is called a cat.
    """
    pairs, neither = [], 0
    for number in range(images):
        side = 100 + int(rng.integers(0, 60))
        shift = int(side * rng.uniform(0.21, 0.53)) if case == CASES[0] else 150
        size = 20 if case == CASES[1] else side
        names = ("dog", "dog") if case == CASES[2] else ("person", "motorbike")
        boxes = [
            Box(10, 10, 10 + side, 10 + side),
            Box(10, 10 + shift, 10 + size, 10 + shift + size),
        ]
        shares = {CASES[0]: (0.7, 0.7), CASES[1]: (0.95, 0.5), CASES[2]: (0.97, 0.97)}[case]
        sees = rng.random((2, 2)) < np.array(shares)
        neither += int((~sees.any(axis=0)).sum())
        drawn = []
        for person in range(2):
            is_cat = (rng.random(2) < 0.1) & (case == CASES[2])
            given = ["cat" if cat else name for cat, name in zip(is_cat, names, strict=True)]
            drawn.append(
                tuple(
                    AnnotatedObject(at + 1, f"{at}", given[at], _tremble(boxes[at], rng))
                    for at in range(2)
                    if sees[person, at]
                )
            )
        pairs.append(SeenTwice(number, 1, 2, drawn[0], drawn[1]))
    return pairs, neither


def _tremble(box: Box, rng: np.random.Generator) -> Box:
    return Box(*(side + int(by) for side, by in zip(box.xyxy, rng.integers(-1, 2, 4), strict=True)))


def print_cases(images: int) -> None:
    """Print a line for each way to annotate, and one for each class of the last."""
    for case in CASES:
        pairs, neither = annotate_twice(case, images, np.random.default_rng(1))
        matched = match_pairs(pairs, ("person", "motorbike", "dog", "cat"), least_overlap=0.3)
        one = measure_all(matched)
        click.echo(
            f"{case}: both have {one.both.value:.3f}, missed {_show(one.missed)} for a true "
            f"{neither}, {sum(it.objects for it in one.confusions)} called two classes"
        )
    for of_class in measure_classes(matched):
        click.echo(f"  {of_class.class_name}: missed {_show(of_class.missed)}")


def _show(missed: Missed) -> str:
    return f"{missed.missed:.1f} ({missed.low:.0f} to {missed.high:.0f})"


@click.command(help=__doc__)
@click.option("--draws", default=2000, show_default=True)
def main(draws: int) -> None:
    """Print a line for every two rates and number of objects."""
    click.echo("first  second  objects  held    width, median")
    for first, second in RATES:
        for objects in SIZES:
            drawn = draw_missed(first, second, objects, draws)
            width = median(missed.high - missed.low for missed, _ in drawn)
            click.echo(
                f"{first:>5.0%}  {second:>6.0%}  {objects:>7}  {share_held(drawn):.1%}  {width:.0f}"
            )
    print_cases(1500)


if __name__ == "__main__":
    main()
