"""The next page of questions at 1,000 classes and 100,000 images, beside today's presence page.

Makes a party on SQLite whose images one query found, and lets people answer pages of 24 images as
the server does, each in a transaction of its own. Prints the median and the 95th percentile of
taking a page and of keeping its answers, and of a page of the presence pass; once while images are
added as they are needed, and once with an open question for each of the images. Then all images
show one class, and people draw its boxes: the same of taking a question and keeping its answer.

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

from sqlalchemy import delete, insert, select

from catalog.hierarchy import Node
from catalog.image_store import digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, NodeKind, PhotoState, QuestionKind, Role, Said, Source
from catalog.tables import Image, Person, Photo, PresenceState, PresentClass, Query, Question
from work.people import add_person
from work.presence.pages import Page, keep_answers, take_page
from work.presence.plans import get_plan
from work.presence.states import compute, describe_settled
from work.presence.thumbnails import list_thumbnails
from work.questions.answering import keep_answer, keep_drawn
from work.questions.asking import take_questions
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

    def __init__(self, party: Party, clock: Callable[[], float]) -> None:
        self.party = party
        self.clock = clock
        self.lot = random.Random(1)
        self.shared = SharedCounts(is_kept=True)
        self.truth = dict[int, set[Node]]()

    def run(self, person_id: int, step: Callable[[Visit], T]) -> tuple[T, float]:
        """What a step of a person gives, and the milliseconds of its transaction."""
        began = self.clock()
        with self.party.catalogue.writing() as session:
            person = session.get_one(Person, person_id)
            result = step(Visit(self.party, session, person, AT, shared=self.shared))
        return result, (self.clock() - began) * 1000

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

    def draw_boxes(self, questions: int) -> tuple[list[float], list[float]]:
        """The milliseconds of taking each question about boxes, and of keeping its answer."""
        taken_ms = list[float]()
        kept_ms = list[float]()
        for number in range(questions):
            person_id = 1 + number % PEOPLE
            asked, took = self.run(person_id, lambda visit: take_questions(visit, "class-0"))
            taken_ms.append(took)
            kept_ms += [
                self.run(person_id, partial(answer_box, question=item.question.id))[1]
                for item in asked
            ]
        return taken_ms, kept_ms


def answer_box(visit: Visit, question: int) -> None:
    """Draw a box where that is asked, else call it right and the only one."""
    kind = visit.session.get_one(Question, question).kind
    if kind is QuestionKind.DRAW:
        keep_drawn(visit, question, (10, 10, 200, 200), 1000)
    else:
        said = Said.RIGHT if kind is QuestionKind.BOX else Said.NO
        keep_answer(visit, question, said, 1000)


def show_class(party: Party) -> None:
    """The answers say of each image that it shows the class."""
    with party.catalogue.writing() as session:
        rows = [
            {"image_id": key, "class_id": "class-0", "settled_at": AT}
            for key in session.scalars(select(Image.id))
        ]
        session.execute(delete(PresentClass))
        session.execute(insert(PresentClass), rows)


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
    parser.add_argument("--processor", action="store_true", help="Measure processor time.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "party"
        text = write_preset(options.classes)
        make_party(place, name="Many", preset="many.toml", preset_text=text)
        with open_party(place) as opened:
            asking = replace(opened.settings.questions, on=True, boxes=True)
            party = replace(opened, settings=replace(opened.settings, questions=asking))
            fill(party, options.images)
            measured = AnsweredParty(
                party, time.process_time if options.processor else time.perf_counter
            )
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
            show_class(party)
            taken_ms, kept_ms = measured.draw_boxes(options.pages)
            print(f"boxes class by class: the first question {taken_ms[0]:.0f} ms")
            print(describe("boxes class by class: a question", taken_ms))
            print(describe("boxes class by class: its answer", kept_ms))


if __name__ == "__main__":
    main()
