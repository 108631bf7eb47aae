"""Numbers as the development kit reads them from text."""

from __future__ import annotations

import math
import re

from .records import Number

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)


def parse_number(text: str) -> Number | None:
    """The number that the kit's str2double gives, whole ones as int; None where that is NaN.

    `12`, `12.`, `12.5`, `1e2` are numbers, and a comma is dropped, so that `1,5` is 15.
    """
    text = text.strip().replace(",", "")
    if _INTEGER.fullmatch(text):
        return int(text)
    if not _NUMBER.fullmatch(text):
        return None
    value = float(re.sub("[dD]", "e", text))
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) else value


def is_integer_text(text: str) -> bool:
    """Whether the text is digits with at most a sign, as readers that call int() need."""
    return bool(_INTEGER.fullmatch(text.strip()))
