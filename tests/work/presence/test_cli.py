"""`vocparty questions`: what it costs, and how far it is."""

import json

import pytest

from catalog.hierarchy import Node
from catalog.party import Party
from catalog.states import NodeKind
from tests.annotate_ui.house import House
from tests.answered import answer
from work.presence.plans import make_rules


@pytest.fixture
def answered(party: Party) -> House:
    house = House(party)
    image_id = house.add_image()
    house.ann()
    with party.catalogue.writing() as session:
        for group in ("Vehicles", "Household"):
            node = Node(NodeKind.GROUP, group)
            person_id = house.person("ann").id
            answer(
                session, party, image_id, node, is_yes=False, person_id=person_id, at=house.clock.at
            )
    return house


def test_the_plan_tells_what_an_image_costs_by_setting(answered: House) -> None:
    result = answered.run("questions", "plan", "--json")
    assert result.exit_code == 0, result.output
    outlook = json.loads(result.stdout)
    assert (outlook["classes"], outlook["groups"], outlook["images"]) == (20, 9, 1)
    costs = [setting["answers_an_image"] for setting in outlook["settings"][:3]]
    assert costs == sorted(costs)
    assert costs[0] < len(answered.party.preset.classes) < costs[2]
    assert outlook["warnings"] == ["person is in no group, so it is asked of every image."]
    lines = answered.run("questions", "plan", "--again").output
    assert "Nobody is asked yet" in lines
    assert make_rules(answered.party).agree == 1


def test_the_status_tells_answers_and_people(answered: House) -> None:
    status = json.loads(answered.run("questions", "status", "--json").stdout)
    assert (status["images"], status["done"], status["answers"]) == (1, 0, 2)
    assert [person["name"] for person in status["people"]] == ["ann"]
    assert "0 of 1 images are settled" in answered.run("questions", "status").output
