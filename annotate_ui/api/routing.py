"""Routes of the JSON interface: who may call a view, and the body that it takes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, get_type_hints

from flask import Blueprint, request
from flask.wrappers import Response
from werkzeug.routing import IntegerConverter, Map

from annotate_ui.roles import allowed
from annotate_ui.visit import Visit
from catalog.states import Role

from .schemas import MAX_ID, EmptyBody, parse_body

Reply = dict[str, Any] | Response | tuple[dict[str, Any], int]
View = Callable[..., Reply]


class IdConverter(IntegerConverter):
    """`<int:...>` of an address: a number that fits the catalogue's columns."""

    def __init__(self, url_map: Map, **limits: Any) -> None:
        super().__init__(url_map, **({"max": MAX_ID} | limits))


class Routes(Blueprint):
    """The routes of one noun, for organisers and the roles that each names.

    A view gets the visit, the numbers of its address and, where it names one, the `body`; without
    one the request has to be empty. Its type says how the body is read.
    """

    def on_get(self, rule: str, *roles: Role) -> Callable[[View], View]:
        """Reply GET by the view below."""
        return self._on("GET", rule, roles)

    def on_post(self, rule: str, *roles: Role) -> Callable[[View], View]:
        """Reply POST by the view below."""
        return self._on("POST", rule, roles)

    def on_put(self, rule: str, *roles: Role) -> Callable[[View], View]:
        """Reply PUT by the view below."""
        return self._on("PUT", rule, roles)

    def _on(self, method: str, rule: str, roles: tuple[Role, ...]) -> Callable[[View], View]:
        def register(view: View) -> View:
            model = get_type_hints(view).get("body")

            @allowed(*roles)
            @functools.wraps(view)
            def answer(visit: Visit, /, **values: Any) -> Reply:
                if method != "GET":
                    body = parse_body(model or EmptyBody, request.get_data())
                    values |= {"body": body} if model else {}
                return view(visit, **values)

            self.add_url_rule(rule, view.__name__, answer, methods=[method])
            return view

        return register
