"""One request of one person, as the rules of annotating and checking see it; no Flask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.tables import Person


@dataclass(frozen=True)
class Visit:
    """Who asks, of which party, when, and the transaction that the answer is part of."""

    party: Party
    session: Session
    person: Person
    at: datetime
    tokens: Callable[[], str]
