"""Names as they look: letters of other alphabets that are taken for Latin ones."""

from __future__ import annotations

import unicodedata

_FOREIGN, _LATIN = "авекмнорстухіїјѕԁһαβεζικνορτυχ", "abekmhopctyxiijsdhabezikvoptux"
_LOOKS = str.maketrans(_FOREIGN + _FOREIGN.upper(), _LATIN + _LATIN.upper())


def describe_look(name: str) -> str:
    """The name with Latin letters for those that look like them (UTS 39); equal for look-alikes."""
    return unicodedata.normalize("NFKC", name).translate(_LOOKS)
