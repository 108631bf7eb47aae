"""All that works on a VOC release and needs no party: reading, checking, showing, scoring it.

From Python: `vockit.open_release`. What it needs is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .kit import Release, ReleaseImage, open_release

__all__ = ["Release", "ReleaseImage", "open_release"]


def __getattr__(name: str) -> Any:
    """One of the names of `vockit.kit`."""
    if name in __all__:
        return getattr(import_module(".kit", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
