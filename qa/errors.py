"""What can go wrong in checking, in one sentence each."""

from __future__ import annotations

from catalog.errors import VocpartyError
from present.refusals import InvalidError, NotFoundError


class QaError(VocpartyError):
    """Something that qa was asked for cannot be done."""


class UnknownFindingError(NotFoundError):
    """No finding has this id."""


class StaleFindingError(QaError):
    """Another verdict holds by now than the person had before them."""


class NoReferenceError(InvalidError):
    """An image cannot be a gold image, since nothing in it could be a reference."""


class UnknownReleaseError(QaError):
    """No release has this name."""

    exit_status = 2


class UnknownObjectError(QaError):
    """No object of this name waits to be judged."""
