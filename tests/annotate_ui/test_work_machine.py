"""Any interleaving of people, saves, expiries, returns and corrections keeps the invariants."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings, stateful
from hypothesis import strategies as st
from sqlalchemy import select

from catalog.party import open_party
from catalog.states import ImageState, LeaseKind, Role
from catalog.tables import Annotation, EndedLease, Image, Lease, Object, Review

from .house import API, Browser, House, Json, revision, thing, verdict_on

IMAGES = 3
ANNOTATORS, CHECKERS = ("ann", "ben"), ("chris", "dana")
everybody = st.sampled_from(ANNOTATORS + CHECKERS)
checkers = st.sampled_from(CHECKERS)
boxes = st.integers(1, 200).map(lambda at: [at, at, at + 100, at + 100])
HELD = {LeaseKind.ANNOTATE: ImageState.ANNOTATING, LeaseKind.CHECK: ImageState.CHECKING}


class Work(stateful.RuleBasedStateMachine):
    """Four browsers on the real application; each remembers its last task."""

    template: Path

    @stateful.initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        shutil.copytree(self.template, self.folder / "party")
        self.opened = open_party(self.folder / "party")
        self.house = House(self.opened.__enter__())
        for _ in range(IMAGES):
            self.house.add_image()
        roles = dict.fromkeys(ANNOTATORS, Role.ANNOTATOR) | dict.fromkeys(CHECKERS, Role.CHECKER)
        self.browsers: dict[str, Browser] = {
            name: self.house.enter(self.house.add_person(name, role))
            for name, role in roles.items()
        }
        self.tasks: dict[str, Json] = {}
        self.saved: dict[int, tuple[Any, ...]] = {}  # what the server acknowledged, by its id
        self.reviews: set[int] = set()

    def teardown(self) -> None:
        if hasattr(self, "opened"):
            self.opened.__exit__(None, None, None)
            shutil.rmtree(self.folder)

    @stateful.rule(name=everybody)
    def take(self, name: str) -> None:
        self._take(name, "annotate", {})

    @stateful.rule(name=everybody, image=st.integers(1, IMAGES))
    def open_again(self, name: str, image: int) -> None:
        self._take(name, "annotate", {"image_id": image})

    @stateful.rule(name=checkers)
    def take_to_check(self, name: str) -> None:
        self._take(name, "check", {})

    @stateful.rule(name=everybody, box=boxes, ends=st.booleans(), discards=st.booleans())
    def save(self, name: str, box: list[int], ends: bool, discards: bool) -> None:
        """Save, also with an outdated task: its lease expired, or another window saved since."""
        if (task := self.tasks.get(name)) is None or task["kind"] != "annotate":
            return
        head = task["annotation"]
        objects = [] if discards else [thing(box=box, parts=[])]
        reason = {"discard_reason": "no_object"} if discards else {}
        body = revision(head["id"] if head else None, objects, finish=ends, **reason)
        answer = self.browsers[name].post(f"{API}/images/{task['image_id']}/revisions", body)
        told = answer.get_json()
        assert answer.status_code in (201, 409), answer.text
        if answer.status_code == 201:
            task["annotation"] = told["annotation"]
            self._note(told["annotation"]["id"], task, body)
        elif told.get("kept_as"):
            self._note(told["kept_as"], task, body)

    @stateful.rule(name=checkers, verdict=st.sampled_from(["accept", "fixed", "returned"]))
    def review(self, name: str, verdict: str) -> None:
        task = self.tasks.get(name)
        if task is None or task["kind"] != "check" or len(task["annotation"]["objects"]) != 1:
            return
        body = verdict_on(task["annotation"]["id"], verdict)
        answer = self.browsers[name].post(f"{API}/images/{task['image_id']}/reviews", body)
        assert answer.status_code in (201, 409), answer.text
        self.reviews |= {self.house.reviews()[-1].id} if answer.status_code == 201 else set()

    @stateful.rule(name=everybody)
    def give_back(self, name: str) -> None:
        if task := self.tasks.get(name):
            path = f"{API}/leases/{task['lease']['id']}/give-back"
            assert self.browsers[name].post(path).status_code in (200, 409)

    @stateful.rule(secs=st.sampled_from([1, 61, 599, 700]))
    def wait(self, secs: int) -> None:
        self.house.clock.advance(secs)

    @stateful.invariant()
    def each_image_has_one_state_and_one_holder(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            images = {image.id: image for image in session.scalars(select(Image))}
            leases = {lease.image_id: lease for lease in session.scalars(select(Lease))}
            ended = set(session.scalars(select(EndedLease.id)))
        assert len(images) == IMAGES
        for image in images.values():
            lease = leases.get(image.id)
            assert (lease is not None) == (image.state in HELD.values()), image.state
            assert lease is None or HELD[lease.kind] is image.state
        assert not ended & {lease.id for lease in leases.values()}

    @stateful.invariant()
    def nothing_acknowledged_is_lost_or_changed(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            rows = {row.id: row for row in session.scalars(select(Annotation))}
            drawn: dict[int, list[list[int]]] = {}
            for item in session.scalars(select(Object).order_by(Object.number)):
                drawn.setdefault(item.annotation_id, []).append(list(item.box.xyxy))
            heads = [one for one in session.scalars(select(Image.annotation_id)) if one]
            reviews = {row.id: row for row in session.scalars(select(Review))}
        for number, (image_id, save_key, kept) in self.saved.items():
            assert (rows[number].image_id, rows[number].save_key) == (image_id, save_key)
            assert drawn.get(number, []) == kept
        assert all(not rows[head].is_stale for head in heads)
        assert self.reviews <= reviews.keys()
        for row in reviews.values():
            assert rows[row.annotation_id].person_id != row.person_id  # no one checks their own

    @stateful.invariant()
    def what_is_checked_was_accepted_by_another_person(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            checked = select(Image).where(Image.state == ImageState.CHECKED)
            for image in session.scalars(checked):
                about = Review.annotation_id == image.annotation_id
                fixed = Review.fixed_annotation_id == image.annotation_id
                assert session.scalars(select(Review).where(about | fixed)).first() is not None

    def _take(self, name: str, kind: str, body: Json) -> None:
        answer = self.browsers[name].post(f"{API}/tasks/{kind}", body)
        assert answer.status_code in (200, 403, 409), answer.text
        if answer.status_code == 200 and answer.get_json()["task"]:
            self.tasks[name] = answer.get_json()["task"]

    def _note(self, number: int, task: Json, body: Json) -> None:
        kept = [item["box"] for item in body["objects"]]
        self.saved[number] = (task["image_id"], body["save_key"], kept)


def test_any_interleaving_of_actions_keeps_the_invariants(party_template: Path) -> None:
    machine = type("Machine", (Work,), {"template": party_template})
    few = settings(max_examples=6, stateful_step_count=20)
    stateful.run_state_machine_as_test(machine, settings=few)


@pytest.mark.parametrize("state", [ImageState.ANNOTATING, ImageState.CHECKED])
def test_the_invariants_detect_a_wrong_state(party_template: Path, state: ImageState) -> None:
    machine = type("Machine", (Work,), {"template": party_template})()
    machine.open()
    machine.house.set_state(1, state)
    try:
        with pytest.raises(AssertionError):
            for check in (
                machine.each_image_has_one_state_and_one_holder,
                machine.what_is_checked_was_accepted_by_another_person,
            ):
                check()
    finally:
        machine.teardown()
