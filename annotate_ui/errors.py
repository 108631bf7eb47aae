"""The errors of the browser application; the OpenAPI document explains each status."""

from __future__ import annotations

from typing import NoReturn

from catalog.errors import VocpartyError


class AnnotateError(VocpartyError):
    """An answer that is not what was asked for; `field` names the first wrong one, if any."""

    status = 500
    code = "internal"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class MalformedError(AnnotateError):
    """The body is not JSON."""

    status, code = 400, "malformed"


class SignedOutError(AnnotateError):
    """The request has no session, or the link that began it has ended."""

    status, code = 401, "signed_out"


class ForbiddenError(AnnotateError):
    """The person may not do this."""

    status, code = 403, "forbidden"


class TooManyError(AnnotateError):
    """The person's page asks more often than a person can."""

    status, code = 429, "too_many"


class NotFoundError(AnnotateError):
    """There is no such thing."""

    status, code = 404, "not_found"


class LeaseLostError(AnnotateError):
    """The person does not hold the image."""

    status, code = 409, "lease_lost"


class StaleError(AnnotateError):
    """What is changed was changed by another in between; nothing was saved."""

    status, code = 409, "stale"


class InvalidError(AnnotateError):
    """A field is wrong; nothing was saved."""

    status, code = 422, "invalid"


def refuse(field: str, message: str) -> NoReturn:
    """Raise InvalidError for a field and what was expected of it."""
    raise InvalidError(f"{field} is wrong: {message}.", field=field)


class UnavailableError(AnnotateError):
    """What is asked for cannot be done just now."""

    status, code = 503, "unavailable"


class PersonError(VocpartyError):
    """A person cannot be added or found."""


class UnguardedRouteError(RuntimeError):
    """A route names no role, so the application refuses to start."""
