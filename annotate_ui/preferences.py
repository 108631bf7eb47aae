"""What the pages remember for a person on every machine; the server makes no use of it."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import select, update

from catalog.tables import Person

from .errors import InvalidError
from .visit import Visit

MAX_BYTES = 4096
MAX_DEPTH = 8


def load_preferences(visit: Visit) -> dict[str, Any]:
    """What was stored last, or nothing."""
    stored = select(Person.preferences).where(Person.id == visit.person.id)
    return visit.session.scalar(stored) or {}


def save_preferences(visit: Visit, preferences: dict[str, Any]) -> None:
    """Store them in place of the ones before; raises InvalidError where they are too large."""
    field = "preferences"
    size = len(json.dumps(preferences, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        message = f"preferences is wrong: expected at most {MAX_BYTES} bytes of JSON, got {size}."
        raise InvalidError(message, field=field)
    if _depth_of(preferences) > MAX_DEPTH:
        message = f"preferences is wrong: expected at most {MAX_DEPTH} levels."
        raise InvalidError(message, field=field)
    if "\\u0000" in json.dumps(preferences):
        raise InvalidError("preferences is wrong: expected no NUL characters.", field=field)
    statement = update(Person).where(Person.id == visit.person.id).values(preferences=preferences)
    visit.session.execute(statement.execution_options(synchronize_session=False))


def _depth_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max((_depth_of(item) for item in inner), default=0)
