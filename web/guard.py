"""The one mechanism that says who may call a route.

Every view carries `@allowed(...)` or `@open_to_everyone(...)`, directly under its route. `allowed`
gives it a Visit: the person, and one transaction that is committed before the answer leaves. A
change is refused before that where its page was opened for another person or elsewhere. While a
transaction that writes is open, others wait for it, so nothing is computed in it: a view returns
what is left to do then as Later.
`refuse_unguarded` keeps the application from starting while any endpoint carries neither.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from flask import Flask, current_app, make_response, request
from flask.typing import ResponseReturnValue
from flask.wrappers import Response

from catalog.refusals import NotFoundError, RefusedError
from catalog.sentences import say

from .access import Access
from .opened_for import OPENED_FOR, OpenedFor, read_opened_for, read_opened_for_field
from .receiving import SAFE_METHODS
from .service import current_service
from .sessions import find_link, require_session

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V")
VisitView = Callable[Concatenate[V, P], Any]
OpenView = Callable[P, ResponseReturnValue]
_MARK = "__vocparty_access__"


class UnguardedRouteError(RuntimeError):
    """A route names no role, so the application refuses to start."""


@dataclass(frozen=True)
class Later:
    """What is left to do once a change is committed.

    `act` is called in a transaction of its own: one that only reads, for which no one waits, or one
    that `writes`. It returns the answer, or what is left to do then. A request that is sent again
    after a failure must come here again.
    """

    act: Callable[[Any], Any]
    writes: bool = False


@dataclass(frozen=True)
class Outside:
    """What is left to do outside of any transaction: to receive a file, to wait for a process.

    `act` returns the answer, or what is left to do then.
    """

    act: Callable[[], Any]


def allowed(
    *roles: str,
    only_reads: bool = False,
    takes_link: bool = False,
    streams: bool = False,
    read: Callable[[], Any] | None = None,
    send: Callable[[Any], ResponseReturnValue] = lambda answer: answer,
) -> Callable[[VisitView[V, P]], Callable[P, Response]]:
    """Let only signed-in people of these roles call the view.

    What `read` makes of the request, before any transaction, is the view's argument `sent`; `send`
    makes a response of what the view returns, after the transaction.
    """
    access = Access(frozenset(roles), only_reads=only_reads, takes_link=takes_link, streams=streams)

    def guard(view: VisitView[V, P]) -> Callable[P, Response]:
        @functools.wraps(view)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> Response:
            is_post = request.method not in SAFE_METHODS
            opened_for = None
            if not (access.takes_link and find_link()):
                require_session(takes_link=access.takes_link)
                _receive(streams=access.streams)
                if is_post:
                    opened_for = _read(partial(_read_opened_for, access, read is None))
            sent = _read(read) if read is not None else None
            service = current_service()
            visiting = partial(service.visiting, access, opened_for)
            visits = list[Any]()

            def answer() -> Response:
                with visiting(is_change=is_post and not access.only_reads) as visit:
                    if isinstance(sent, RefusedError):
                        raise sent
                    more: Any = kwargs if read is None else kwargs | {"sent": sent}
                    reply = view(visit, *args, **more)
                visits[:] = [visit]  # of the last try alone, where a request is answered again
                return make_response(send(_act_on_rest(reply, visiting)))

            response = service.answering(answer)
            for visit in visits:
                service.finish(visit)
            return response

        setattr(guarded, _MARK, access)
        return guarded

    return guard


def _act_on_rest(reply: Any, visiting: Callable[..., AbstractContextManager[Any]]) -> Any:
    """The answer, once all that a view left to do after its transaction is done."""
    while isinstance(reply, Later | Outside):
        if isinstance(reply, Outside):
            reply = reply.act()
        else:
            with visiting(is_change=reply.writes) as visit:
                reply = reply.act(visit)
    return reply


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


def _receive(*, streams: bool = False) -> None:
    """Refuse forged and oversized requests, and have the body, before a transaction begins.

    A body that the view streams is not read here. PostgreSQL has no NUL, so no address has one.
    """
    if "\x00" in request.path:
        raise NotFoundError(say("This page does not exist."))
    if request.method not in SAFE_METHODS:
        if streams:
            request.max_content_length = sys.maxsize  # the view refuses what is too large for it
        else:
            request.get_data(parse_form_data=True)
        current_app.extensions["csrf"].protect()


def _read(read: Callable[[], T]) -> T | RefusedError:
    """What is read, or why it is refused, which is told to no one who may not ask at all."""
    try:
        return read()
    except RefusedError as error:
        return error


def _read_opened_for(access: Access, is_form: bool) -> OpenedFor | None:
    """For whom the page was opened: a field of a form, a header of a stream, else a key of JSON."""
    if access.streams:
        return read_opened_for_field(request.headers.get(OPENED_FOR, ""))
    if is_form:
        return read_opened_for_field(request.form.get("opened_for", ""))
    return read_opened_for(request.get_data())
