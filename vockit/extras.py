"""Packages that only some commands need, which the extras of vockit install."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import MissingExtraError


def require_module(name: str, *, extra: str, purpose: str) -> None:
    """Raises MissingExtraError, which names the extra, where the module is not installed."""
    if find_spec(name) is None:
        raise MissingExtraError(
            f"{purpose} needs the package {name}, which is not installed; install vockit with its "
            f"extra {extra} (from the checkout: pip install './vockit[{extra}]')."
        )
