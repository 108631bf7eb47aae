"""What can go wrong in checking, in one sentence each."""

from __future__ import annotations

from catalog.errors import VocpartyError
from present.refusals import InvalidError, NotFoundError


class UnknownFindingError(NotFoundError):
    """No finding has this id."""


class StaleFindingError(VocpartyError):
    """Another verdict holds by now than the person had before them."""


class NoReferenceError(InvalidError):
    """An image cannot be a gold image, since nothing in it could be a reference."""


class UnknownReleaseError(VocpartyError):
    """No release has this name."""

    exit_status = 2


class UnknownObjectError(VocpartyError):
    """No object of this name waits to be judged."""
