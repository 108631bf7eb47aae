"""Twenty people at once on PostgreSQL: no answer fails, and afterwards the rows agree.

VOCPARTY_HANDS=1 with `--timeout 0` makes it run longer, by hand: half an hour on a quiet machine.
`VOCPARTY_SEED` gives it other random numbers.
"""

import io
import os
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image as Picture
from sqlalchemy import select, text
from werkzeug.test import TestResponse

from catalog.errors import CatalogueError
from catalog.party import Party, follow_classes
from catalog.refusals import RefusedError
from catalog.states import HELD_STATES, LeaseTrack, Role
from catalog.tables import Image, Lease
from export.errors import ExportError
from export.order import ReleaseOrder
from operate.party_rules import compare_counts, compare_images, compare_words
from operate.words import merge_words, rename_word, split_class
from tests.exporting import export_release
from work.people import get_person
from work.undo import undo_person

from .house import API, Browser, House, Json, new_key, revision, thing, verdict_on

LONG = float(os.environ.get("VOCPARTY_HANDS", "0"))
SEED = int(os.environ.get("VOCPARTY_SEED", "0"))
STEPS = int(LONG * 1_500) or 15
"""Of each person."""
IMAGES = 24
ANNOTATORS = [f"annotator-{number}" for number in range(7)]
CHECKERS = [f"checker-{number}" for number in range(5)]
ORGANISERS = [f"organiser-{number}" for number in range(4)]
ROLES = {
    **dict.fromkeys(ANNOTATORS, Role.ANNOTATOR),
    **dict.fromkeys(CHECKERS, Role.CHECKER),
    **dict.fromkeys(ORGANISERS, Role.ORGANISER),
}


class Hand:
    """One person who works in a thread of their own, and what their page shows."""

    def __init__(self, house: House, name: str, browser: Browser, seed: str) -> None:
        self.house = house
        self.name = name
        self.browser = browser
        self.rng = random.Random(seed)
        self.tasks: dict[str, Json] = {}
        self.answers: Counter[int] = Counter()
        self.faults: list[str] = []
        self.names = iter(range(1_000_000))

    def work(self, steps: int) -> None:
        for _ in range(steps):
            self.rng.choice(DEEDS[ROLES[self.name]])(self)

    def post(self, path: str, body: Json | None = None) -> TestResponse:
        return self._note(path, self.browser.post(f"{API}{path}", body))

    def get(self, path: str) -> Json:
        answer = self._note(path, self.browser.get(f"{API}{path}"))
        return answer.get_json() or {}

    def _note(self, path: str, answer: TestResponse) -> TestResponse:
        self.answers[answer.status_code] += 1
        has_new_role = answer.status_code == 401 and "Your role was changed" in answer.text
        if not has_new_role and answer.status_code not in (200, 201, 204, 403, 404, 409, 422):
            self.faults.append(f"{self.name}: {path}: {answer.status_code} {answer.text[:300]}")
        return answer

    def take(self, kind: str = "annotate", **body: int) -> None:
        answer = self.post(f"/tasks/{kind}", body)
        if answer.status_code == 200 and (task := answer.get_json()["task"]):
            self.tasks[kind] = task

    def draw(self) -> None:
        self.take(ahead=self.rng.randint(0, 2))
        self.save(finish=True)

    def draft(self) -> None:
        self.take(image_id=self.image()) if self.rng.random() < 0.5 else self.take()
        self.save(finish=False)

    def save(self, *, finish: bool) -> None:
        if (task := self.tasks.get("annotate")) is None:
            return
        at = self.rng.randint(1, 40)
        head = task["annotation"]
        objects = [thing(box=[at, at, at + 100 + at, at + 100], parts=[])]
        body = revision(head["id"] if head else None, objects, finish=finish)
        if self.rng.random() < 0.1:
            body |= {"objects": [], "discard_reason": "no_object", "finish": True}
        answer = self.post(f"/images/{task['image_id']}/revisions", body)
        if answer.status_code == 201:
            task["annotation"] = answer.get_json()["annotation"]

    def beat(self) -> None:
        for task in self.tasks.values():
            self.post(f"/leases/{task['lease']['id']}/heartbeat")

    def give_back(self) -> None:
        for task in self.tasks.values():
            self.post(f"/leases/{task['lease']['id']}/give-back")
        self.tasks.clear()

    def restore(self) -> None:
        page = self.get(f"/images/{self.image()}/revisions")
        lines = page.get("revisions") or []
        if lines:
            heads = [line["id"] for line in lines if line["head"]]
            body = {"save_key": new_key(), "head_id": heads[0] if heads else None}
            body["verdict_id"] = page["verdict_id"]
            line = self.rng.choice(lines)
            self.post(f"/images/{page['image_id']}/revisions/{line['id']}/restore", body)

    def check(self) -> None:
        self.take("check", **({"image_id": self.image()} if self.rng.random() < 0.4 else {}))
        task = self.tasks.get("check")
        if task is not None and len(task["annotation"]["objects"]) == 1:
            verdict = self.rng.choice(["accept", "accept", "fixed", "returned"])
            body = verdict_on(task["annotation"]["id"], verdict)
            self.post(f"/images/{task['image_id']}/reviews", body)

    def judge_finding(self) -> None:
        for finding in self.get("/findings").get("findings", ())[:1]:
            body = {"verdict": self.rng.choice(["right", "wrong"]), "version": finding["version"]}
            self.post(f"/findings/{finding['id']}/verdict", body)

    def segment(self) -> None:
        kind = "segment" if self.rng.random() < 0.6 else "check-segment"
        self.take(kind)

    def act(self) -> None:
        images = self.get("/images").get("images", ())
        sent = [{key: item[key] for key in ("image_id", "version")} for item in images]
        action, words = self.rng.choice(
            [("return", "Look."), ("reopen", ""), ("reopen", ""), ("discard", "no_object")]
        )
        chosen = self.rng.sample(sent, min(len(sent), self.rng.randint(1, 6)))
        if chosen:
            self.post("/images/actions", {"action": action, "words": words, "images": chosen})

    def start_campaign(self) -> None:
        images = self.get("/images").get("images", ())
        sent = [{key: item[key] for key in ("image_id", "version")} for item in images]
        called = f"{self.name}-{next(self.names)}"
        body = {"name": called, "fields": ["view"], "images": sent[: self.rng.randint(1, 8)]}
        if sent:
            self.post("/images/campaigns", body)

    def end_campaign(self) -> None:
        for campaign in self.get("/board").get("campaigns", ())[:1]:
            self.post(f"/images/campaigns/{campaign['id']}/end")

    def undo(self) -> None:
        number = self.house.person(self.other()).id
        shown = self.post(f"/people/{number}/undo", {"dry_run": True})
        if shown.status_code == 200:
            body = {"dry_run": False, "version": shown.get_json()["version"]}
            self.post(f"/people/{number}/undo", body)

    def undo_by_command(self) -> None:
        party = self.house.party
        with suppress(RefusedError), party.catalogue.writing() as session:
            person = get_person(session, self.other())
            undo_person(session, person, None, at=self.house.clock.now())

    def take_back(self) -> None:
        for hold in self.get("/board").get("holds", ())[:2]:
            path = f"/board/people/{hold['person_id']}/leases/{hold['lease_id']}/take-back"
            self.post(path, {"version": hold["version"]})

    def change_role(self) -> None:
        number = self.house.person(self.other()).id
        for role in (self.rng.choice(list(Role)), ROLES[self.other_name]):
            members = self.get("/people").get("people", ())
            for member in members:
                if member["id"] == number:
                    body = {"role": role, "version": member["version"]}
                    self.post(f"/people/{number}/role", body)

    def judge_difficult(self) -> None:
        page = self.post("/difficult/person/take", {}).get_json()
        objects = [
            {
                "image_id": item["image_id"],
                "key": item["key"],
                "annotation_id": item["annotation_id"],
                "difficult": self.rng.random() < 0.5,
            }
            for item in page.get("objects", ())
        ]
        self.rng.shuffle(objects)
        if objects:
            self.post("/difficult/person/judgements", {"objects": objects})
        self.post("/difficult/person/give-back", {})

    def choose_gold(self) -> None:
        page = self.get(f"/gold/{self.image()}")
        if page.get("annotation_id"):
            body = {"annotation_id": page["annotation_id"], "is_training": False, "note": ""}
            path = f"{API}/gold/{page['image_id']}"
            answer = self.browser.put(path, body | {"version": page["version"]})
            self._note(path, answer)

    def wait(self) -> None:
        self.house.clock.advance(self.rng.choice([1, 30, 61, 700]))

    def image(self) -> int:
        return self.rng.randint(1, IMAGES)

    def other(self) -> str:
        self.other_name = self.rng.choice([name for name in ROLES if name != self.name])
        return self.other_name


Deed = Callable[[Hand], None]
_ANNOTATES: list[Deed] = [
    *[Hand.draw] * 6,
    *[Hand.draft] * 2,
    Hand.beat,
    Hand.give_back,
    Hand.restore,
    Hand.segment,
]
_CHECKS: list[Deed] = [*[Hand.check] * 8, Hand.judge_finding, Hand.draw, Hand.beat, Hand.segment]
_ORGANISES: list[Deed] = [
    *[Hand.undo, Hand.undo_by_command, Hand.act] * 2,
    Hand.start_campaign,
    Hand.end_campaign,
    Hand.take_back,
    Hand.change_role,
    Hand.judge_difficult,
    Hand.choose_gold,
    Hand.check,
    Hand.draw,
    Hand.restore,
    Hand.wait,
]
DEEDS = {Role.ANNOTATOR: _ANNOTATES, Role.CHECKER: _CHECKS, Role.ORGANISER: _ORGANISES}


def change_classes(house: House, seed: str, steps: int) -> None:
    """Rename, merge and split classes again and again."""
    rng = random.Random(seed)
    party = house.party
    for number in range(steps):
        with suppress(RefusedError), party.catalogue.writing() as session:
            names = follow_classes(party, session).preset.class_names
            old, other = rng.sample([name for name in names if name != "person"], 2)
            said: Json = {"made_by": "olga", "at": house.clock.now()}
            kind = rng.choice(["rename", "rename", "merge", "split"])
            if kind == "rename":
                rename_word(session, party, old, f"{old[:20]}{number}", **said)
            elif kind == "merge" and len(names) > 12:
                merge_words(session, party, old, other, **said)
            elif len(names) < 24:
                split_class(session, party, old, [f"{old[:20]}{number}a", f"b{number}"], **said)


def export_often(house: House, folder: Path, steps: int) -> None:
    """Write releases while people work; what they changed meanwhile is refused in a sentence."""
    for number in range(steps):
        with house.party.catalogue.reading() as session:
            party = follow_classes(house.party, session)
        order = ReleaseOrder(is_forced=True)
        name = f"VOC{number}"
        with suppress(ExportError, CatalogueError):
            at = house.clock.now()
            export_release(party, folder / name, year=2026, name=name, at=at, order=order)


def fill(house: House) -> None:
    for number in range(IMAGES):
        image_id = house.add_image()
        file = io.BytesIO()
        colour = (number * 10, 255 - number * 10, number * 7)
        Picture.new("RGB", (500, 375), colour).save(file, "JPEG")
        sha256 = house.party.store.put(file.getvalue())
        with house.party.catalogue.writing() as session:
            session.get_one(Image, image_id).sha256 = sha256


def list_orphans(party: Party) -> list[str]:
    """Images in use without a lease on their boxes, and leases on images that are not in use."""
    with party.catalogue.reading() as session:
        states = dict(session.execute(select(Image.id, Image.state)).tuples().all())
        boxed = select(Lease.image_id, Lease.kind).where(Lease.track == LeaseTrack.BOXES)
        held = dict(session.execute(boxed).tuples().all())
    return [
        f"image {image_id} is {state}, and its lease is {held.get(image_id)}"
        for image_id, state in sorted(states.items())
        if (HELD_STATES[held[image_id]] if image_id in held else None)
        is not (state if state in HELD_STATES.values() else None)
    ]


@pytest.mark.postgres
def test_no_request_of_twenty_people_fails_and_the_rows_agree(
    any_party: Party, tmp_path: Path
) -> None:
    if any_party.catalogue.engine.dialect.name != "postgresql":
        return
    house = House(any_party, presence_pass=True)
    fill(house)
    hands = [
        Hand(house, name, house.enter(house.add_person(name, role)), f"{SEED} {name}")
        for name, role in ROLES.items()
    ]
    with ThreadPoolExecutor(len(hands) + 3) as pool:
        working = [pool.submit(hand.work, STEPS) for hand in hands]
        working.append(pool.submit(change_classes, house, str(SEED), STEPS // 3))
        working.append(pool.submit(export_often, house, tmp_path, STEPS // 4))
    faults = [fault for hand in hands for fault in hand.faults]
    for done in working:
        if error := done.exception():
            faults.append(f"{type(error).__name__}: {error}"[:600])
    with any_party.catalogue.reading() as session:
        deadlocks = session.scalar(
            text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        )
        compared = [check(session) for check in (compare_images, compare_counts, compare_words)]
    assert not faults, "\n".join(faults)
    assert list_orphans(any_party) == []
    assert [item.different for item in compared] == [(), (), ()]
    assert deadlocks == 0
