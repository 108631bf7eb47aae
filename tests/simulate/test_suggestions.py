"""Simulated people who accept every suggestion, in a party whose suggestions are nonsense."""

import random
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import pytest

from catalog.box import Box
from catalog.party import Party
from catalog.states import View
from qa.gold import choose_gold
from simulate.habits import CAREFUL, GULLIBLE, Habits
from simulate.people import SimulatedPerson
from simulate.photographs.known import KnownObject, KnownPhoto
from tests.annotate_ui.house import API, Browser, House, Json
from tests.suggesting import suggest

TRUTH = (
    KnownObject("dog", Box(20, 30, 150, 200), view=View.LEFT),
    KnownObject("cat", Box(200, 60, 330, 190), view=View.RIGHT),
)
NONSENSE = ((380, 210, 480, 320), (150, 240, 260, 350))
PHOTO = KnownPhoto("1", "both", "both.jpg", "both", "all", "scene", "both", 500, 375, None, TRUTH)
IMAGES = 9


@dataclass
class InProcess:
    """What a simulated person asks of a party, without a server."""

    browser: Browser

    def take(self, kind: str) -> Json | None:
        return self.browser.take(kind)

    def fetch_image(self, task: Json) -> None:
        """The person knows the image."""

    def save(self, task: Json, objects: list[Json], **more: Any) -> Json:
        answer = self.browser.save(task, objects, **more)
        assert answer.status_code == 201, answer.text
        saved: Json = answer.get_json()
        return saved


def enter(house: House, name: str, habits: Habits) -> SimulatedPerson:
    client: Any = InProcess(house.enter(house.add_person(name)))
    known = defaultdict[str, KnownPhoto](lambda: PHOTO)
    return SimulatedPerson(client, known, habits, random.Random(name))


def add_images(house: House, count: int) -> list[int]:
    """New images of the known objects, each with two boxes in which nothing is."""
    url = "https://www.flickr.com/photos/1@N99/1"
    image_ids = [house.add_image(page_url=url) for _ in range(count)]
    for image_id in image_ids:
        suggest(house.party, image_id, NONSENSE, class_id="dog")
    return image_ids


def test_people_who_accept_nonsense_are_named_and_suggestions_are_to_be_switched_off(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "work.suggestions.is_withheld", lambda _, image_id, _share: image_id % 3 == 0
    )
    house = House(party)
    ann, gus, dora = (
        enter(house, name, habits)
        for name, habits in (("ann", CAREFUL), ("gus", GULLIBLE), ("dora", CAREFUL))
    )
    house.set_qa(double_share=0.0, gold_share=0.0)
    gold = add_images(house, 3)
    assert ann.work("annotate", 3)["annotated"] == 3
    with house.party.catalogue.writing() as session:
        for image_id in gold:
            person_id = house.person("ann").id
            choose_gold(session, image_id, person_id=person_id, at=house.clock.at)
    house.set_qa(double_share=0.0, gold_share=1.0)
    gus.work("annotate", 3)
    house.set_qa(double_share=0.0, gold_share=0.0)
    add_images(house, IMAGES)
    gus.work("annotate", IMAGES)
    house.set_qa(double_share=1.0, gold_share=0.0)
    dora.work("annotate", IMAGES)
    effect = house.olga().get(f"{API}/board/agreement").get_json()["suggestions"]
    assert [line["name"] for line in effect["anchoring"]] == ["gus"]
    [line] = effect["anchoring"]
    assert line["wrong"] == 2 * 2  # of two images, since the lottery withholds those of the third
    assert line["accepted"]["value"] == 1
    assert effect["shown"]["missed"]["value"] > 0.5
    assert effect["withheld"]["missed"]["value"] == 0
    assert effect["advice"] == "misses_more"
