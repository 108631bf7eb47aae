"""Text that the development kit and XML parsers read alike.

The kit's reader decodes no entities and trims, XML parsers decode them, so that `&`, `<` and `>`
have no form that both understand.
"""

from __future__ import annotations

import re

_SPOKEN = str.maketrans({"&": " and ", "<": "(", ">": ")"})
_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WORD = re.compile(r"[^\s<>&]+")
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")


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
