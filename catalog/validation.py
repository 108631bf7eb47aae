"""Pydantic's complaints in one sentence that names the key, the value and what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from typing import Any, get_args, get_type_hints

from pydantic import ValidationError

_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
_PLAIN = {
    "tuple_type": "input should be a list",
    "dataclass_type": "input should be a table of keys",
    "dataclass_exact_type": "input should be a table of keys",
}


def describe_first_error(error: ValidationError, model: type) -> str:
    """One sentence on the first mistake: which key, which value, what is allowed."""
    first = min(error.errors(include_url=False), key=lambda found: found["type"] not in _UNKNOWN)
    path = tuple(part for part in first["loc"] if part != "__root__")
    key = ".".join(str(part) for part in path)
    if first["type"] in _UNKNOWN:
        return _describe_unknown(key, path, model)
    if first["type"] in ("missing", "missing_argument"):
        return f"the key {key} is missing."
    message = _PLAIN.get(first["type"]) or first["msg"].removeprefix("Value error, ")
    where = f"{key} = {first['input']!r} is wrong: " if key else ""
    if not isinstance(first["input"], str | int | float | bool | list | tuple):
        where = f"{key} is wrong: " if key else ""
    return f"{where}{_lower_first(message.removesuffix('.'))}."


def _describe_unknown(key: str, path: Sequence[str | int], model: type) -> str:
    known = _known_keys(model, path[:-1])
    close = get_close_matches(str(path[-1]), known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    return f"there is no key {key}; known are: {', '.join(known)}.{hint}"


def _known_keys(model: Any, path: Sequence[str | int]) -> list[str]:
    for part in path:
        if isinstance(part, int):
            continue
        model = _dataclass_in(get_type_hints(model)[str(part)])
    return [item.name for item in fields(model)]


def _dataclass_in(hint: Any) -> Any:
    if is_dataclass(hint):
        return hint
    return next(found for found in map(_dataclass_in, get_args(hint)) if found)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
