"""Which queries a text answers: those all of whose words it has, without case."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from urllib.parse import unquote_to_bytes

Matcher = Callable[[bytes], Sequence[int]]
"""The numbers of the queries that the text answers."""

_WORD = re.compile(r"[^\W_]+")
_BLANKS = bytes(
    number + 32 if 65 <= number <= 90 else number if chr(number).isalnum() else 32
    for number in range(128)
) + bytes([32] * 128)
"""ASCII letters in lower case and digits; all else divides words."""


def split_words(text: str) -> list[str]:
    """The words of a text without case, with letters that look alike written alike (NFKC)."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def make_matcher(queries: Sequence[str], *, is_encoded: bool) -> Matcher:
    """What finds the queries of a text in UTF-8, `is_encoded` as the values of a web form are.

    A query is looked for by its longest word first, so that most rows are done with one comparison.
    """
    by_key = defaultdict[bytes, list[tuple[int, frozenset[bytes]]]](list)
    for number, query in enumerate(queries):
        words = [word.encode() for word in split_words(query)]
        by_key[max(words, key=len)].append((number, frozenset(words)))
    keys = frozenset(by_key)

    def match(text: bytes) -> Sequence[int]:
        if is_encoded and b"%" in text:
            text = unquote_to_bytes(text)
        if text.isascii():
            words = text.translate(_BLANKS).split()
        else:
            words = [word.encode() for word in split_words(text.decode("utf-8", "replace"))]
        if keys.isdisjoint(words):
            return ()
        there = set(words)
        return sorted(
            number for key in keys & there for number, needed in by_key[key] if needed <= there
        )

    return match
