"""Which queries a text answers: those all of whose words it has, without case."""

from __future__ import annotations

import re
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
    """The words of a text, without case."""
    return _WORD.findall(text.casefold())


def make_matcher(queries: Sequence[str], *, is_encoded: bool) -> Matcher:
    """What finds the queries of a text in UTF-8, `is_encoded` as the values of a web form are.

    Nearly all rows answer none, so they are looked through as they are, for one word of each query:
    an escape such as %2C leaves its two digits before the next word. Only what then may answer a
    query is decoded.
    """
    by_key = defaultdict[bytes, list[tuple[int, frozenset[bytes]]]](list)
    for number, query in enumerate(queries):
        words = [word.encode() for word in split_words(query)]
        by_key[max(words, key=lambda word: (word.isascii(), len(word)))].append(
            (number, frozenset(words))
        )
    keys = frozenset(by_key)
    escapes = [b"%02x" % number for number in range(256)] if is_encoded else []
    likely = keys | {escape + key for escape in escapes for key in keys}
    may_hide = not all(map(bytes.isascii, keys))

    def match(text: bytes) -> Sequence[int]:
        if likely.isdisjoint(text.translate(_BLANKS).split()) and (
            not may_hide or (text.isascii() and not (is_encoded and b"%" in text))
        ):
            return ()
        decoded = unquote_to_bytes(text) if is_encoded else text
        there = {word.encode() for word in split_words(decoded.decode("utf-8", "replace"))}
        return sorted(
            number for key in keys & there for number, needed in by_key[key] if needed <= there
        )

    return match
