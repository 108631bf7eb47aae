"""Reading settings and presets: files, checked words, Pydantic's first error as a sentence."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import AfterValidator, ValidationError

from vockit.errors import SettingsError
from vockit.format.text import NotTextError, decode_text


def matching(pattern: str, expected: str) -> AfterValidator:
    """A check that the whole text matches; its error says what was expected."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"expected {expected}")
        return text

    return AfterValidator(check)


FileWord = Annotated[
    str,
    matching(
        r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}",
        "one word of at most 100 letters A-Z, digits, '_', '.' and '-', without white space, "
        "because files are named after it",
    ),
]
"""A word that is part of a file name (VOC: no white space in class names)."""

ViewWord = Annotated[
    str,
    matching(
        r"[A-Za-z][A-Za-z0-9_-]{0,62}",
        "one word of at most 63 letters A-Z, digits, '_' and '-', a letter first, without white "
        "space, because readers of the files compare it",
    ),
]

TagWord = Annotated[
    str,
    matching(
        r"[A-Za-z][A-Za-z0-9_]{0,62}",
        "one word of at most 63 letters A-Z, digits and '_', a letter first, without white space, "
        "because it becomes a tag in files",
    ),
]
"""A word that is an XML tag and a field of the development kit's records, as actions are."""

Line = Annotated[
    str,
    matching(
        r"(?=.{1,200}\Z)[^\s\x00-\x1f\x7f]+( [^\s\x00-\x1f\x7f]+)*",
        "one line of 1 to 200 characters with single blanks between words and none at the ends",
    ),
]
"""A short text on one line."""

_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
_PLAIN = {
    "tuple_type": "input should be a list",
    "dataclass_type": "input should be a table of keys",
}


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, or with the mark of another encoding; raises SettingsError."""
    try:
        return decode_text(path.read_bytes())
    except NotTextError as error:
        raise SettingsError(f"{path} is {error}.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error


def parse_toml(text: str, origin: str) -> dict[str, Any]:
    """The values of a TOML text; raises SettingsError where it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{origin} is not valid TOML: {error}.") from error


_BRANCH = "function-"
"""How pydantic names the branch of a key that may also be left out, where it checks the value."""


def describe_first_error(error: ValidationError, model: type) -> str:
    """One sentence on the first mistake: which key, which value, what is allowed."""
    first = min(error.errors(include_url=False), key=lambda detail: detail["type"] not in _UNKNOWN)
    path = [step for step in first["loc"] if not str(step).startswith(_BRANCH)]
    key = ".".join(map(str, path))
    if first["type"] in _UNKNOWN:
        section: Any = model
        for part in (step for step in path[:-1] if isinstance(step, str)):
            section = _dataclass_in(get_type_hints(section)[part])
        known = [item.name for item in fields(section)]
        close = get_close_matches(str(path[-1]), known, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        return f"there is no key {key}; known are: {', '.join(known)}.{hint}"
    if first["type"] in ("missing", "missing_argument"):
        return f"the key {key} is missing."
    message = _PLAIN.get(first["type"]) or first["msg"].removeprefix("Value error, ")
    is_plain = isinstance(first["input"], str | int | float | bool | list | tuple)
    shown = f"{key} = {first['input']!r}" if is_plain else key
    where = f"{shown} is wrong: " if key else ""
    return f"{where}{message[:1].lower()}{message[1:].removesuffix('.')}."


def _dataclass_in(hint: Any) -> Any:
    if is_dataclass(hint):
        return hint
    return next(inner for inner in map(_dataclass_in, get_args(hint)) if inner)
