"""Parties with eight checked images, and releases without a drawn histogram."""

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


@pytest.fixture(autouse=True)
def _draw_nothing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes half a second of each release; two modules look at the drawing."""
    if request.path.stem not in ("test_accompanying_files", "test_anywhere"):
        drawn = "export.accompanying_files.datasheet.draw_class_histogram"
        monkeypatch.setattr(drawn, lambda *args: b"<svg/>")
