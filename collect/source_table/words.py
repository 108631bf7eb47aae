"""Which queries a text answers: those all of whose words it has, without case."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote, unquote_to_bytes

import numpy as np
import numpy.typing as npt

Matcher = Callable[[bytes], Sequence[int]]
"""The numbers of the queries that the text answers."""
Sieve = Callable[[Sequence[bytes]], Sequence[int]]
"""The places of the texts that may answer a query: all others answer none."""

_WORD = re.compile(r"[^\W_]+")
_BLANKS = bytes(
    number + 32 if 65 <= number <= 90 else number if chr(number).isalnum() else 32
    for number in range(128)
) + bytes([32] * 128)
"""ASCII letters in lower case and digits; all else divides words."""


_PERCENT = ord("%")
_BLANK = ord(" ")
_HEX = np.zeros(256, bool)
_HEX[list(b"0123456789abcdefABCDEF")] = True
_HEAD = 4
"""Bytes of a word by which it is looked up."""
_SHARP = tuple(
    form.encode() for letter in "ßẞ" for form in (letter, quote(letter), quote(letter).lower())
)
"""The letters that are "ss" without case, as texts have them."""


def split_words(text: str) -> list[str]:
    """The words of a text, without case."""
    return _WORD.findall(text.casefold())


def make_matcher(queries: Sequence[str], *, is_encoded: bool) -> Matcher:
    """What finds the queries of a text in UTF-8, `is_encoded` as the values of a web form are."""
    by_key = _group_by_key(queries)

    def match(text: bytes) -> Sequence[int]:
        decoded = unquote_to_bytes(text) if is_encoded else text
        there = {word.encode() for word in split_words(decoded.decode("utf-8", "replace"))}
        return sorted(
            number
            for key in by_key.keys() & there
            for number, needed in by_key[key]
            if needed <= there
        )

    return match


def make_sieve(queries: Sequence[str], *, is_encoded: bool) -> Sieve:
    """What finds the few texts that a matcher need look at, many texts at a time.

    They have a word that begins as one word of a query does; an escape such as %2C divides words.
    Such a word in letters that are not ASCII may hide in any text that has others or escapes, and
    one with "ss" in a text with ß.
    """
    keys = _group_by_key(queries).keys()
    heads = np.zeros(2**16, bool)
    ascii_keys = [key.ljust(_HEAD)[:_HEAD] for key in keys if key.isascii()]
    heads[_mix(np.frombuffer(b"".join(ascii_keys), np.uint8).reshape(-1, _HEAD).T)] = True
    may_hide = len(ascii_keys) < len(keys)
    sharp = _SHARP if any(b"ss" in key for key in keys) else ()

    def sift(texts: Sequence[bytes]) -> Sequence[int]:
        joined = b" ".join([b"", *texts, b" " * _HEAD])
        letters = np.frombuffer(bytearray(joined.translate(_BLANKS)), np.uint8)
        if is_encoded:
            letters[_find_escapes(joined)] = _BLANK
        is_letter = letters != _BLANK
        starts = np.flatnonzero(is_letter[1:] & ~is_letter[:-1]) + 1
        words = starts[heads[_mix(np.array([letters[starts + byte] for byte in range(_HEAD)]))]]
        ends = np.cumsum([len(text) + 1 for text in texts])
        hiding = [start for form in sharp for start in _find_all(joined, form)]
        places = set(np.searchsorted(ends, [*words, *hiding]).tolist())
        if may_hide:
            places.update(
                place
                for place, text in enumerate(texts)
                if not text.isascii() or (is_encoded and b"%" in text)
            )
        return sorted(places)

    return sift


def _group_by_key(queries: Sequence[str]) -> dict[bytes, list[tuple[int, frozenset[bytes]]]]:
    """The queries by one word of each, the longest in ASCII, with their numbers and all words."""
    by_key = defaultdict[bytes, list[tuple[int, frozenset[bytes]]]](list)
    for number, query in enumerate(queries):
        words = [word.encode() for word in split_words(query)]
        key = max(words, key=lambda word: (word.isascii(), len(word)))
        by_key[key].append((number, frozenset(words)))
    return dict(by_key)


def _mix(letters: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """A number of 16 bits for each column of _HEAD letters; two columns may have the same."""
    code = np.zeros(letters.shape[1], np.uint32)
    for row in letters:
        code = code * np.uint32(31) + row
    return code & np.uint32(0xFFFF)


def _find_all(joined: bytes, form: bytes) -> Iterator[int]:
    """Where it begins, each time."""
    start = joined.find(form)
    while start >= 0:
        yield start
        start = joined.find(form, start + 1)


def _find_escapes(joined: bytes) -> npt.NDArray[np.int64]:
    """The places of all bytes of escapes such as %2C; the texts end with blanks."""
    raw = np.frombuffer(joined, np.uint8)
    marks = np.flatnonzero(raw[:-2] == _PERCENT)
    marks = marks[_HEX[raw[marks + 1]] & _HEX[raw[marks + 2]]]
    return np.concatenate([marks, marks + 1, marks + 2])
