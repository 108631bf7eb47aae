"""What people are refused, on pages and in commands; the OpenAPI document explains each status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from vockit.errors import UserError


class RefusedError(UserError):
    """An answer that is not what was asked for; `field` names the first wrong one, if any."""

    status, code = 500, "internal"

    def __init_subclass__(cls, status: int = 0, code: str = "") -> None:
        cls.status, cls.code = status or cls.status, code or cls.code

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class MalformedError(RefusedError, status=400, code="malformed"):
    """The body is not JSON."""


class SignedOutError(RefusedError, status=401, code="signed_out"):
    """The request has no session, or the link that began it has ended."""


class ForbiddenError(RefusedError, status=403, code="forbidden"):
    """The person may not do this."""


class TooManyError(RefusedError, status=429, code="too_many"):
    """The person's page asks more often than a person can."""


class NotFoundError(RefusedError, status=404, code="not_found"):
    """There is no such thing."""


class LeaseLostError(RefusedError, status=409, code="lease_lost"):
    """The person does not hold the image."""


class StuckError(RefusedError, status=409, code="stuck"):
    """The rows of the image contradict each other; an organiser has to look at it."""


class StaleError(RefusedError, status=409, code="stale"):
    """What is changed was changed by another in between; nothing was saved."""


class InvalidError(RefusedError, status=422, code="invalid"):
    """A field is wrong; nothing was saved."""


def refuse(field: str, message: str) -> NoReturn:
    """Raise InvalidError for a field and what was expected of it."""
    raise InvalidError(f"{field} is wrong: {message}.", field=field)


class UnavailableError(RefusedError, status=503, code="unavailable"):
    """What is asked for cannot be done just now."""


def expect_one_of(words: Iterable[str], got: str) -> str:
    """What an error says of a word that is none of those."""
    return f"expected one of {', '.join(words)}, got {got[:100]!r}"
