"""How often the interval of what two people both missed holds the truth, by rate and size.

    python -m benchmarks.recapture_coverage --draws 2000

Two people find every object by chance, each with a share of their own; the same draws every time.
"""

from __future__ import annotations

from statistics import median

import click
import numpy as np

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


if __name__ == "__main__":
    main()
