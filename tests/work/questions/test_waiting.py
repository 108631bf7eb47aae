"""What waits for nobody: images in other hands, sets that are off, images of the lottery."""

from dataclasses import replace
from typing import Any

import pytest

from catalog.party import Party
from catalog.states import ImageState
from tests.annotate_ui.house import House
from tests.suggesting import NOON, suggest

from .asking import add_verifier, count_of


@pytest.mark.parametrize(
    "state", [ImageState.ANNOTATING, ImageState.ANNOTATED, ImageState.TAKEN_DOWN]
)
def test_nothing_is_asked_of_an_image_that_somebody_draws(house: House, state: ImageState) -> None:
    image_id = house.add_image()
    suggest(house.party, image_id)
    ann = add_verifier(house, "ann")
    assert len(ann.take()) == 1
    house.set_state(image_id, state)
    assert ann.take() == []
    assert count_of(ann) == {}


@pytest.mark.parametrize("field", ["switched_off_at", "withdrawn_at"])
def test_nothing_is_asked_of_a_set_that_is_off(house: House, field: str) -> None:
    of_set: dict[str, Any] = {field: NOON}
    suggest(house.party, house.add_image(), **of_set)
    ann = add_verifier(house, "ann")
    assert ann.take() == []
    assert count_of(ann) == {}


def test_the_lottery_withholds_its_images_here_too(party: Party) -> None:
    suggestions = replace(party.settings.suggestions, withheld=1.0)
    house = House(replace(party, settings=replace(party.settings, suggestions=suggestions)))
    suggest(house.party, house.add_image())
    ann = add_verifier(house, "ann")
    assert ann.take() == []
    assert count_of(ann) == {}
