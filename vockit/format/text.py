"""Text files of any writer, texts that all readers read alike, and numbers as the kit reads them.

The kit's reader decodes no entities and trims, XML parsers decode them, so that `&`, `<` and `>`
have no form that both understand.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Mapping

from .records import Number

_SPOKEN = str.maketrans({"&": " and ", "<": "(", ">": ")"})
_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WORD = re.compile(r"[^\s<>&]+")
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)

_MARKS: Mapping[bytes, str] = {  # the longest first: UTF-32's begins with UTF-16's
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""The byte-order marks of Unicode (chapter 23.8), as editors and shells of Windows write them."""


class NotTextError(ValueError):
    """The bytes are no text that can be read; the message completes "PATH is "."""


def split_mark(data: bytes) -> tuple[bytes, str, bool]:
    """The bytes without their byte-order mark, their encoding, and whether they had a mark."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return data.removeprefix(mark), encoding, True
    return data, "utf-8", False


def decode_text(data: bytes) -> str:
    """The text of a file, UTF-8 unless it has the mark of another encoding, lines ended by LF.

    Every text file of people and of other programs is read by this. Raises NotTextError.
    """
    content, encoding, _ = split_mark(data)
    if not content and encoding != "utf-8":
        raise NotTextError("not UTF-8 text: it is a byte-order mark and nothing else")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8 or UTF-16 text, as its line {line} shows; save it as UTF-8"
        raise NotTextError(message) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise NotTextError(f"not text: it has a zero byte in line {line}; save it as UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def fit_text(text: str) -> str:
    """The nearest text that every reader reads as it stands; may be empty.

    `&` becomes "and", `<` and `>` become parentheses, white space becomes single blanks, and what
    XML 1.0 cannot hold (section 2.2) is left out.
    """
    return " ".join(_UNWRITABLE.sub(" ", text).translate(_SPOKEN).split())


def is_plain_text(text: str) -> bool:
    """Whether every reader reads the text as it stands."""
    return bool(text) and fit_text(text) == text


def is_word(text: str) -> bool:
    """Whether the text is plain and free of white space, as ids and class names must be."""
    return bool(_WORD.fullmatch(text)) and is_plain_text(text)


def is_tag(text: str) -> bool:
    """Whether the text can be a tag, which the kit uses as a field name (63 characters)."""
    return bool(_TAG.fullmatch(text))


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


def escape_unstorable(text: str) -> str:
    """The text with escapes for NUL and lone surrogates, which no database takes."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")
