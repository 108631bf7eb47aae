"""The errors of a model that a person gives."""

from __future__ import annotations

from vockit.errors import UserError


class ModelError(UserError):
    """The model cannot be read, is of no known kind, or does not do its work here."""
