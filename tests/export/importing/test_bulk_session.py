"""A transaction that writes many rows ends as any other does."""

from __future__ import annotations

import pytest

from catalog.party import Party
from export.importing.bulk_session import writing_much


def test_ctrl_c_within_a_statement_is_told_as_such(any_party: Party) -> None:
    """SQLAlchemy closes the connection of a statement that was interrupted."""
    with pytest.raises(KeyboardInterrupt), writing_much(any_party.catalogue) as session:
        session.connection().invalidate()
        raise KeyboardInterrupt
