"""How long the checks, the agreement and what the board counts take on a large party.

    python -m benchmarks.qa_checks --images 20000 --objects 50000
    python -m benchmarks.qa_checks --images 100000 --objects 250000 --lookup

Prints JSON, with seconds by the clock and of processor time: the latter are what a machine with
nothing else to do would take. The limit of the project is 30 s for all checks, on 2 cores. With
`--lookup` it measures only the page Images by each filter, whose limit is 0.2 s.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import click

from annotate_ui.organise.hours import load_hours
from annotate_ui.organise.lookup import OBJECT_FILTERS, find_images, make_conditions
from catalog.party import Party, open_party
from qa.agreement_matrix import load_agreement_matrix
from qa.class_progress import load_class_progress, load_class_secs, plan_class_targets
from qa.counts import load_people_progress, load_state_counts, load_wall
from qa.finding_rows import list_findings
from qa.jobs import check_party, measure_party
from qa.submission import check_submission

from .qa_party import START, write_party

AT = START + timedelta(days=30)


@click.command(help=__doc__)
@click.option("--images", default=20_000, show_default=True)
@click.option("--objects", default=50_000, show_default=True)
@click.option("--lookup", is_flag=True)
def main(images: int, objects: int, lookup: bool) -> None:
    """Make the party, measure, print."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "party"
        write_party(folder, images=images, objects=objects)
        with open_party(folder) as party:
            times = measure_lookup(party) if lookup else measure(party)
            click.echo(json.dumps(times, indent=2))


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


LOOKED_UP = {
    "id": "5", "state": "checked", "class": "dog", "view": "left", "flag": "truncated",
    "part": "head", "action": "running", "reason": "poor", "person": "person 3", "query": "dog",
    "owner": "7", "since": "2026-01-31", "until": "2026-02-01", "set": "train", "finding": "any",
    "text": "a word that no image has",
}  # fmt: skip


def measure_lookup(party: Party) -> dict[str, dict[str, float]]:
    """Seconds of a page of images by no filter, by each, and by all of objects at once."""
    of_objects = {name: LOOKED_UP[name] for name in OBJECT_FILTERS}
    asked = {"all images": {}, "of objects": of_objects} | {
        name: {name: word} for name, word in LOOKED_UP.items()
    }
    with party.catalogue.writing() as session:
        return {
            name: time_once(partial(find_images, session, make_conditions(filters)))
            for name, filters in asked.items()
        }


def time_once(work: Callable[[], object]) -> dict[str, float]:
    """Seconds by the clock and of the processor."""
    clock, processor = perf_counter(), process_time()
    work()
    return {
        "clock_secs": round(perf_counter() - clock, 3),
        "processor_secs": round(process_time() - processor, 3),
    }


if __name__ == "__main__":
    main()
