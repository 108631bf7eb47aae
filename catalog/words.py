"""The kinds of word that settings and presets hold, each checked against where it will be used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator


def _matching(pattern: str, expected: str) -> AfterValidator:
    return AfterValidator(_make_check(re.compile(pattern), expected))


def _make_check(pattern: re.Pattern[str], expected: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(f"expected {expected}")
        return text

    return check


FileWord = Annotated[
    str,
    _matching(
        r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}",
        "one word of at most 100 letters A-Z, digits, '_', '.' and '-', without white space, "
        "because files are named after it",
    ),
]
"""A word that is part of a file name (VOC: no white space in class names)."""

TagWord = Annotated[
    str,
    _matching(
        r"[A-Za-z][A-Za-z0-9_]{0,62}",
        "one word of at most 63 letters A-Z, digits and '_', a letter first, without white space, "
        "because it becomes a tag in files",
    ),
]
"""A word that is an XML tag and a field of the development kit's records, as actions are."""

Line = Annotated[
    str,
    _matching(
        r"(?=.{1,200}\Z)[^\s\x00-\x1f\x7f]+( [^\s\x00-\x1f\x7f]+)*",
        "one line of 1 to 200 characters with single blanks between words and none at the ends",
    ),
]
"""A short text on one line."""
