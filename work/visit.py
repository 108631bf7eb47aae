"""Who asks, of which party, when, and the transaction that the answer is part of."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.settings import Settings
from catalog.stuck import select_stuck
from catalog.tables import Person
from qa.check_list import apply_live_settings

from .shared import MOST_SECS, OLDEST_SECS, SharedCounts

T = TypeVar("T")


@dataclass(frozen=True)
class Visit:
    """Who asks, of which party, when, in which transaction; `tokens` gives unguessable text."""

    party: Party
    session: Session
    person: Person
    at: datetime
    tokens: Callable[[], str] = secrets.token_urlsafe
    shown: set[int] = field(default_factory=set)
    """The images of which the answer shows what others drew, by which no test of them is blind."""
    changed: set[int] = field(default_factory=set)
    """The images that the automatic checks look at once the change is committed."""
    shared: SharedCounts = field(default_factory=SharedCounts)
    """Counts that hold for every visitor."""

    @cached_property
    def settings(self) -> Settings:
        """The party's settings with those of checking that organisers set meanwhile."""
        return apply_live_settings(self.session, self.party.settings)

    def share(
        self,
        key: Hashable,
        count: Callable[[Visit], T],
        *,
        most_secs: float = MOST_SECS,
        oldest_secs: float = OLDEST_SECS,
    ) -> T:
        """What is counted once for everybody who asks for the key (work/shared.py)."""
        person_id = self.person.id

        def count_again() -> T:
            with self.party.catalogue.reading() as session:
                person = session.get_one(Person, person_id)
                return count(
                    replace(self, session=session, person=person, shown=set(), changed=set())
                )

        return self.shared.get(
            key,
            lambda: count(self),
            count_again,
            most_secs=most_secs,
            oldest_secs=oldest_secs,
        )

    @cached_property
    def stuck(self) -> frozenset[int]:
        """The images that stop a page, which no list shows."""
        return frozenset(self.session.scalars(select_stuck()))
