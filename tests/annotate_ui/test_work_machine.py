"""Any interleaving of people, organisers, old pages, expiries and undos keeps the invariants.

VOCPARTY_MACHINE=1 makes it run longer, by hand: about an hour on each database; 0.1 a tenth of it.
`VOCPARTY_SEED` gives it other random numbers.
`benchmarks/machine_faults.py` shows which faults in the program it finds.
"""

import itertools
import os
import random
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings, stateful
from hypothesis import strategies as st
from sqlalchemy import and_, false, func, select, text
from werkzeug.test import TestResponse

from catalog.decisions import OF_REVISIONS, list_wrong_states
from catalog.party import (
    Party,
    complete_party,
    follow_classes,
    open_data,
    open_party,
    read_preset,
)
from catalog.preset import Preset
from catalog.states import DecisionKind, ImageState, LeaseKind, Role, Said, Verdict
from catalog.tables import (
    Annotation,
    Base,
    Campaign,
    CampaignImage,
    Decision,
    Difficulty,
    EndedLease,
    Finding,
    GoldImage,
    Image,
    Lease,
    Object,
    Question,
    QuestionAnswer,
    ReleaseImage,
    Review,
    SegmentationReview,
    Suggestion,
)
from catalog.words import register_words
from export.errors import NothingCheckedError
from export.order import ReleaseOrder
from operate.backup import restore_backup, write_backup
from operate.party_rules import compare_counts, compare_images, compare_words
from tests.exporting import export_release, verify_tree
from tests.suggesting import XYXY, suggest
from tests.work.questions.conftest import without_lottery
from work.questions.answering import WORDS
from work.questions.asking import AT_ONCE
from work.segment.choices import ChoiceError, choose_images
from work.suggestions import load_for_image

from .class_model import DRAWN, ClassModel
from .house import API, Browser, House, Json, make_jpeg, new_key, revision, thing, verdict_on

IMAGES = 2
MOST_IMAGES = 6
ROLES = {
    "ann": Role.ANNOTATOR,
    "ben": Role.ANNOTATOR,
    "chris": Role.CHECKER,
    "dana": Role.CHECKER,
    "olga": Role.ORGANISER,
    "pat": Role.ORGANISER,
}
WINDOWS = ("first", "second")
OF_INSTANCE = {"instance", "store_owner"}
LONG = float(os.environ.get("VOCPARTY_MACHINE", "0"))
SEED = int(os.environ.get("VOCPARTY_SEED", "0"))
people = st.sampled_from(list(ROLES))
judges = st.sampled_from(["chris", "dana", "olga"])
organisers = st.sampled_from(["olga", "pat"])
windows = st.sampled_from(WINDOWS)
images = st.integers(1, IMAGES)
boxes = st.integers(1, 40).map(lambda at: [at, at, at + 100 + at, at + 100])
SUGGESTED = (XYXY, (300, 40, 420, 200), (10, 10, 90, 120))
HELD = {LeaseKind.ANNOTATE: ImageState.ANNOTATING, LeaseKind.CHECK: ImageState.CHECKING}
Shown = dict[tuple[str, str, str], Any]
"""What a window of a person shows, by person, window and kind of page."""


@dataclass(frozen=True)
class Backup:
    """A backup, and what the machine knew when it was made."""

    file: Path
    preset: Preset
    classes: ClassModel
    saved: dict[int, tuple[Any, ...]]
    reviews: set[int]
    answers: dict[int, tuple[int, str]]
    images: int


class Work(stateful.RuleBasedStateMachine):
    """Six people with two windows each on the real application; each window keeps its last page."""

    open_party: Callable[[], Any]

    @stateful.initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.opened = ExitStack()
        party = self.opened.enter_context(type(self).open_party())
        self.house = House(without_lottery(party, gold_share=0.3), presence_pass=True)
        self.images = 0
        for _ in range(IMAGES):
            self._add_image()
        self.classes = ClassModel()
        self.backup: Backup | None = None
        self.browsers: dict[tuple[str, str], Browser] = {}
        for name, role in ROLES.items():
            browser = self.house.enter(self.house.add_person(name, role))
            self.browsers[name, "first"] = browser
            self.browsers[name, "second"] = self.house.window_of(browser)
        self.shown: Shown = {}
        self.saved: dict[int, tuple[Any, ...]] = {}  # what the server acknowledged, by its id
        self.reviews: set[int] = set()
        self.answers: dict[int, tuple[int, str]] = {}  # of the verification page, likewise
        self.given: dict[int, str] = {}  # the save_key by the number of each revision ever seen
        self.names = itertools.count()

    def teardown(self) -> None:
        if hasattr(self, "opened"):
            self.opened.close()
            shutil.rmtree(self.folder)

    # People draw and check.

    @stateful.rule(name=people, window=windows)
    def take(self, name: str, window: str) -> None:
        self._take(name, window, "annotate", {})

    @stateful.rule(name=people, window=windows, image=images)
    def open_again(self, name: str, window: str, image: int) -> None:
        self._take(name, window, "annotate", {"image_id": image})

    @stateful.rule(name=judges, window=windows)
    def take_to_check(self, name: str, window: str) -> None:
        self._take(name, window, "check", {})

    @stateful.rule(name=judges, window=windows, image=images)
    def open_to_check(self, name: str, window: str, image: int) -> None:
        self._take(name, window, "check", {"image_id": image})

    @stateful.rule(
        name=people,
        window=windows,
        box=boxes,
        ends=st.booleans(),
        what=st.sampled_from([*DRAWN, "deletes", "discards"]),
    )
    def save(self, name: str, window: str, box: list[int], ends: bool, what: str) -> None:
        """Save, also with an outdated task: its lease expired, or another window saved since."""
        task = self.shown.get((name, window, "annotate"))
        if task is None:
            return
        head = task["annotation"]
        objects = [draw_thing(what, box)] if what not in ("deletes", "discards") else []
        reason = {"discard_reason": "no_object"} if what == "discards" else {}
        body = revision(head["id"] if head else None, objects, finish=ends, **reason)
        seen = self._head(task["image_id"])
        answer = self._post(name, window, f"/images/{task['image_id']}/revisions", body)
        answered = answer.get_json()
        if answer.status_code == 201:
            if not self._is_beside(answered["annotation"]["id"]):
                assert seen == (head["id"] if head and self._is_kept(head["id"]) else None)
            task["annotation"] = answered["annotation"]
            self._note(answered["annotation"]["id"], task, body)
        elif answered.get("kept_as"):
            self._note(answered["kept_as"], task, body)

    @stateful.rule(
        name=judges, window=windows, verdict=st.sampled_from(["accept", "fixed", "returned"])
    )
    def review(self, name: str, window: str, verdict: str) -> None:
        task = self.shown.get((name, window, "check"))
        if task is None or len(task["annotation"]["objects"]) != 1:
            return
        seen = self._look_of(task["image_id"])
        body = verdict_on(task["annotation"]["id"], verdict)
        answer = self._post(name, window, f"/images/{task['image_id']}/reviews", body)
        if answer.status_code == 201:
            assert seen == _look(task["annotation"]["objects"])
            self.reviews |= {answer.get_json()["review_id"]}

    @stateful.rule(name=people, window=windows, box=boxes)
    def draw(self, name: str, window: str, box: list[int]) -> None:
        """Several steps at once, so that more images come far."""
        self.take(name, window)
        self.save(name, window, box, ends=True, what=DRAWN[box[0] % len(DRAWN)])

    @stateful.rule(
        name=judges, window=windows, verdict=st.sampled_from(["accept", "accept", "fixed"])
    )
    def check(self, name: str, window: str, verdict: str) -> None:
        self.take_to_check(name, window)
        self.review(name, window, verdict)

    @stateful.rule(name=people, window=windows)
    def give_back(self, name: str, window: str) -> None:
        if task := self.shown.get((name, window, "annotate")):
            self._post(name, window, f"/leases/{task['lease']['id']}/give-back")

    @stateful.rule(secs=st.sampled_from([1, 61, 599, 700, 2_000]))
    def wait(self, secs: int) -> None:
        self.house.clock.advance(secs)

    @stateful.rule(name=people, window=windows, image=images)
    def look_at_history(self, name: str, window: str, image: int) -> None:
        answer = self.browsers[name, window].get(f"{API}/images/{image}/revisions")
        assert answer.status_code in (200, 403, 404), answer.text
        if answer.status_code == 200:
            self.shown[name, window, "history"] = answer.get_json()

    @stateful.rule(name=people, window=windows, place=st.integers(0, 5))
    def restore(self, name: str, window: str, place: int) -> None:
        page = self.shown.get((name, window, "history"))
        if page is None or not page["revisions"]:
            return
        lines = page["revisions"]
        heads = [line["id"] for line in lines if line["head"]]
        line = lines[place % len(lines)]
        seen = self._head(page["image_id"])
        body = {"save_key": new_key(), "head_id": heads[0] if heads else None}
        body["verdict_id"] = page["verdict_id"]
        path = f"/images/{page['image_id']}/revisions/{line['id']}/restore"
        answer = self._post(name, window, path, body)
        if answer.status_code == 201 and not self._is_beside(answer.get_json()["annotation"]["id"]):
            assert heads == ([seen] if seen else [])
            if line["discarded"]:
                state = ImageState(answer.get_json()["state"])
                assert state is not ImageState.CHECKED, "a discard came back as checked boxes"

    # Organisers act.

    @stateful.rule(name=organisers, window=windows)
    def look_up(self, name: str, window: str) -> None:
        page = self.browsers[name, window].get(f"{API}/images").get_json()
        self.shown[name, window, "images"] = page["images"]

    @stateful.rule(
        name=organisers,
        window=windows,
        action=st.sampled_from(["return", "reopen", "reopen", "discard"]),
    )
    def act(self, name: str, window: str, action: str) -> None:
        if listed := self.shown.get((name, window, "images")):
            sent = [{key: item[key] for key in ("image_id", "version")} for item in listed]
            words = {"return": "Look.", "discard": "no_object"}.get(action, "")
            before = {item["image_id"]: self._place(item["image_id"]) for item in listed}
            answer = self._post(
                name,
                window,
                "/images/actions",
                {"action": action, "words": words, "images": sent},
            )
            shown = {
                item["image_id"]: (item["state"], datetime.fromisoformat(item["state_at"]))
                for item in listed
            }
            for image_id in answer.get_json().get("changed", ()):
                assert before[image_id] == shown[image_id]

    @stateful.rule(name=organisers, action=st.sampled_from(["reopen", "return", "discard"]))
    def look_up_and_act(self, name: str, action: str) -> None:
        self.look_up(name, "first")
        self.act(name, "first", action)

    @stateful.rule(name=organisers, window=windows)
    def take_back(self, name: str, window: str) -> None:
        for hold in self.browsers[name, window].get(f"{API}/board").get_json()["holds"][:1]:
            path = f"/board/people/{hold['person_id']}/leases/{hold['lease_id']}/take-back"
            assert self._post(name, window, path, _version(hold)).status_code == 200

    @stateful.rule(name=organisers, window=windows)
    def start_campaign(self, name: str, window: str) -> None:
        if listed := self.shown.get((name, window, "images")):
            called = f"again-{next(self.names) % 4}"
            sent = [{key: item[key] for key in ("image_id", "version")} for item in listed]
            body = {"name": called, "fields": ["view"], "images": sent}
            if self._post(name, window, "/images/campaigns", body).status_code == 200:
                self.look_at_campaigns(name, window)

    @stateful.rule(name=organisers, window=windows)
    def look_at_campaigns(self, name: str, window: str) -> None:
        """The board lists those that did not end, the newest first."""
        listed = self.browsers[name, window].get(f"{API}/board").get_json()["campaigns"]
        self.shown[name, window, "campaign"] = listed[0] if listed else None

    @stateful.rule(name=organisers, window=windows)
    def end_campaign(self, name: str, window: str) -> None:
        """End what the page shows, and no other one that came after a restore."""
        if shown := self.shown.get((name, window, "campaign")):
            before = self._list_open_campaigns()
            self._post(name, window, f"/images/campaigns/{shown['id']}/end")
            ended = before - self._list_open_campaigns()
            assert ended <= {(shown["name"], datetime.fromisoformat(shown["at"]))}

    @stateful.rule(name=organisers, window=windows, member=people)
    def undo(self, name: str, window: str, member: str) -> None:
        if name != member:
            number = self.house.person(member).id
            plan = self._plan_undo(name, number)
            counted = self._count_standing(number)
            assert not counted or "no work" not in plan["lines"][0], (counted, plan["lines"])
            others = self._list_decisions_of_others(number)
            body = {"dry_run": False} | _version(plan)
            assert self._post(name, window, f"/people/{number}/undo", body).status_code == 200
            assert others <= self._list_decisions_of_others(number)

    @stateful.rule(image=images)
    def release(self, image: int) -> None:
        if self.house.state(image) is ImageState.CHECKED:
            self.export()

    @stateful.rule(
        name=organisers,
        member=st.sampled_from(["chris", "dana", "pat"]),
        role=st.sampled_from(list(Role)),
    )
    def change_role(self, name: str, member: str, role: Role) -> None:
        if name != member:
            disputed = self._list_disputed()
            number = self.house.person(member).id
            outdated = self._find_member(name, number)
            self._set_role(name, number, role)
            assert self._list_disputed() == disputed
            body = {"role": ROLES[member]} | _version(outdated)
            answer = self._post(name, "second", f"/people/{number}/role", body)
            assert (answer.status_code == 409) == (role is not ROLES[member])
            self._set_role(name, number, ROLES[member])

    # Gold, difficult objects, findings.

    @stateful.rule(name=organisers, window=windows, image=images)
    def look_at_gold(self, name: str, window: str, image: int) -> None:
        answer = self.browsers[name, window].get(f"{API}/gold/{image}")
        if answer.status_code == 200:
            self.shown[name, window, "gold"] = answer.get_json() | {"rows": self._gold_of(image)}

    @stateful.rule(name=organisers, window=windows)
    def choose_gold(self, name: str, window: str) -> None:
        page = self.shown.get((name, window, "gold"))
        if page is None or page["annotation_id"] is None:
            return
        gold = page["gold"]
        seen = gold["annotation_id"] if gold else page["annotation_id"]
        body = {"annotation_id": seen, "is_training": False, "note": name} | _version(page)
        browser = self.browsers[name, window]
        path = f"{API}/gold/{page['image_id']}"
        before = self._gold_of(page["image_id"])
        answer = browser.put(path, body)
        assert answer.status_code in (200, 404, 409, 422), answer.text
        if answer.status_code == 200:
            assert before == page["rows"]
            shown = gold["objects"] if gold else page["objects"]
            assert _look(answer.get_json()["gold"]["objects"]) == _look(shown)

    @stateful.rule(name=organisers, window=windows)
    def look_at_difficult(self, name: str, window: str) -> None:
        answer = self._post(name, window, "/difficult/person/take")
        if answer.status_code == 200:
            self.shown[name, window, "difficult"] = answer.get_json()["objects"]

    @stateful.rule(name=organisers, window=windows, is_difficult=st.booleans())
    def judge_difficult(self, name: str, window: str, is_difficult: bool) -> None:
        for item in self.shown.get((name, window, "difficult"), ())[:1]:
            names = ("image_id", "annotation_id", "key")
            judged = {key: item[key] for key in names} | {"difficult": is_difficult}
            seen = self._size_of(item["image_id"], item["key"])
            answer = self._post(name, window, "/difficult/person/judgements", {"objects": [judged]})
            if answer.status_code == 200 and not answer.get_json()["late"]:
                assert seen == tuple(item["size"])

    @stateful.rule(name=organisers, is_difficult=st.booleans())
    def look_and_judge_difficult(self, name: str, is_difficult: bool) -> None:
        self.look_at_difficult(name, "first")
        self.judge_difficult(name, "first", is_difficult)

    @stateful.rule(name=organisers, image=images)
    def look_and_choose_gold(self, name: str, image: int) -> None:
        self.look_at_gold(name, "first", image)
        self.choose_gold(name, "first")

    @stateful.rule(name=judges, window=windows)
    def look_at_findings(self, name: str, window: str) -> None:
        page = self.browsers[name, window].get(f"{API}/findings").get_json()
        if page.get("findings"):
            self.shown[name, window, "finding"] = dict(page["findings"][0])

    @stateful.rule(name=judges, window=windows, verdict=st.sampled_from(["right", "wrong"]))
    def judge_finding(self, name: str, window: str, verdict: str) -> None:
        shown = self.shown.get((name, window, "finding"))
        if shown is None:
            return
        with self.house.party.catalogue.reading() as session:
            before = session.get(Finding, shown["id"])
        body = {"verdict": verdict} | _version(shown)
        answer = self._post(name, window, f"/findings/{shown['id']}/verdict", body)
        if answer.status_code == 200:
            assert before is not None
            assert (before.message, before.verdict) == (shown["message"], shown["verdict"])
            judged = answer.get_json()
            shown |= {"verdict": judged["verdict"]} | _version(judged)

    # The verification page.

    @stateful.rule(count=st.integers(1, len(SUGGESTED)))
    def suggest_boxes(self, count: int) -> None:
        """A new set suggests boxes for an image that waits."""
        self._offer_new()
        with self.house.party.catalogue.reading() as session:
            waits = select(Image.id).where(Image.state == ImageState.POOL)
            image_id = session.scalar(waits.order_by(Image.id.desc()).limit(1))
        if image_id is not None:
            suggest(self.house.party, image_id, SUGGESTED[:count])

    @stateful.rule(name=people, window=windows)
    def take_to_verify(self, name: str, window: str) -> None:
        asked = self._post(name, window, "/questions/classes/person/take").get_json()["questions"]
        assert len(asked) <= AT_ONCE
        assert len({question["kind"] for question in asked}) <= 1
        self.shown[name, window, "verify"] = asked

    @stateful.rule(name=people, window=windows, rng=st.randoms(use_true_random=False))
    def say(self, name: str, window: str, rng: random.Random) -> None:
        """Answer a question of the page, also one that was settled since, or for a second time."""
        if not (asked := self.shown.get((name, window, "verify"))):
            return
        question = rng.choice(asked)
        words = WORDS[question["kind"]]
        said = rng.choice([words[0], *words])  # most boxes are right
        path = f"/questions/{question['id']}/answer"
        body = {"version": question["version"], "said": said, "took_ms": 900}
        answer = self._post(name, window, path, body)
        if answer.status_code == 200 and (number := answer.get_json()["answer_id"]):
            self.answers[number] = (question["id"], said)
            self.shown[name, window, "answer"] = number

    @stateful.rule(name=people, window=windows)
    def take_answer_back(self, name: str, window: str) -> None:
        if number := self.shown.pop((name, window, "answer"), None):
            self._post(name, window, "/questions/undo", {"answer_ids": [number]})

    @stateful.rule(name=people, rng=st.randoms(use_true_random=False))
    def verify_some(self, name: str, rng: random.Random) -> None:
        self.take_to_verify(name, "first")
        for _ in range(3):
            self.say(name, "first", rng)

    @stateful.rule(rng=st.randoms(use_true_random=False))
    def verify_new_boxes(self, rng: random.Random) -> None:
        """Two people see the boxes before anybody draws the image."""
        if self.images < MOST_IMAGES + 2:
            self._add_image()
        self.suggest_boxes(len(SUGGESTED))
        for name in rng.sample(list(ROLES), 2):
            self.verify_some(name, rng)

    # The pixels of objects.

    @stateful.rule(twice=st.booleans())
    def choose_to_segment(self, twice: bool) -> None:
        with self.house.party.catalogue.writing() as session:
            made: Json = {"classes": (), "seed": 1, "at": self.house.clock.at}
            with suppress(ChoiceError):  # no image is left, or none has an object
                choose_images(session, 1, twice_share=float(twice), **made)

    @stateful.rule(name=people, window=windows)
    def take_to_segment(self, name: str, window: str) -> None:
        self._take(name, window, "segment", {})

    @stateful.rule(name=judges, window=windows)
    def take_to_check_segments(self, name: str, window: str) -> None:
        self._take(name, window, "check-segment", {})

    @stateful.rule(name=people, window=windows, ends=st.booleans())
    def segment(self, name: str, window: str, ends: bool) -> None:
        task = self.shown.get((name, window, "segment"))
        if task is None:
            return
        before = task["segmentation"]
        body = {
            "save_key": new_key(),
            "parent_id": before["id"] if before else None,
            "annotation_id": task["annotation"]["id"],
            "finish": ends,
            "segments": _outline(task["annotation"]["objects"]),
        }
        answer = self._post(name, window, f"/images/{task['image_id']}/segmentations", body)
        if answer.status_code == 201:
            task["segmentation"] = answer.get_json()["segmentation"]

    @stateful.rule(name=judges, window=windows, verdict=st.sampled_from(["accept", "returned"]))
    def check_segments(self, name: str, window: str, verdict: str) -> None:
        task = self.shown.get((name, window, "check-segment"))
        if task is None:
            return
        number = task["segmentation"]["id"]
        words = "Ears." if verdict == "returned" else ""
        body = {"save_key": new_key(), "verdict": verdict, "comments": words}
        self._post(name, window, f"/segmentations/{number}/reviews", body)

    @stateful.rule(name=people, other=judges)
    def segment_whole(self, name: str, other: str) -> None:
        self.choose_to_segment(twice=False)
        self.take_to_segment(name, "first")
        self.segment(name, "first", ends=True)
        self.take_to_check_segments(other, "first")
        self.check_segments(other, "first", "accept")

    # Several steps of which the last one meets what the others made.

    @stateful.rule(name=people, boss=organisers)
    def undo_after_a_reopening(self, name: str, boss: str) -> None:
        """What an organiser reopened stays open when who drew on it since is undone."""
        image = self._draw_again(name, boss)
        if image is not None and name != boss:
            self.undo(boss, "first", name)
            assert self.house.state(image) is not ImageState.DISCARDED

    @stateful.rule(name=people, boss=organisers, other=judges)
    def correct_with_a_discard(self, name: str, boss: str, other: str) -> None:
        """A checker restores a revision that discarded the image."""
        image = self._draw_again(name, boss)
        if image is None:
            return
        self.open_to_check(other, "first", image)
        self.look_at_history(other, "first", image)
        page = self.shown.get((other, "first", "history"), {"revisions": []})
        for place, line in enumerate(page["revisions"]):
            if line["discarded"]:
                self.restore(other, "first", place)

    @stateful.rule(name=people, other=judges, box=boxes)
    def draw_what_is_difficult(self, name: str, other: str, box: list[int]) -> None:
        """An object is judged, corrected, judged again, and the correction is undone."""
        image = self._draw_new(name, "person")
        if image is None:
            return
        self._judge_on(image, True)
        self.open_again(name, "first", image)
        self.save(name, "first", box, ends=True, what="person")
        self.what_an_organiser_said_of_difficulty_stays()
        self.open_to_check(other, "first", image)
        self.review(other, "first", "fixed")
        self._judge_on(image, False)
        self.undo("pat", "first", other)

    @stateful.rule(name=people, boss=organisers)
    def undo_gold(self, name: str, boss: str) -> None:
        if (image := self._draw_new(name, "cat")) is not None:
            self.look_at_gold(boss, "second", image)
            self.look_and_choose_gold(boss, image)
            self.choose_gold(boss, "second")
            self.undo(boss, "first", name)

    @stateful.rule(name=people, boss=organisers, other=judges)
    def end_a_campaign_at_once(self, name: str, boss: str, other: str) -> None:
        """The image is where it was before the campaign, unless another one waited for it."""
        if (image := self._draw_new(name, "dog")) is not None:
            self.open_to_check(other, "first", image)
            self.review(other, "first", "accept")
            before = self.house.state(image)
            is_wanted = self._is_wanted(image)
            self._look_up_one(boss, image)
            self.start_campaign(boss, "first")
            self.end_campaign(boss, "first")
            assert is_wanted or self.house.state(image) is before

    @stateful.rule(name=people, box=boxes)
    def save_in_both_windows(self, name: str, box: list[int]) -> None:
        self._offer_new()
        self.take(name, "first")
        if task := self.shown.get((name, "first", "annotate")):
            self.open_again(name, "second", task["image_id"])
            self.save(name, "first", box, ends=False, what="cat")
            self.save(name, "second", box, ends=False, what="dog")
            self.save(name, "first", box, ends=True, what="cat")

    @stateful.rule(name=judges)
    def check_own_work(self, name: str) -> None:
        if (image := self._draw_new(name, "cat")) is not None:
            self.open_to_check(name, "first", image)
            self.review(name, "first", "accept")

    @stateful.rule(name=people)
    def draw_again_after_a_restore(self, name: str) -> None:
        self.back_up()
        self._draw_new(name, "cat")
        self.check_all()
        self.restore_backup()
        self._draw_new(name, "dog")

    @stateful.rule(name=st.sampled_from(["ann", "ben"]), other=st.sampled_from(["chris", "dana"]))
    def dispute(self, name: str, other: str) -> None:
        """A checker returns an image as often as they may, and becomes an organiser."""
        image = self._draw_new(name, "person")
        for _ in range(2 if image is not None else 0):
            self.open_to_check(other, "first", image or 0)
            self.review(other, "first", "returned")
            self.open_again(name, "first", image or 0)
            self.save(name, "first", [1, 1, 102, 101], ends=True, what="person")
        self.change_role("olga", other, Role.ORGANISER)

    @stateful.rule(name=st.sampled_from(["ann", "ben"]), other=st.sampled_from(["chris", "dana"]))
    def judge_what_was_shown_before(self, name: str, other: str) -> None:
        """One window of a checker shows a revision, while they check a newer one in the other."""
        if (image := self._draw_new(name, "cat")) is not None:
            self.open_to_check(other, "first", image)
            self.open_to_check(other, "second", image)
            self.review(other, "first", "returned")
            self.open_again(name, "first", image)
            self.save(name, "first", [1, 1, 102, 101], ends=True, what="cat")
            self.open_to_check(other, "first", image)
            self.review(other, "second", "accept")

    @stateful.rule(name=people, boss=organisers)
    def take_back_what_was_taken_again(self, name: str, boss: str) -> None:
        """The board shows who has an image; they give it back and open it again."""
        self._offer_new()
        self.take(name, "first")
        task = self.shown.get((name, "first", "annotate"))
        holds = self.browsers[boss, "first"].get(f"{API}/board").get_json()["holds"]
        number = self.house.person(name).id
        theirs = [hold for hold in holds if hold["person_id"] == number]
        if task is None or not theirs:
            return
        before = self._list_leases()
        self.give_back(name, "first")
        self.open_again(name, "first", task["image_id"])
        after = self._list_leases()
        for hold in theirs:
            path = f"/board/people/{hold['person_id']}/leases/{hold['lease_id']}/take-back"
            answer = self._post(boss, "first", path, _version(hold))
            assert answer.status_code != 200 or before & after

    @stateful.rule(name=people, boss=organisers)
    def undo_after_more_work(self, name: str, boss: str) -> None:
        """The page of an undo shows less work than there is by now."""
        if name == boss:
            return
        number = self.house.person(name).id
        plan = self._plan_undo(boss, number)
        if self._draw_new(name, "cat") is not None:
            body = {"dry_run": False} | _version(plan)
            answer = self._post(boss, "first", f"/people/{number}/undo", body)
            assert answer.status_code == 409

    @stateful.rule(verdict=st.sampled_from(["right", "wrong"]))
    def judge_a_finding_twice(self, verdict: str) -> None:
        self.look_at_findings("chris", "first")
        self.look_at_findings("dana", "first")
        self.judge_finding("chris", "first", "right")
        self.judge_finding("dana", "first", verdict)

    def _draw_new(self, name: str, what: str) -> int | None:
        """The image that the person finished just now, if they did; a new one comes if none waits.

        What they finished may be an image that they had in hand.
        """
        self._offer_new()
        self.shown.pop((name, "first", "annotate"), None)
        self.take(name, "first")
        task = self.shown.get((name, "first", "annotate"))
        if task is None:
            return None
        self.save(name, "first", [9, 9, 118, 109], ends=True, what=what)
        image = self.house.image(task["image_id"])
        is_drawn = image.state is ImageState.ANNOTATED and task["annotation"] is not None
        return image.id if is_drawn and task["annotation"]["id"] == image.annotation_id else None

    def _draw_again(self, name: str, boss: str) -> int | None:
        """The image that the person drew, an organiser discarded and reopened, and they drew."""
        image = self._draw_new(name, "cat")
        if image is None:
            return None
        for action in ("discard", "reopen"):
            self._look_up_one(boss, image)
            self.act(boss, "first", action)
        self.open_again(name, "first", image)
        self.save(name, "first", [8, 8, 116, 108], ends=True, what="dog")
        return image if self.house.state(image) is ImageState.ANNOTATED else None

    def _look_up_one(self, name: str, image: int) -> None:
        self.look_up(name, "first")
        listed = self.shown[name, "first", "images"]
        chosen = [item for item in listed if item["image_id"] == image]
        self.shown[name, "first", "images"] = chosen

    def _judge_on(self, image: int, is_difficult: bool) -> None:
        """Let the organiser who may judge persons now judge the one on the image."""
        for name in ("olga", "pat"):
            self.look_at_difficult(name, "first")
            listed = self.shown.pop((name, "first", "difficult"), ())
            if chosen := [item for item in listed if item["image_id"] == image]:
                self.shown[name, "first", "difficult"] = chosen
                self.judge_difficult(name, "first", is_difficult)
                return

    def _plan_undo(self, name: str, person_id: int) -> Json:
        """What the page of an undo shows."""
        answer = self._post(name, "first", f"/people/{person_id}/undo", {"dry_run": True})
        assert answer.status_code == 200, answer.text
        plan: Json = answer.get_json()
        return plan

    def _is_wanted(self, image: int) -> bool:
        """Whether a campaign waits until the image is free."""
        waits = CampaignImage.image_id == image, CampaignImage.asked_at.is_(None)
        with self.house.party.catalogue.reading() as session:
            return session.scalar(select(CampaignImage.image_id).where(*waits)) is not None

    def _list_open_campaigns(self) -> set[tuple[str, datetime]]:
        """Name and beginning of the campaigns that did not end."""
        open_ones = select(Campaign.name, Campaign.made_at).where(Campaign.ended_at.is_(None))
        with self.house.party.catalogue.reading() as session:
            return set(session.execute(open_ones).tuples())

    def _list_leases(self) -> set[int]:
        return {lease.id for lease in self.house.leases()}

    # What commands do.

    @stateful.rule(rng=st.randoms(use_true_random=False))
    def change_classes(self, rng: random.Random) -> None:
        self.classes.change(self.house.party, rng, next(self.names), self.house.clock.at)

    @stateful.rule(rng=st.randoms(use_true_random=False))
    def change_a_class_twice(self, rng: random.Random) -> None:
        """What an earlier change made is changed again."""
        party = self.house.party
        at = self.house.clock.at
        self.classes.change_twice(party, rng, lambda: next(self.names), at)

    @stateful.rule(rng=st.randoms(use_true_random=False))
    def edit_preset(self, rng: random.Random) -> None:
        """The preset's file is edited and applied, and the party is served again."""
        at = self.house.clock.at
        number = next(self.names)
        self._serve(self.classes.edit_preset(self.house.party, rng, number, at))

    @stateful.rule()
    def back_up(self) -> None:
        file = self.folder / f"{next(self.names)}.tar"
        write_backup(self.house.party, file, lambda _count: None)
        self.backup = Backup(
            file=file,
            preset=self.house.party.file_preset,
            classes=self.classes.copy(),
            saved=dict(self.saved),
            reviews=set(self.reviews),
            answers=dict(self.answers),
            images=self.images,
        )

    @stateful.rule()
    def restore_backup(self) -> None:
        """The party comes back of its last backup, and every window stays open as it is."""
        if (backup := self.backup) is None:
            return
        folder = self.folder / f"party-{next(self.names)}"
        restore_backup(backup.file, folder)
        self.classes = backup.classes.copy()
        self.saved = dict(backup.saved)
        self.reviews = set(backup.reviews)
        self.answers = dict(backup.answers)
        self.images = backup.images
        data = self.opened.enter_context(open_data(folder))
        party = replace(read_preset(data), file_preset=backup.preset)
        with party.catalogue.reading() as session:
            self._serve(complete_party(party, session))
        self.ask_doctor()

    def export(self) -> None:
        """A release of all checked images; verify finds nothing in what was written."""
        with self.house.party.catalogue.reading() as session:
            party = follow_classes(self.house.party, session)
        number = next(self.names)
        target = self.folder / f"release-{number}"
        order = ReleaseOrder(is_forced=True)
        wanted: Json = {"year": 2026, "name": f"VOC{number}", "order": order}
        with suppress(NothingCheckedError):
            export_release(party, target, at=self.house.clock.at, **wanted)
            assert verify_tree(target) == []

    def go_on(self, seed: int, steps: int) -> None:
        """Steps in an order that a seed draws, each once a round; every invariant follows each."""
        rng = random.Random(seed)
        rounds = itertools.chain.from_iterable(iter(lambda: rng.sample(STEPS, len(STEPS)), None))
        for step in itertools.islice(rounds, steps):
            step(self, rng)
            self.check_all()
        self.export()
        self.check_all()
        self.ask_doctor()

    def check_all(self) -> None:
        """Every invariant, as after each rule."""
        for name, member in vars(Work).items():
            if name in INVARIANTS:
                member(self)

    # What holds after every step.

    @stateful.invariant()
    def each_image_has_one_state_and_one_holder(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            rows = {image.id: image for image in session.scalars(select(Image))}
            boxed = select(Lease).where(Lease.kind.in_(HELD))
            leases = {lease.image_id: lease for lease in session.scalars(boxed)}
            ended = set(session.scalars(select(EndedLease.id)))
        assert len(rows) == self.images
        for image in rows.values():
            lease = leases.get(image.id)
            assert (lease is not None) == (image.state in HELD.values()), image.state
            assert lease is None or HELD[lease.kind] is image.state
        assert not ended & {lease.id for lease in leases.values()}

    @stateful.invariant()
    def an_images_state_follows_from_its_rows(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            assert list(list_wrong_states(session)) == []

    def ask_doctor(self) -> None:
        with self.house.party.catalogue.reading() as session:
            for check in (compare_images, compare_counts, compare_words):
                assert check(session).different == ()

    @stateful.invariant()
    def each_object_is_of_the_class_that_its_author_meant(self) -> None:
        if hasattr(self, "house"):
            self.classes.check(self.house.party)

    @stateful.invariant()
    def nothing_acknowledged_is_lost_or_changed(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            rows = {row.id: row for row in session.scalars(select(Annotation))}
            drawn: dict[int, list[tuple[str, list[int]]]] = {}
            for item in session.scalars(select(Object).order_by(Object.number)):
                seen = item.class_today, list(item.box.xyxy)
                drawn.setdefault(item.annotation_id, []).append(seen)
            heads = [number for number in session.scalars(select(Image.annotation_id)) if number]
            reviews = {row.id: row for row in session.scalars(select(Review))}
        for number, row in rows.items():
            assert self.given.setdefault(number, row.save_key) == row.save_key
        for number, (image_id, save_key, kept) in self.saved.items():
            assert (rows[number].image_id, rows[number].save_key) == (image_id, save_key)
            meant = [(self.classes.today(key), box) for key, box in kept]
            assert drawn.get(number, []) == meant
        assert all(not rows[head].is_stale for head in heads)
        assert self.reviews <= reviews.keys()
        hands = _list_hands(rows.values())
        for review in reviews.values():
            assert (review.annotation_id, review.person_id) not in hands  # no one checks their own

    @stateful.invariant()
    def what_is_checked_was_accepted_by_another_person(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            checked = select(Image).where(Image.state == ImageState.CHECKED)
            for image in session.scalars(checked):
                about = Review.annotation_id == image.annotation_id
                fixed = Review.fixed_annotation_id == image.annotation_id
                counts = Review.set_aside_at.is_(None), Review.verdict != Verdict.RETURNED
                assert session.scalars(select(Review).where(about | fixed, *counts)).first()

    @stateful.invariant()
    def what_an_organiser_said_of_difficulty_stays(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            newest: dict[tuple[int, str], bool] = {}
            for row in session.scalars(select(Difficulty).order_by(Difficulty.id)):
                newest[row.image_id, row.object_key] = row.is_difficult
            shown = select(Image.id, Object.object_key, Object.difficult)
            shown = shown.join(Object, Object.annotation_id == Image.annotation_id)
            shown = shown.where(Object.annotation_id.not_in(select(ReleaseImage.annotation_id)))
            for image_id, key, is_difficult in session.execute(shown).tuples():
                assert is_difficult == newest.get((image_id, key), False), (image_id, key)

    @stateful.invariant()
    def what_people_answered_is_kept_and_counts_once(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            rows = {row.id: row for row in session.scalars(select(QuestionAnswer))}
            of_suggestions = select(Question).where(Question.suggestion_id.is_not(None))
            asked = [(row.suggestion_id, row.person_id) for row in session.scalars(of_suggestions)]
        for number, answer in self.answers.items():
            assert (rows[number].question_id, rows[number].said) == answer
        standing = [row.question_id for row in rows.values() if row.set_aside_at is None]
        assert len(standing) == len(set(standing))
        assert len(asked) == len(set(asked)), "one person was asked twice"

    @stateful.invariant()
    def a_box_is_confirmed_where_two_people_call_it_right_and_nobody_otherwise(self) -> None:
        if not hasattr(self, "house"):
            return
        answers = select(Question.suggestion_id, Question.person_id, QuestionAnswer.said)
        answers = answers.join(QuestionAnswer, QuestionAnswer.question_id == Question.id)
        with self.house.party.catalogue.reading() as session:
            said = defaultdict[int, dict[int, Said]](dict)
            for number, person_id, word in session.execute(
                answers.where(QuestionAnswer.set_aside_at.is_(None))
            ):
                said[number][person_id] = word
            for image_id in session.scalars(select(Suggestion.image_id).distinct()).all():
                shown = load_for_image(session, image_id, ["person"])
                right = {
                    item.id
                    for item in shown
                    if len(said[item.id]) >= 2 and set(said[item.id].values()) == {Said.RIGHT}
                }
                confirmed = {item.id for item in shown if item.is_confirmed}
                assert confirmed <= right  # of two sets that suggest one object, one is
                assert bool(confirmed) == bool(right)

    @stateful.invariant()
    def gold_in_use_has_a_reference_that_counts(self) -> None:
        if not hasattr(self, "house"):
            return
        with self.house.party.catalogue.reading() as session:
            undone = select(GoldImage).join(Annotation, Annotation.id == GoldImage.annotation_id)
            undone = undone.where(Annotation.set_aside_at.is_not(None))
            assert not session.scalars(undone.where(GoldImage.ended_at.is_(None))).all()

    @stateful.invariant()
    def an_ended_campaign_asks_for_nothing(self) -> None:
        if not hasattr(self, "house"):
            return
        asks = Decision.kind == DecisionKind.ASKED_AGAIN, Decision.set_aside_at.is_(None)
        settled = CampaignImage.asked_at.is_not(None), Campaign.ended_at.is_not(None)
        of_image = (
            CampaignImage.campaign_id == Decision.campaign_id,
            CampaignImage.image_id == Decision.image_id,
        )
        asking = select(Decision).join(CampaignImage, and_(*of_image))
        asking = asking.join(Campaign, Campaign.id == Decision.campaign_id)
        with self.house.party.catalogue.reading() as session:
            assert not session.scalars(asking.where(*asks, *settled)).all()

    # Steps.

    def _serve(self, party: Party) -> None:
        """Serve the party from now on; the windows stay as they are."""
        before = self.house
        self.house = House(without_lottery(party, gold_share=0.3), presence_pass=True)
        self.house.clock = before.clock
        self.house.numbers = before.numbers
        for key, browser in self.browsers.items():
            self.browsers[key] = self.house.window_of(browser)

    def _offer_new(self) -> None:
        """Add an image where none waits, unless there are many."""
        with self.house.party.catalogue.reading() as session:
            waiting = select(Image.id).where(Image.state == ImageState.POOL).limit(1)
            waits = session.scalar(waiting) is not None
        if not waits and self.images < MOST_IMAGES:
            self._add_image()

    def _add_image(self) -> None:
        image_id = self.house.add_image()
        colour = f"#{30 * self.images:02x}6090"
        self.images += 1
        sha256 = self.house.party.store.put(make_jpeg(colour))
        with self.house.party.catalogue.writing() as session:
            session.get_one(Image, image_id).sha256 = sha256

    def _list_decisions_of_others(self, person_id: int) -> set[int]:
        """The decisions that count, but for the person's and those about the person's revisions."""
        theirs = select(Annotation.id).where(Annotation.person_id == person_id)
        about = Decision.annotation_id.in_(theirs) & Decision.kind.in_(OF_REVISIONS)
        is_own = func.coalesce(Decision.person_id == person_id, false())
        stand = Decision.set_aside_at.is_(None), ~is_own, ~func.coalesce(about, false())
        with self.house.party.catalogue.reading() as session:
            return set(session.scalars(select(Decision.id).where(*stand)))

    def _post(self, name: str, window: str, path: str, body: Json | None = None) -> TestResponse:
        answer = self.browsers[name, window].post(f"{API}{path}", body)
        assert answer.status_code in (200, 201, 403, 404, 409, 422), (path, answer.text)
        return answer

    def _set_role(self, name: str, person_id: int, role: Role) -> None:
        body = {"role": role} | _version(self._find_member(name, person_id))
        answer = self._post(name, "first", f"/people/{person_id}/role", body)
        assert answer.status_code == 200, answer.text

    def _find_member(self, name: str, person_id: int) -> Json:
        """The person as the organiser's page shows them."""
        members = self.browsers[name, "first"].get(f"{API}/people").get_json()["people"]
        return next(item for item in members if item["id"] == person_id)

    def _take(self, name: str, window: str, kind: str, body: Json) -> None:
        answer = self._post(name, window, f"/tasks/{kind}", body)
        if answer.status_code == 200 and answer.get_json()["task"]:
            self.shown[name, window, kind] = answer.get_json()["task"]

    def _note(self, number: int, task: Json, body: Json) -> None:
        kept = [(item["class"], item["box"]) for item in body["objects"]]
        self.saved[number] = (task["image_id"], body["save_key"], kept)

    def _gold_of(self, image_id: int) -> tuple[Any, ...]:
        """The image's newest revision, and the choice of it as gold."""
        with self.house.party.catalogue.reading() as session:
            gold = session.get(GoldImage, image_id)
            choice = (gold.annotation_id, gold.note, gold.ended_at) if gold else ()
        return self._head(image_id), *choice

    def _head(self, image_id: int) -> int | None:
        image = self._find_image(image_id)
        return image.annotation_id if image else None

    def _place(self, image_id: int) -> tuple[str, datetime] | None:
        image = self._find_image(image_id)
        return (image.state.value, image.state_at) if image else None

    def _find_image(self, image_id: int) -> Image | None:
        """The image with its newest revision, or None where a restore lost it."""
        with self.house.party.catalogue.reading() as session:
            image = session.get(Image, image_id)
            if image and image.annotation:
                assert image.annotation.objects is not None
            return image

    def _is_kept(self, annotation_id: int) -> bool:
        """Whether no restore lost the revision."""
        with self.house.party.catalogue.reading() as session:
            return session.get(Annotation, annotation_id) is not None

    def _is_beside(self, annotation_id: int) -> bool:
        with self.house.party.catalogue.reading() as session:
            return session.get_one(Annotation, annotation_id).is_stale

    def _look_of(self, image_id: int) -> list[Any]:
        image = self._find_image(image_id)
        head = image.annotation if image else None
        return [(item.object_key, list(item.box.xyxy)) for item in head.objects] if head else []

    def _size_of(self, image_id: int, key: str) -> tuple[int, int] | None:
        image = self._find_image(image_id)
        head = image.annotation if image else None
        sizes = {
            item.object_key: (item.box.width_px, item.box.height_px)
            for item in (head.objects if head else ())
        }
        return sizes.get(key)

    def _list_disputed(self) -> list[int]:
        disputes = self.browsers["olga", "first"].get(f"{API}/disputes").get_json()["disputes"]
        return [item["image_id"] for item in disputes]

    def _count_standing(self, person_id: int) -> int:
        """The person's verdicts on drawings that count."""
        with self.house.party.catalogue.reading() as session:
            said = select(SegmentationReview).where(SegmentationReview.person_id == person_id)
            rows = session.scalars(said).all()
            return sum(getattr(row, "set_aside_at", None) is None for row in rows)


def draw_thing(class_id: str, box: list[int]) -> Json:
    """An object of the class."""
    is_person = class_id == "person"
    view = "Left" if is_person else "Unspecified"
    actions = ["walking"] if is_person else []
    return thing(**{"class": class_id}, box=box, parts=[], view=view, actions=actions)


def _list_hands(revisions: Iterable[Annotation]) -> set[tuple[int, int]]:
    """Each revision with each person who drew it or one before it."""
    drawn = [row for row in revisions if not row.is_stale]
    of_image = defaultdict[int, set[int]](set)
    hands = set[tuple[int, int]]()
    for row in sorted(drawn, key=lambda row: row.id):
        of_image[row.image_id].add(row.person_id)
        hands |= {(row.id, person_id) for person_id in of_image[row.image_id]}
    return hands


def _version(shown: Json) -> Json:
    return {"version": shown["version"]}


def _look(objects: list[Json]) -> list[Any]:
    return [(item["key"], item["box"]) for item in objects if "key" in item]


def _outline(objects: list[Json]) -> list[Json]:
    """Each object's box, filled."""
    outlines = []
    for depth, item in enumerate(objects):
        xmin, ymin, xmax, ymax = item["box"]
        ring = [xmin - 1, ymin - 1, xmax, ymin - 1, xmax, ymax, xmin - 1, ymax]
        outlines.append({"object_key": item["key"], "depth": depth, "rings": [ring]})
    return outlines


def _name(rng: random.Random, *roles: Role) -> str:
    return rng.choice([name for name, role in ROLES.items() if not roles or role in roles])


def _judge(rng: random.Random) -> str:
    return _name(rng, Role.CHECKER, Role.ORGANISER)


def _annotator(rng: random.Random) -> str:
    return _name(rng, Role.ANNOTATOR)


def _boss(rng: random.Random) -> str:
    return _name(rng, Role.ORGANISER)


def _window(rng: random.Random) -> str:
    return rng.choice(("first", "first", "first", "second"))


def _box(rng: random.Random) -> list[int]:
    at = rng.randint(1, 40)
    return [at, at, at + 100 + at, at + 100]


Step = Callable[[Work, random.Random], None]
STEPS: list[Step] = [
    *[lambda work, rng: work.draw(_name(rng), _window(rng), _box(rng))] * 4,
    *[
        lambda work, rng: work.check(
            _judge(rng), _window(rng), rng.choice(("accept", "accept", "fixed", "returned"))
        )
    ]
    * 5,
    lambda work, rng: work.take(_name(rng), _window(rng)),
    *[lambda work, rng: work.open_again(_name(rng), _window(rng), rng.randint(1, IMAGES))] * 2,
    lambda work, rng: work.open_to_check(_judge(rng), _window(rng), rng.randint(1, IMAGES)),
    *[
        lambda work, rng: work.save(
            _name(rng),
            _window(rng),
            _box(rng),
            rng.random() < 0.5,
            rng.choice((*DRAWN, "deletes", "discards")),
        )
    ]
    * 4,
    lambda work, rng: work.review(
        _judge(rng), _window(rng), rng.choice(("accept", "fixed", "returned"))
    ),
    lambda work, rng: work.give_back(_name(rng), _window(rng)),
    lambda work, rng: work.wait(rng.choice((1, 61, 599, 700, 2_000))),
    lambda work, rng: work.look_at_history(_name(rng), _window(rng), rng.randint(1, IMAGES)),
    lambda work, rng: work.restore(_name(rng), _window(rng), rng.randint(0, 5)),
    lambda work, rng: work.look_up(_boss(rng), _window(rng)),
    lambda work, rng: work.act(
        _boss(rng), _window(rng), rng.choice(("return", "reopen", "discard"))
    ),
    *[
        lambda work, rng: work.look_up_and_act(
            _boss(rng), rng.choice(("return", "reopen", "reopen", "discard"))
        )
    ]
    * 2,
    lambda work, rng: work.take_back(_boss(rng), "first"),
    lambda work, rng: work.start_campaign(_boss(rng), _window(rng)),
    lambda work, rng: work.end_campaign(_boss(rng), _window(rng)),
    *[lambda work, rng: work.undo(_boss(rng), "first", _name(rng))] * 2,
    lambda work, rng: work.release(rng.randint(1, IMAGES)),
    lambda work, rng: work.change_role(
        _boss(rng), rng.choice(("chris", "dana", "pat")), rng.choice(list(Role))
    ),
    lambda work, rng: work.look_at_gold(_boss(rng), _window(rng), rng.randint(1, IMAGES)),
    lambda work, rng: work.choose_gold(_boss(rng), _window(rng)),
    lambda work, rng: work.look_at_difficult(_boss(rng), _window(rng)),
    lambda work, rng: work.judge_difficult(_boss(rng), _window(rng), rng.random() < 0.7),
    lambda work, rng: work.look_and_judge_difficult(_boss(rng), rng.random() < 0.7),
    lambda work, rng: work.look_and_choose_gold(_boss(rng), rng.randint(1, IMAGES)),
    lambda work, rng: work.look_at_findings(_judge(rng), _window(rng)),
    lambda work, rng: work.judge_finding(_judge(rng), _window(rng), rng.choice(("right", "wrong"))),
    *[lambda work, rng: work.suggest_boxes(rng.randint(1, len(SUGGESTED)))] * 2,
    *[lambda work, rng: work.verify_new_boxes(rng)] * 3,
    lambda work, rng: work.verify_some(_name(rng), rng),
    lambda work, rng: work.take_to_verify(_name(rng), _window(rng)),
    *[lambda work, rng: work.say(_name(rng), _window(rng), rng)] * 2,
    lambda work, rng: work.take_answer_back(_name(rng), _window(rng)),
    lambda work, rng: work.choose_to_segment(rng.random() < 0.5),
    lambda work, rng: work.take_to_segment(_name(rng), _window(rng)),
    lambda work, rng: work.segment(_name(rng), _window(rng), rng.random() < 0.7),
    lambda work, rng: work.take_to_check_segments(_judge(rng), _window(rng)),
    lambda work, rng: work.check_segments(
        _judge(rng), _window(rng), rng.choice(("accept", "returned"))
    ),
    lambda work, rng: work.segment_whole(_name(rng), _judge(rng)),
    lambda work, rng: work.undo_after_a_reopening(_name(rng), _boss(rng)),
    lambda work, rng: work.correct_with_a_discard(_annotator(rng), _boss(rng), _judge(rng)),
    lambda work, rng: work.draw_what_is_difficult(_annotator(rng), _judge(rng), _box(rng)),
    lambda work, rng: work.undo_gold(_annotator(rng), _boss(rng)),
    lambda work, rng: work.end_a_campaign_at_once(_annotator(rng), _boss(rng), _judge(rng)),
    lambda work, rng: work.save_in_both_windows(_name(rng), _box(rng)),
    lambda work, rng: work.check_own_work(_judge(rng)),
    lambda work, rng: work.draw_again_after_a_restore(_name(rng)),
    lambda work, rng: work.dispute(_annotator(rng), _name(rng, Role.CHECKER)),
    lambda work, rng: work.judge_what_was_shown_before(_annotator(rng), _name(rng, Role.CHECKER)),
    lambda work, rng: work.take_back_what_was_taken_again(_name(rng), _boss(rng)),
    lambda work, rng: work.undo_after_more_work(_name(rng), _boss(rng)),
    lambda work, rng: work.judge_a_finding_twice(rng.choice(("right", "wrong"))),
    *[lambda work, rng: work.change_classes(rng)] * 2,
    lambda work, rng: work.change_a_class_twice(rng),
    lambda work, rng: work.edit_preset(rng),
    lambda work, rng: work.back_up(),
    lambda work, rng: work.restore_backup(),
]
INVARIANTS = (
    "each_image_has_one_state_and_one_holder",
    "an_images_state_follows_from_its_rows",
    "each_object_is_of_the_class_that_its_author_meant",
    "nothing_acknowledged_is_lost_or_changed",
    "what_is_checked_was_accepted_by_another_person",
    "what_an_organiser_said_of_difficulty_stays",
    "what_people_answered_is_kept_and_counts_once",
    "a_box_is_confirmed_where_two_people_call_it_right_and_nobody_otherwise",
    "gold_in_use_has_a_reference_that_counts",
    "an_ended_campaign_asks_for_nothing",
)


@contextmanager
def copy_party(template: Path) -> Iterator[Party]:
    """A new party on SQLite."""
    folder = Path(tempfile.mkdtemp())
    try:
        shutil.copytree(template, folder / "party")
        with open_party(folder / "party") as party:
            yield party
    finally:
        shutil.rmtree(folder)


@contextmanager
def empty_party(party: Party) -> Iterator[Party]:
    """The party without any rows but those that say which party it is."""
    names = [table.name for table in Base.metadata.sorted_tables if table.name not in OF_INSTANCE]
    with party.catalogue.writing() as session:
        session.execute(text(f"TRUNCATE {', '.join(names)} RESTART IDENTITY CASCADE"))
        register_words(session, party.file_preset)
    yield party


def run_machine(opener: Callable[[], Any], *, examples: int) -> None:
    machine = type("Machine", (Work,), {"open_party": staticmethod(opener)})
    few = settings(max_examples=int(LONG * 500) or examples, stateful_step_count=20)
    stateful.run_state_machine_as_test(machine, settings=few)


def run_seed(opener: Callable[[], Any], seed: int, steps: int = 80) -> None:
    """A long run, which its seed repeats; images come further than by rules."""
    work = type("Machine", (Work,), {"open_party": staticmethod(opener)})()
    try:
        work.open()
        work.go_on(seed, steps)
    finally:
        work.teardown()


def list_seeds(first: int, count: int) -> range:
    first += SEED * 1_000_000
    return range(first, first + (int(LONG * 500) or count))


def test_any_interleaving_of_actions_keeps_the_invariants(party_template: Path) -> None:
    run_machine(lambda: copy_party(party_template), examples=6)


@pytest.mark.parametrize("seed", list_seeds(0, 4))
def test_long_runs_keep_the_invariants(party_template: Path, seed: int) -> None:
    run_seed(lambda: copy_party(party_template), seed)


@pytest.mark.postgres
def test_long_runs_keep_the_invariants_on_postgresql(any_party: Party) -> None:
    if any_party.catalogue.engine.dialect.name == "postgresql":
        for seed in list_seeds(1_000, 3):
            run_seed(lambda: empty_party(any_party), seed)


@pytest.mark.parametrize("state", [ImageState.ANNOTATING, ImageState.CHECKED])
def test_the_invariants_detect_a_wrong_state(party_template: Path, state: ImageState) -> None:
    machine = type("Machine", (Work,), {"open_party": lambda: copy_party(party_template)})()
    machine.open()
    machine.house.set_state(1, state)
    try:
        with pytest.raises(AssertionError):
            machine.an_images_state_follows_from_its_rows()
        with pytest.raises(AssertionError):
            for check in (
                machine.each_image_has_one_state_and_one_holder,
                machine.what_is_checked_was_accepted_by_another_person,
            ):
                check()
    finally:
        machine.teardown()
