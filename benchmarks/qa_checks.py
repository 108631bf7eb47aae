"""How long the checks, the agreement and what the board counts take on a large party.

    python -m benchmarks.qa_checks --images 20000 --objects 50000

Prints JSON, with seconds by the clock and of processor time: the latter are what a machine with
nothing else to do would take. The limit of the project is 30 s for all checks, on 2 cores. With
--recapture DRAWS it says instead how often the interval of what two people both missed holds the
truth: each finds every object by chance, with a share of their own.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import click
import numpy as np

from catalog.party import Party, open_party
from qa.agreement_matrix import load_agreement_matrix
from qa.class_progress import load_class_progress, load_class_secs, plan_class_targets
from qa.counts import load_people_progress, load_state_counts, load_wall
from qa.finding_rows import list_findings
from qa.hours import load_hours
from qa.jobs import check_party, measure_party
from qa.recapture import Found, Missed, estimate_missed
from qa.submission import check_submission

from .qa_party import START, write_party

AT = START + timedelta(days=30)
RATES = ((0.98, 0.98), (0.95, 0.95), (0.9, 0.8), (0.6, 0.5))
SIZES = (10, 40, 100, 500, 5000)


@click.command(help=__doc__)
@click.option("--images", default=20_000, show_default=True)
@click.option("--objects", default=50_000, show_default=True)
@click.option("--recapture", type=int, metavar="DRAWS")
def main(images: int, objects: int, recapture: int | None) -> None:
    """Make the party, measure, print."""
    if recapture:
        print_recapture(recapture)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "party"
        write_party(folder, images=images, objects=objects)
        with open_party(folder) as party:
            click.echo(json.dumps(measure(party), indent=2))


def measure(party: Party) -> dict[str, dict[str, float]]:
    """Seconds of the jobs and of what the board calls."""
    targets = plan_class_targets(party.settings, party.preset.class_names)
    times = {
        "every check, first run": time_once(lambda: check_party(party, AT)),
        "every check, second run": time_once(lambda: check_party(party, AT)),
        "agreement": time_once(lambda: measure_party(party, AT)),
    }
    with party.catalogue.writing() as session:
        settings = party.settings
        answers: dict[str, Callable[[], object]] = {
            "states": lambda: load_state_counts(session, at=AT),
            "classes": lambda: load_class_progress(session, targets, per_hour=1.0),
            "people": lambda: load_people_progress(session),
            "seconds an object": lambda: load_class_secs(session),
            "hours": lambda: load_hours(session),
            "wall": lambda: load_wall(session),
            "findings": lambda: list_findings(session, limit=50),
            "agreement matrix": lambda: load_agreement_matrix(session, settings.qa),
            "submission": lambda: check_submission(session, 1, party.preset, settings, at=AT),
        }
        return times | {name: time_once(answer) for name, answer in answers.items()}


def time_once(work: Callable[[], object]) -> dict[str, float]:
    """Seconds by the clock and of the processor."""
    clock, processor = perf_counter(), process_time()
    work()
    return {
        "clock_secs": round(perf_counter() - clock, 3),
        "processor_secs": round(process_time() - processor, 3),
    }


def print_recapture(draws: int) -> None:
    """Print a line for every two rates and number of objects."""
    click.echo("first  second  objects  held    width, median")
    for first, second in RATES:
        for objects in SIZES:
            drawn = draw_missed(first, second, objects, draws)
            width = median(missed.high - missed.low for missed, _ in drawn)
            held = f"{share_held(drawn):.1%}"
            click.echo(f"{first:>5.0%}  {second:>6.0%}  {objects:>7}  {held}  {width:.0f}")


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


if __name__ == "__main__":
    main()
