"""What people are refused, on pages and in commands: what was refused, and the wrong field.

How a page answers each of them is in web/refusals.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from vockit.errors import UserError

from .sentences import Sentence, say


class RefusedError(UserError):
    """An answer that is not what was asked for; `field` names the first wrong one, if any."""

    def __init__(self, message: Sentence, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class MalformedError(RefusedError):
    """The body is not JSON."""


class SignedOutError(RefusedError):
    """The request has no session, or the link that began it has ended."""


class ForbiddenError(RefusedError):
    """The person may not do this."""


class TooManyError(RefusedError):
    """The person's page asks more often than a person can, or for more than there is.

    `again_in_secs` says from when on it may be asked again; None where waiting does not help.
    """

    def __init__(
        self, message: Sentence, *, field: str | None = None, again_in_secs: int | None = 5
    ) -> None:
        super().__init__(message, field=field)
        self.again_in_secs = again_in_secs


class NotFoundError(RefusedError):
    """There is no such thing. Of a command, as a word that it was called with says."""

    exit_status = 2


class LeaseLostError(RefusedError):
    """The person does not hold the image."""


class StuckError(RefusedError):
    """The rows of the image contradict each other; an organiser has to look at it."""


class StaleError(RefusedError):
    """What is changed was changed by another in between; nothing was saved."""


class HeldError(RefusedError):
    """Another person has it in hand just now."""


class InvalidError(RefusedError):
    """A field is wrong; nothing was saved. Of a command, a word that it was called with."""

    exit_status = 2


def refuse(field: str, expected: Sentence) -> NoReturn:
    """Raise InvalidError for a field and what was expected of it."""
    message = say("{field} is wrong: {expected}.", field=field, expected=expected)
    raise InvalidError(message, field=field)


class UnavailableError(RefusedError):
    """What is asked for cannot be done just now."""


def expect_one_of(words: Iterable[str], got: str) -> Sentence:
    """What an error says of a word that is none of those."""
    return say("expected one of {words}, got {got}", words=list(words), got=repr(got[:100]))
