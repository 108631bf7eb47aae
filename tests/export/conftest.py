"""Parties with eight checked images."""

from __future__ import annotations

import pytest

from catalog.party import Party

from .rows import stock


@pytest.fixture
def stocked(party: Party) -> Party:
    """A stocked party on SQLite."""
    return stock(party)


@pytest.fixture
def any_stocked(any_party: Party) -> Party:
    """A stocked party, once on SQLite and once on PostgreSQL."""
    return stock(any_party)
