"""The errors of the browser application; the OpenAPI document explains each status."""

from __future__ import annotations

from typing import NoReturn

from catalog.errors import VocpartyError


class AnnotateError(VocpartyError):
    """An answer that is not what was asked for; `field` names the first wrong one, if any."""

    status, code = 500, "internal"

    def __init_subclass__(cls, status: int = 0, code: str = "") -> None:
        cls.status, cls.code = status or cls.status, code or cls.code

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class MalformedError(AnnotateError, status=400, code="malformed"):
    """The body is not JSON."""


class SignedOutError(AnnotateError, status=401, code="signed_out"):
    """The request has no session, or the link that began it has ended."""


class ForbiddenError(AnnotateError, status=403, code="forbidden"):
    """The person may not do this."""


class TooManyError(AnnotateError, status=429, code="too_many"):
    """The person's page asks more often than a person can."""


class NotFoundError(AnnotateError, status=404, code="not_found"):
    """There is no such thing."""


class LeaseLostError(AnnotateError, status=409, code="lease_lost"):
    """The person does not hold the image."""


class StaleError(AnnotateError, status=409, code="stale"):
    """What is changed was changed by another in between; nothing was saved."""


class InvalidError(AnnotateError, status=422, code="invalid"):
    """A field is wrong; nothing was saved."""


def refuse(field: str, message: str) -> NoReturn:
    """Raise InvalidError for a field and what was expected of it."""
    raise InvalidError(f"{field} is wrong: {message}.", field=field)


class UnavailableError(AnnotateError, status=503, code="unavailable"):
    """What is asked for cannot be done just now."""


class PersonError(VocpartyError):
    """A person cannot be added or found."""


class UnguardedRouteError(RuntimeError):
    """A route names no role, so the application refuses to start."""
