"""How long the checks, the agreement and the organiser's pages take on a large party.

    python -m benchmarks.qa_checks [--images 20000] [--objects 50000] [--folder DIR] [--times 40]

Prints JSON, with seconds by the clock and of processor time: the latter are what a machine with
nothing else to do would take. The answers are those of `vocparty serve` in a process of its own,
over HTTP. The limits are the project's own: the checks under 30 s, each answer of the board under
200 ms, on 2 cores.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TypeVar

from catalog.party import Party, open_party
from qa.agreement_matrix import load_agreement_matrix
from qa.check_list import check_names
from qa.class_progress import load_class_progress, load_class_secs, plan_class_targets
from qa.finding_rows import count_open, list_findings, load_check_records
from qa.hours import load_hours
from qa.jobs import check_party, measure_party
from qa.people_progress import load_people_progress
from qa.standing import load_standing
from qa.submission import check_submission
from qa.wall import load_wall

from .qa_answers import measure_answers
from .qa_party import START, write_party

T = TypeVar("T")
REPEATS = 9


def main() -> None:
    """Make the party, measure, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=20_000)
    parser.add_argument("--objects", type=int, default=50_000)
    parser.add_argument("--drafts", type=int, default=2, help="saved on the way, by image")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--times", type=int, default=40, help="answers of the server by route")
    parser.add_argument("--only-answers", action="store_true", help="leave out jobs and functions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch) / "party"
        if not folder.exists():
            write_party(
                folder, images=options.images, objects=options.objects, drafts=options.drafts
            )
        found: dict[str, object] = {}
        if not options.only_answers:
            with open_party(folder) as party:
                found = measure(party)
        found["answers"] = measure_answers(folder, times=options.times)
        print(json.dumps(found, indent=2))


def measure(party: Party) -> dict[str, object]:
    """Seconds of the jobs, milliseconds of what the pages call."""
    at = START + timedelta(days=30)
    first, report = time_once(lambda: check_party(party, at))
    counts = (len(report.images), report.objects, len(report.findings))
    del report  # a server holds no such heap
    second, _ = time_once(lambda: check_party(party, at))
    agreement, _ = time_once(lambda: measure_party(party, at))
    print("jobs measured", file=sys.stderr)
    return {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "images": counts[0],
        "objects": counts[1],
        "findings": counts[2],
        "checks_first_run": asdict(first),
        "checks_second_run": asdict(second),
        "agreement": asdict(agreement),
        "functions": measure_functions(party),
        "submission": measure_submission(party),
    }


def measure_functions(party: Party) -> dict[str, dict[str, float]]:
    """The median of some answers of each function that the pages call, in milliseconds."""
    at = START + timedelta(days=30)
    targets = plan_class_targets(party.settings, party.preset.class_names)
    with party.catalogue.reading() as session:
        answers: dict[str, Callable[[], object]] = {
            "standing": lambda: load_standing(session, at=at),
            "class_progress": lambda: load_class_progress(session, targets, per_hour=1.0),
            "people": lambda: load_people_progress(session),
            "class_secs": lambda: load_class_secs(session),
            "hours": lambda: load_hours(session),
            "wall": lambda: load_wall(session),
            "findings_open": lambda: count_open(session),
            "findings_page": lambda: list_findings(session, limit=50),
            "check_records": lambda: load_check_records(session, check_names()),
            "agreement_matrix, all matched": lambda: load_agreement_matrix(
                session, party.settings.qa
            ),
        }
        return {name: time_median(answer) for name, answer in answers.items()}


def measure_submission(party: Party) -> dict[str, float]:
    """The median of the checks of an image that goes on to checking, in milliseconds."""
    image_ids = iter(range(1, REPEATS + 1))
    with party.catalogue.writing() as session:

        def submit() -> None:
            at, image_id = START + timedelta(days=30), next(image_ids)
            check_submission(session, image_id, party.preset, party.settings, at=at)

        return time_median(submit)


@dataclass(frozen=True)
class Times:
    """Seconds by the clock and of the processor."""

    clock_secs: float
    processor_secs: float


def time_once(work: Callable[[], T]) -> tuple[Times, T]:
    """How long it took, and what came out."""
    clock, processor = perf_counter(), process_time()
    answer = work()
    times = Times(round(perf_counter() - clock, 2), round(process_time() - processor, 2))
    return times, answer


def time_median(work: Callable[[], object]) -> dict[str, float]:
    """The medians of some runs, in milliseconds."""
    times = [_time_ms(work) for _ in range(REPEATS)]
    clock, processor = zip(*times, strict=True)
    return {"clock_ms": round(median(clock), 1), "processor_ms": round(median(processor), 1)}


def _time_ms(work: Callable[[], object]) -> tuple[float, float]:
    clock, processor = perf_counter(), process_time()
    work()
    return (perf_counter() - clock) * 1000, (process_time() - processor) * 1000


if __name__ == "__main__":
    main()
