"""How free a licence is, for choosing which of two near-duplicates is kept."""

from __future__ import annotations

import re

_PUBLIC_DOMAIN = re.compile(
    r"publicdomain/|public domain|\bcc0\b|united states government|usa\.gov/"
    r"|no known copyright|commons/usage",
    re.IGNORECASE,
)
_CREATIVE_COMMONS = re.compile(
    r"(?:licenses/|\bcc[ -]|^)(by(?:-nc)?(?:-sa|-nd)?)(?=$|/| licen| \d)", re.IGNORECASE
)
_WORDS = (
    (re.compile(r"attribution", re.IGNORECASE), "by"),
    (re.compile(r"[- ]?non-?commercial", re.IGNORECASE), "-nc"),
    (re.compile(r"[- ]?share-?alike", re.IGNORECASE), "-sa"),
    (re.compile(r"[- ]?no-?deriv(ative)?s?", re.IGNORECASE), "-nd"),
)
_SPECTRUM = ("by", "by-sa", "by-nc", "by-nc-sa", "by-nd", "by-nc-nd")

PUBLIC_DOMAIN_RANK = 0
UNKNOWN_RANK = len(_SPECTRUM) + 1


def licence_rank(url: str | None, name: str | None) -> int:
    """0 for the public domain, then Creative Commons' spectrum; the largest where unknown.

    The order is that of creativecommons.org/share-your-work/cclicenses, most to least permissive.
    """
    for text in (url or "", _abbreviate(name or "")):
        if _PUBLIC_DOMAIN.search(text):
            return PUBLIC_DOMAIN_RANK
        found = _CREATIVE_COMMONS.search(text)
        if found:
            return 1 + _SPECTRUM.index(found.group(1).lower())
    return UNKNOWN_RANK


def _abbreviate(name: str) -> str:
    for word, short in _WORDS:
        name = word.sub(short, name)
    return name
