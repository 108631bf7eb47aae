"""Names as they look: letters of other alphabets that are taken for Latin ones."""

from __future__ import annotations

import unicodedata

_CYRILLIC = dict(zip("авекмнорстухіїјѕԁԛԝһь", "abekmhopctyxiijsdqwhb", strict=True))
_GREEK = dict(zip("αβεζηικμνορτυχω", "abezhikmvoptyxw", strict=True))
_OTHERS = {"ı": "i", "ɑ": "a", "ɡ": "g", "ƅ": "b"}
_LOOKS = str.maketrans(_CYRILLIC | _GREEK | _OTHERS)


def describe_look(name: str) -> str:
    """What a reader sees of a name: equal for two names that differ in look-alike letters only.

    Case and accents of Latin letters count as they are written, except that capitals of all
    alphabets look alike too. The pairs are from Unicode's list of confusable characters (UTS 39).
    """
    plain = unicodedata.normalize("NFKC", name)
    shown = "".join(one for one in plain if unicodedata.category(one) != "Cf")
    return "".join(_look_of(one) for one in shown)


def _look_of(letter: str) -> str:
    looks = letter.lower().translate(_LOOKS)
    is_foreign = looks != letter.lower()
    return looks.upper() if is_foreign and letter.isupper() else looks if is_foreign else letter
