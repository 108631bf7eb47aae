"""The errors of detectors."""

from __future__ import annotations

from vockit.errors import UserError


class ModelError(UserError):
    """The model cannot be read, is of no known kind, or does not do its work here."""


class ModelEndedError(ModelError):
    """The process of the model ended by itself, as where the system had no memory for it."""


class NothingWaitsError(UserError):
    """No image waits for annotation that the detector has not looked at."""


class NothingLearnedError(UserError):
    """No class has enough checked objects."""
