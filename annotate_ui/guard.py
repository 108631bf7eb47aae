"""Who may call a route of the party: an organiser may call all of them (web/guard.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask.wrappers import Response

from catalog.states import Role
from web import guard

EVERYBODY = tuple(Role)


def allowed(
    *roles: Role, **options: Any
) -> Callable[[Callable[..., Any]], Callable[..., Response]]:
    """Let only signed-in people of these roles, and organisers, call the view.

    The options are those of `web.guard.allowed`.
    """
    return guard.allowed(*roles, Role.ORGANISER, **options)
