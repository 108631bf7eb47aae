"""The one mechanism that says who may call a route.

Every view carries `@allowed(...)` or `@open_to_everyone(...)`, directly under its route. `allowed`
gives it a Visit: the person, and one transaction that is committed before the answer leaves. A
change is refused before that where its page was opened for another person or party. While a
transaction that writes is open, others wait for it, so nothing is computed in it: a view returns
what is left to do then as Later.
`refuse_unguarded` keeps the application from starting while any endpoint carries neither.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from flask import Flask, current_app, make_response, request
from flask.typing import ResponseReturnValue
from flask.wrappers import Response

from catalog.party import follow_classes
from catalog.refusals import ForbiddenError, NotFoundError, RefusedError, StuckError
from catalog.sentences import say
from catalog.states import Role
from catalog.stuck import BadRowError, keep_stuck
from work.findings import renew_findings
from work.seen import find_unseen, keep_seen
from work.visit import Visit

from .opened_for import OpenedFor, read_opened_for, read_opened_for_field, require_same
from .service import Service, current_service
from .serving import SAFE_METHODS
from .sessions import get_person_id, get_visitor, keep_seen_at, note_seen, require_session

P = ParamSpec("P")
T = TypeVar("T")
VisitView = Callable[Concatenate[Visit, P], Any]
OpenView = Callable[P, ResponseReturnValue]
EVERYBODY = tuple(Role)
_PEOPLE = {
    Role.ORGANISER: say("organisers"),
    Role.ANNOTATOR: say("annotators"),
    Role.CHECKER: say("checkers"),
}
_MARK = "__vocparty_access__"
_MOST_TRIES = 20
"""Of one request; each but the first passes over one more image."""


class UnguardedRouteError(RuntimeError):
    """A route names no role, so the application refuses to start."""


@dataclass(frozen=True)
class Access:
    """Who may call a view: people of these roles, or everyone, for the reason given.

    A view that `only_reads` takes no write lock, though it is called by POST.
    """

    roles: frozenset[Role]
    open_because: str | None = None
    only_reads: bool = False


@dataclass(frozen=True)
class Later:
    """What is left to do once a change is committed.

    `act` is called in a transaction of its own: one that only reads, for which no one waits, or one
    that `writes`. It returns the answer, or what is left to do then. A request that is sent again
    after a failure must come here again.
    """

    act: Callable[[Visit], Any]
    writes: bool = False


def allowed(
    *roles: Role,
    only_reads: bool = False,
    read: Callable[[], Any] | None = None,
    send: Callable[[Any], ResponseReturnValue] = lambda answer: answer,
) -> Callable[[VisitView[P]], Callable[P, Response]]:
    """Let only signed-in people of these roles, and organisers, call the view.

    What `read` makes of the request, before any transaction, is the view's argument `sent`; `send`
    makes a response of what the view returns, after the transaction.
    """
    access = Access(frozenset(roles) | {Role.ORGANISER}, only_reads=only_reads)

    def guard(view: VisitView[P]) -> Callable[P, Response]:
        @functools.wraps(view)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> Response:
            require_session()
            _receive()
            is_post = request.method not in SAFE_METHODS
            opened_for = _read(partial(_read_opened_for, read is None)) if is_post else None
            sent = _read(read) if read is not None else None
            changes = list[Visit]()

            def answer() -> Response:
                visiting = partial(_visiting, current_service(), access, opened_for)
                with visiting(is_change=is_post and not access.only_reads) as visit:
                    if isinstance(sent, RefusedError):
                        raise sent
                    more: Any = kwargs if read is None else kwargs | {"sent": sent}
                    reply = view(visit, *args, **more)
                    unseen = find_unseen(visit.session, visit.person.id, visit.shown)
                changes[:] = [visit]
                _keep_seen(visit, unseen)
                while isinstance(reply, Later):
                    reply = _finish(reply, visiting)
                return make_response(send(reply))

            response = _answer_without_bad_rows(answer)
            for visit in changes:
                renew_findings(visit.party, visit.changed, at=visit.at)
            return response

        setattr(guarded, _MARK, access)
        return guarded

    return guard


def open_to_everyone(because: str) -> Callable[[OpenView[P]], Callable[P, Response]]:
    """Let everyone call the view, signed in or not."""

    def guard(view: OpenView[P]) -> Callable[P, Response]:
        @functools.wraps(view)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> Response:
            _receive()
            return make_response(view(*args, **kwargs))

        setattr(guarded, _MARK, Access(frozenset(), because))
        return guarded

    return guard


def find_access(app: Flask, endpoint: str) -> Access | None:
    """Who may call an endpoint, or None where nothing says so."""
    return getattr(app.view_functions[endpoint], _MARK, None)


def refuse_unguarded(app: Flask) -> None:
    """Raise UnguardedRouteError where a route does not say who may call it."""
    endpoints = sorted({rule.endpoint for rule in app.url_map.iter_rules()})
    unguarded = [endpoint for endpoint in endpoints if find_access(app, endpoint) is None]
    if unguarded:
        raise UnguardedRouteError(
            f"these endpoints name no role: {', '.join(unguarded)}; put @allowed(...) or "
            "@open_to_everyone(...) directly under their route"
        )


def _answer_without_bad_rows(answer: Callable[[], Response]) -> Response:
    """The answer, asked for again without each image that stopped it.

    Raises StuckError where the image cannot be passed over, since the request is about it.
    """
    for _ in range(_MOST_TRIES):
        try:
            return answer()
        except BadRowError as error:
            service = current_service()
            with service.party.catalogue.writing() as session:
                is_new = keep_stuck(session, error, at=service.now())
            if not is_new:
                raise StuckError(
                    say("{problem} An organiser finds it on the board.", problem=error.message)
                ) from error
    return answer()


def _receive() -> None:
    """Refuse forged and oversized requests, and have the body, before a transaction begins.

    PostgreSQL has no NUL, so no address has one.
    """
    if "\x00" in request.path:
        raise NotFoundError(say("This page does not exist."))
    if request.method not in SAFE_METHODS:
        request.get_data(parse_form_data=True)
        current_app.extensions["csrf"].protect()


def _read(read: Callable[[], T]) -> T | RefusedError:
    """What is read, or why it is refused, which is told to no one who may not ask at all."""
    try:
        return read()
    except RefusedError as error:
        return error


def _read_opened_for(is_form: bool) -> OpenedFor | None:
    """For whom the page was opened: a form has a field for it, any other body a key."""
    if is_form:
        return read_opened_for_field(request.form.get("opened_for", ""))
    return read_opened_for(request.get_data())


def _finish(later: Later, visiting: Callable[..., AbstractContextManager[Visit]]) -> Any:
    """The answer, or what is left to do then."""
    with visiting(is_change=later.writes) as visit:
        reply = later.act(visit)
        unseen = find_unseen(visit.session, visit.person.id, visit.shown)
    _keep_seen(visit, unseen)
    return reply


def _keep_seen(visit: Visit, unseen: Collection[int]) -> None:
    """Write which images the answer shows, in a transaction of its own: most answers only read."""
    if unseen:
        with visit.party.catalogue.writing() as session:
            keep_seen(session, visit.person.id, unseen, at=visit.at)


@contextmanager
def _visiting(
    service: Service,
    access: Access,
    opened_for: OpenedFor | RefusedError | None,
    *,
    is_change: bool,
) -> Iterator[Visit]:
    """The visit of an admitted person; only what changes something takes the write lock."""
    at = service.now()
    catalogue = service.party.catalogue
    if is_change:
        transaction = catalogue.writing(keeps_classes=True, visitor_id=get_person_id())
    else:
        transaction = catalogue.reading()
    with transaction as session:
        person, classes_number = get_visitor(session)
        require_same(person, service.party_id, opened_for)
        if person.role not in access.roles:
            people = _PEOPLE[person.role]
            raise ForbiddenError(say("This page is not for {people}.", people=people))
        is_due = note_seen(person, at=at)
        is_as_before = classes_number == service.party.classes_number
        party = service.party if is_as_before else follow_classes(service.party, session)
        yield Visit(party, session, person, at, service.tokens, shared=service.shared)
        if is_due and is_change:
            keep_seen_at(session, person.id, at)
