"""How long checks, agreement and the board take; how accurate the count of missed objects is.

    python -m benchmarks.qa_checks --images 20000 --objects 50000
    python -m benchmarks.qa_checks --images 100000 --objects 250000 --lookup
    python -m benchmarks.qa_checks --missed 2000

Prints JSON, with seconds by the clock and of processor time: the latter are what an idle machine
would take. The limit of the project is 30 s for all checks, on 2 cores. With
`--lookup` it measures only the page Images by each filter, whose limit is 0.2 s. With `--missed` it
prints in how many of that many draws the interval of what two people both missed holds the truth.
Two people find each object by chance, each with their own share; then they annotate images in
three ways that mislead a plain count of boxes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import click
import numpy as np
from sqlalchemy import insert, literal, select, update
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.party import Party, open_party
from catalog.states import ImageState, Source
from catalog.tables import Finding, Image, Object, Part, Photo, Query, Release, ReleaseImage
from qa import counts as board
from qa.agreement import make_matrix, measure_all, measure_classes
from qa.finding_rows import list_findings
from qa.findings import SeenTwice
from qa.jobs import check_party, measure_party
from qa.matching import match_pairs
from qa.recapture import Found, Missed, estimate_missed
from qa.work import load_blind_pairs
from tests.qa.rows import check_submission
from vockit.format.image_sets import Split
from work.hours import load_minutes
from work.lookup import OBJECT_FILTERS, find_images, make_conditions

from .qa_party import START, write_party

AT = START + timedelta(days=30)
RATES = ((0.98, 0.98), (0.95, 0.95), (0.9, 0.8), (0.6, 0.5))
SIZES = (10, 40, 100, 500, 5000)
SIDES = ("xmin", "ymin", "xmax", "ymax")


@click.command(help=__doc__)
@click.option("--images", default=20_000, show_default=True)
@click.option("--objects", default=50_000, show_default=True)
@click.option("--lookup", is_flag=True)
@click.option("--missed", type=int, metavar="DRAWS")
def main(images: int, objects: int, lookup: bool, missed: int | None) -> None:
    """Make the party, measure, print."""
    if missed is not None:
        print_missed(missed)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "party"
        write_party(folder, images=images, objects=objects)
        with open_party(folder) as party:
            times = measure_lookup(party) if lookup else measure(party)
            click.echo(json.dumps(times, indent=2))


def measure(party: Party) -> dict[str, dict[str, float]]:
    """Seconds of the jobs and of what the board calls."""
    targets = board.plan_class_targets(party.settings, party.preset.class_names)
    times = {
        "every check, first run": time_once(lambda: check_party(party, AT)),
        "every check, second run": time_once(lambda: check_party(party, AT)),
        "agreement": time_once(lambda: measure_party(party, AT)),
    }
    with party.catalogue.writing() as session:
        settings = party.settings
        answers: dict[str, Callable[[], object]] = {
            "states": lambda: board.load_state_counts(session, at=AT),
            "classes": lambda: board.load_class_progress(session, targets, per_hour=1.0),
            "people": lambda: board.load_people_progress(session),
            "seconds an object": lambda: board.load_class_secs(session),
            "hours": lambda: load_minutes(session),
            "wall": lambda: board.load_wall(session),
            "findings": lambda: list_findings(session, limit=50),
            "agreement matrix": lambda: make_matrix(
                load_blind_pairs(session), settings.qa.match_overlap
            ),
            "submission": lambda: check_submission(session, 1, party.preset, settings, at=AT),
        }
        return times | {name: time_once(answer) for name, answer in answers.items()}


LOOKED_UP = {
    "id": "5",
    "state": "checked",
    "class": "dog",
    "view": "left",
    "flag": "truncated",
    "part": "head",
    "action": "running",
    "reason": "poor",
    "person": "person 03",
    "query": "dog",
    "owner": "owner-7",
    "since": "2026-01-31",
    "until": "2026-02-01",
    "set": "train",
    "finding": "any",
    "text": "a word that no image has",
}
MORE = {
    "release": {"set": "VOC2026"},
    "split and class": {"set": "val", "class": "dog"},
    "one check": {"finding": "no_view"},
    "a rare finding": {"finding": "error"},
    "finding in train": {"finding": "any", "set": "train"},
    "a common word": {"text": "zoo"},
}


def fill_lookup(session: Session) -> None:
    """Queries, titles, parts, a release of the checked images, an open finding of each image."""
    classes = sorted(session.scalars(select(Object.class_name).distinct()))
    queries = [
        {"id": number, "source": Source.FLICKR, "class_id": name, "keyword": f"{name} animal"}
        for number, name in enumerate(classes, start=2)  # the party has a query already
    ]
    session.execute(insert(Query), queries)
    words = {"query_id": 2 + Photo.id % len(classes), "title": "At the zoo", "tags": "zoo, summer"}
    session.execute(update(Photo).values(words))
    actions = {"actions": ["running"]}
    session.execute(update(Object).where(Object.id % 50 == 0).values(actions))
    head = select(
        Object.id, literal(1), literal("head"), *(getattr(Object, side) for side in SIDES)
    )
    columns = ["object_id", "number", "name", *(f"box_{side}" for side in SIDES)]
    session.execute(insert(Part).from_select(columns, head.where(Object.id % 5 == 0)))
    session.execute(insert(Release), {"id": 1, "name": "VOC2026", "year": 2026, "created_at": AT})
    images = session.scalars(select(Image.id).order_by(Image.id)).all()
    checked = session.scalars(select(Image.id).where(Image.state == ImageState.CHECKED)).all()
    session.execute(insert(ReleaseImage), [_released(image_id) for image_id in checked])
    session.execute(insert(Finding), [_found(image_id) for image_id in images])


def _released(image_id: int) -> dict[str, Any]:
    split = (Split.TRAIN, Split.VAL, Split.TEST)[image_id % 3]
    ids = {"release_id": 1, "image_id": image_id, "annotation_id": image_id}
    return ids | {"split": split, "public_id": f"2026_{image_id:06}"}


def _found(image_id: int) -> dict[str, Any]:
    return {
        "finding_key": f"{image_id:064}",
        "check_name": ("no_view", "small", "double")[image_id % 3],
        "severity": "error" if image_id % 1000 == 0 else ("warning", "hint")[image_id % 2],
        "image_id": image_id,
        "subject_sha256": "0" * 64,
        "message": "No view set.",
        "badness": 1.0,
        "found_at": AT,
    }


def measure_lookup(party: Party) -> dict[str, dict[str, float]]:
    """Seconds of a page of images by no filter, by each, and by all of objects at once."""
    of_objects = {name: LOOKED_UP[name] for name in OBJECT_FILTERS}
    asked = {"all images": {}, "of objects": of_objects, **MORE} | {
        name: {name: word} for name, word in LOOKED_UP.items()
    }
    with party.catalogue.writing() as session:
        fill_lookup(session)
    with party.catalogue.writing() as session:
        return {
            name: time_once(partial(find_images, session, make_conditions(filters), limit=49))
            for name, filters in asked.items()
        }


def time_once(work: Callable[[], object]) -> dict[str, float]:
    """Seconds by the clock and of the processor."""
    clock = perf_counter()
    processor = process_time()
    work()
    return {
        "clock_secs": round(perf_counter() - clock, 3),
        "processor_secs": round(process_time() - processor, 3),
    }


def print_missed(draws: int) -> None:
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


def draw_missed(
    first: float, second: float, objects: int, draws: int, *, seed: int = 0
) -> list[tuple[Missed, int]]:
    """The estimate, and how many objects neither found, of each draw."""
    shares = [first * second, first * (1 - second), (1 - first) * second]
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(objects, [*shares, 1 - sum(shares)], size=draws)
    return [
        (estimate_missed([Found(both + only_first, both + only_second, both)]), neither)
        for both, only_first, only_second, neither in counts.tolist()
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
    pairs = []
    neither = 0
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
    return Box(
        *(side + int(shift) for side, shift in zip(box.xyxy, rng.integers(-1, 2, 4), strict=True))
    )


def print_cases(images: int) -> None:
    """Print a line for each way to annotate, and one for each class of the last."""
    for case in CASES:
        pairs, neither = annotate_twice(case, images, np.random.default_rng(1))
        matched = match_pairs(pairs, ("person", "motorbike", "dog", "cat"), least_overlap=0.3)
        measured = measure_all(matched)
        confused = sum(confusion.objects for confusion in measured.confusions)
        click.echo(
            f"{case}: both have {measured.both.value:.3f}, missed {_show(measured.missed)} "
            f"for a true {neither}, {confused} called two classes"
        )
    for of_class in measure_classes(matched):
        click.echo(f"  {of_class.class_name}: missed {_show(of_class.missed)}")


def _show(missed: Missed) -> str:
    return f"{missed.missed:.1f} ({missed.low:.0f} to {missed.high:.0f})"


if __name__ == "__main__":
    main()
