"""The next page of questions at 1,000 classes and 100,000 images, beside today's presence page.

Makes a party on SQLite whose images one query found, and lets people answer pages of 24 images as
the server does, each in a transaction of its own. Prints the median and the 95th percentile of
taking a page and of keeping its answers, and of a page of the presence pass; once while images are
added as they are needed, and once with an open question for each of the images.

    python -m benchmarks.questions_page --images 100000 --pages 60
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import insert, select

from catalog.hierarchy import Node
from catalog.image_store import digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, NodeKind, PhotoState, Role, Source
from catalog.tables import Image, Person, Photo, PresenceState, Query
from work.people import add_person
from work.presence.pages import Page, keep_answers, take_page
from work.presence.plans import get_plan
from work.presence.states import compute, describe_settled
from work.presence.thumbnails import list_thumbnails
from work.shared import SharedCounts
from work.visit import Visit

from .questions_simulation import make_regular

AT = datetime(2026, 1, 31, tzinfo=UTC)
PEOPLE = 4
CHILDREN = 8
SHOWN = 3
T = TypeVar("T")


def write_preset(classes: int) -> str:
    """A preset with so many classes in groups of groups."""
    hierarchy = make_regular(classes, CHILDREN)
    lines = list[str]()
    for node, parents in hierarchy.parents.items():
        if node.kind is NodeKind.ROOT:
            continue
        name = node.key.replace(" ", "-")
        listing = "groups" if node.kind is NodeKind.GROUP else "classes"
        above = [f'"{parent.key.replace(" ", "-")}"' for parent in parents if parent.key]
        lines.append(
            f'[[{listing}]]\nname = "{name}"\nwords = "a {name}"\nparents = [{", ".join(above)}]\n'
        )
    return "".join(lines)


def fill(party: Party, images: int) -> None:
    """The images, of one query, and the people."""
    shared = {"width": 500, "height": 375, "bytes": 1, "state": ImageState.POOL}
    shared |= {"state_at": AT, "stored_at": AT}
    numbers = range(1, images + 1)
    with party.catalogue.writing() as session:
        for number in range(PEOPLE):
            add_person(session, f"p{number}", Role.ANNOTATOR, token=f"token {number}", at=AT)
        query = Query(source=Source.FLICKR, class_id="class-0", keyword="c")
        session.add(query)
        session.flush()
        rows = [{"id": number, "sha256": digest_of(f"{number}".encode())} for number in numbers]
        session.execute(insert(Image), [row | shared for row in rows])
        fetched = {"source": Source.FLICKR, "state": PhotoState.FETCHED, "found_at": AT}
        photos = [{"image_id": number, "source_id": f"{number}"} for number in numbers]
        session.execute(insert(Photo), [row | fetched | {"query_id": query.id} for row in photos])


def open_all(party: Party) -> None:
    """An open question for each image, as if each had been asked for."""
    with party.catalogue.writing() as session:
        plan = get_plan(session, party, AT)
    likely = {Node(NodeKind.CLASS, "class-0"): 0.5}
    outcome = compute(plan, [], likely)
    assert outcome.next_node is not None
    values = {"plan_id": plan.id, "answers": 0, "settled": describe_settled(outcome.settled)}
    values |= {"next_kind": outcome.next_node.kind, "next_key": outcome.next_node.key}
    with party.catalogue.writing() as session:
        known = select(PresenceState.image_id)
        new = session.execute(select(Image.id, Image.sha256).where(Image.id.not_in(known)))
        rows = [{"image_id": key, "place": sha256} | values for key, sha256 in new.tuples()]
        session.execute(insert(PresenceState), rows)


class AnsweredParty:
    """People who answer pages, and how long each step took."""

    def __init__(self, party: Party) -> None:
        self.party = party
        self.lot = random.Random(1)
        self.shared = SharedCounts(is_kept=True)
        self.truth = dict[int, set[Node]]()

    def run(self, person_id: int, step: Callable[[Visit], T]) -> tuple[T, float]:
        """What a step of a person gives, and the milliseconds of its transaction."""
        began = time.perf_counter()
        with self.party.catalogue.writing() as session:
            person = session.get_one(Person, person_id)
            result = step(Visit(self.party, session, person, AT, shared=self.shared))
        return result, (time.perf_counter() - began) * 1000

    def say(self, page: Page) -> dict[int, bool]:
        """The answers about a page, by what its images show."""
        classes = sorted(page.plan.outline.frequencies)
        answers = dict[int, bool]()
        for image in page.images:
            if image.id not in self.truth:
                self.truth[image.id] = set(self.lot.sample(classes, SHOWN))
            assert page.node is not None
            below = page.plan.outline.hierarchy.classes_below[page.node]
            answers[image.id] = bool(below & self.truth[image.id])
        return answers

    def answer_pages(self, pages: int) -> tuple[list[float], list[float]]:
        """The milliseconds of taking each page, and of keeping its answers."""
        taken_ms = list[float]()
        kept_ms = list[float]()
        for number in range(pages):
            person_id = 1 + number % PEOPLE
            page, took = self.run(person_id, take_page)
            taken_ms.append(took)
            assert page.node is not None
            keep = partial(
                keep_answers,
                plan_id=page.plan.id,
                node=page.node,
                answers=self.say(page),
                took_ms=1000,
            )
            _, took = self.run(person_id, keep)
            kept_ms.append(took)
        return taken_ms, kept_ms


def describe(name: str, times_ms: Sequence[float]) -> str:
    """A line with the median and the 95th percentile."""
    last = statistics.quantiles(times_ms, n=20)[-1]
    return f"{name:46} median {statistics.median(times_ms):7.1f} ms, 95 % {last:7.1f} ms"


def main() -> None:
    """Print the times and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--classes", type=int, default=1_000)
    parser.add_argument("--pages", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "party"
        text = write_preset(options.classes)
        make_party(place, name="Many", preset="many.toml", preset_text=text)
        with open_party(place) as opened:
            asking = replace(opened.settings.questions, on=True)
            party = replace(opened, settings=replace(opened.settings, questions=asking))
            fill(party, options.images)
            measured = AnsweredParty(party)
            shown_ms = [
                measured.run(1, lambda visit: list_thumbnails(visit, "class-0"))[1]
                for _ in range(20)
            ]
            print(describe("presence pass: a page", shown_ms), flush=True)
            for name in ("images added as needed", "all images open"):
                taken_ms, kept_ms = measured.answer_pages(options.pages)
                print(describe(f"questions: a page, {name}", taken_ms))
                print(describe(f"questions: its answers, {name}", kept_ms))
                ratio = statistics.median(taken_ms) / statistics.median(shown_ms)
                print(f"a page takes {ratio:.1f} times as long as one of the pass", flush=True)
                if name != "all images open":
                    open_all(party)


if __name__ == "__main__":
    main()
