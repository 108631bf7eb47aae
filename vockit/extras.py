"""Packages that only some commands need, which extras install."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import MissingExtraError


def require_module(name: str, *, extra: str, purpose: str, package: str = "vockit") -> None:
    """Raises MissingExtraError, which names the extra of vockit or vocparty, without the module."""
    if find_spec(name) is None:
        place = "./vockit" if package == "vockit" else "."
        from_kit = f"; from a participants' kit: pip install './WHEEL[{extra}]'"
        raise MissingExtraError(
            f"{purpose} needs the package {name}, which is not installed; install {package} with "
            f"its extra {extra} (from the checkout: pip install '{place}[{extra}]'"
            f"{from_kit if package == 'vockit' else ''})."
        )
