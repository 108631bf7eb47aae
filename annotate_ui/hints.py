"""What the automatic checks say about a revision that was just saved; it blocks nothing."""

from __future__ import annotations

from typing import Any

from catalog.tables import Annotation

from .visit import Visit


def find_hints(visit: Visit, annotation: Annotation) -> list[dict[str, Any]]:
    """FINDINGs on the revision."""
    return []
