from dataclasses import replace

import pytest

from catalog.party import Party
from tests.annotate_ui.house import House


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
