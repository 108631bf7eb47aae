import pytest

from catalog.party import Party

from .house import House


@pytest.fixture
def house(party: Party) -> House:
    """A served party on SQLite."""
    return House(party)


@pytest.fixture
def any_house(any_party: Party) -> House:
    """A served party, once on SQLite and once on PostgreSQL."""
    return House(any_party)
