from dataclasses import replace

import pytest

from catalog.party import Party
from qa.gold import choose_gold
from tests.annotate_ui.house import House, thing
from tests.suggesting import suggest


def without_lottery(party: Party, gold_share: float = 0.0) -> Party:
    """The party, which withholds no suggestions and shows so many gold crops."""
    suggestions = replace(party.settings.suggestions, withheld=0.0, gold_share=gold_share)
    return replace(party, settings=replace(party.settings, suggestions=suggestions))


@pytest.fixture
def house(party: Party) -> House:
    """A served party on SQLite that withholds no suggestions."""
    return House(without_lottery(party))


@pytest.fixture
def any_house(any_party: Party) -> House:
    """The same, once on SQLite and once on PostgreSQL."""
    return House(without_lottery(any_party))


CAT = thing("cat", **{"class": "cat"}, box=[300, 40, 420, 200], actions=[], parts=[])


@pytest.fixture
def mixed(party: Party) -> House:
    """A party where half of the crops are gold: of images with a person and a cat."""
    house = House(without_lottery(party, gold_share=0.5))
    ann = house.ann()
    for _ in range(12):
        image_id = house.add_image()
        assert ann.save(ann.take(), [thing("person"), CAT]).status_code == 201
        with house.party.catalogue.writing() as session:
            person_id = house.person("ann").id
            choose_gold(session, image_id, person_id=person_id, at=house.clock.at)
    boxes = [(1 + place, 1, 60 + place, 90) for place in range(40)]
    suggest(house.party, house.add_image(), boxes)
    return house
