"""What a request to the party works with: the party that is served, and the visit of a person.

Bad rows cost one image: what a step about an image stumbles over is written down, and the request
is answered again without that image.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from flask import current_app
from flask.wrappers import Response
from sqlalchemy.orm import Session

from catalog.party import Party, follow_classes
from catalog.refusals import ForbiddenError, RefusedError, StuckError
from catalog.sentences import say
from catalog.session import Catalogue
from catalog.states import Role
from catalog.stuck import BadRowError, keep_stuck
from web.access import Access
from web.opened_for import OpenedFor, require_same
from web.service import SERVICE, Service
from web.sessions import get_person_id, note_seen
from work.findings import renew_findings
from work.people import display_name
from work.seen import find_unseen, keep_seen
from work.shared import SharedCounts
from work.visit import Visit

from .visitors import get_visitor, keep_seen_at

_PEOPLE = {
    Role.ORGANISER: say("organisers"),
    Role.ANNOTATOR: say("annotators"),
    Role.CHECKER: say("checkers"),
}
_MOST_TRIES = 20
"""Of one request; each but the first passes over one more image."""
_OTHER_PARTY = say(
    "This page was opened in another party, which was at this address before. Nothing was saved "
    "here. What was not sent stays in this browser for that party. Reload the page."
)


class PresentParty:
    """The party with its classes as they are today, which are read once after each change."""

    def __init__(self, party: Party) -> None:
        self._party = party

    def follow(self, session: Session, classes_number: int) -> Party:
        """The party with the classes of the newest change, which has this number."""
        party = self._party
        if party.classes_number != classes_number:
            party = self._party = follow_classes(party, session)
        return party


@dataclass(frozen=True, kw_only=True)
class PartyService(Service):
    """A party being served, and what holds for every visitor: its present classes, and counts."""

    party: Party
    present: PresentParty
    party_id: str
    shared: SharedCounts

    @property
    def catalogue(self) -> Catalogue:
        """The party's catalogue."""
        return self.party.catalogue

    @property
    def url(self) -> str:
        """The url of [serve]."""
        return self.party.settings.serve.url

    @property
    def metrics_from(self) -> Collection[str]:
        """The metrics_from of [serve]."""
        return self.party.settings.serve.metrics_from

    @contextmanager
    def visiting(
        self, access: Access, opened_for: OpenedFor | RefusedError | None, *, is_change: bool
    ) -> Iterator[Visit]:
        """The visit of an admitted person; only what changes something takes the write lock.

        Which images the answer shows is written in a transaction of its own: most answers only
        read.
        """
        at = self.now()
        if is_change:
            transaction = self.catalogue.writing(keeps_classes=True, visitor_id=get_person_id())
        else:
            transaction = self.catalogue.reading()
        with transaction as session:
            person, classes_number = get_visitor(session)
            require_same(
                person.id,
                self.party_id,
                opened_for,
                other_party=_OTHER_PARTY,
                other_person=say(
                    "{person} signed in in this browser, but this page was opened for another "
                    "person. Nothing was saved. What was not sent stays in this browser and is "
                    "sent when that person signs in again. Reload the page.",
                    person=display_name(person),
                ),
            )
            if person.role not in access.roles:
                people = _PEOPLE[person.role]
                raise ForbiddenError(say("This page is not for {people}.", people=people))
            is_due = note_seen(person, at=at)
            party = self.present.follow(session, classes_number)
            visit = Visit(party, session, person, at, self.tokens, shared=self.shared)
            yield visit
            unseen = find_unseen(session, person.id, visit.shown)
            if is_due and is_change:
                keep_seen_at(session, person.id, at)
            person_id = person.id
        if unseen:
            with self.catalogue.writing() as session:
                keep_seen(session, person_id, unseen, at=at)

    def answering(self, ask: Callable[[], Response]) -> Response:
        """The answer, asked for again without each image that stopped it.

        Raises StuckError where the image cannot be passed over, since the request is about it.
        """
        for _ in range(_MOST_TRIES):
            try:
                return ask()
            except BadRowError as error:
                with self.catalogue.writing() as session:
                    is_new = keep_stuck(session, error, at=self.now())
                if not is_new:
                    raise StuckError(
                        say("{problem} An organiser finds it on the board.", problem=error.message)
                    ) from error
        return ask()

    def finish(self, visit: Visit) -> None:
        """Let the automatic checks look at the images that the visit changed."""
        renew_findings(visit.party, visit.changed, at=visit.at)


def current_service() -> PartyService:
    """The service of the application that answers this request."""
    service: PartyService = current_app.extensions[SERVICE]
    return service
