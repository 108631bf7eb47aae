"""Names as they look: letters of other alphabets that are taken for Latin ones."""

from __future__ import annotations

import unicodedata

_LOOKS = dict(
    zip("авекмнорстухіїјѕԁһαβεζικνορτυχı", "abekmhopctyxiijsdhabezikvoptuxi", strict=True)
)


def describe_look(name: str) -> str:
    """The name with Latin letters for those of other alphabets that look like them (UTS 39).

    Equal for two names that a reader takes for one another.
    """
    plain = unicodedata.normalize("NFKC", name)
    return "".join(_look_of(one) for one in plain if unicodedata.category(one) != "Cf")


def _look_of(letter: str) -> str:
    latin = _LOOKS.get(letter.lower(), letter)
    return latin.upper() if letter.isupper() else latin
