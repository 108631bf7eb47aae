"""The licences of photographs: what they are called, and which a party keeps.

Source of the licences: flickr.photos.licenses.getInfo as recorded in June 2025.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vockit.errors import SettingsError

_KIND = re.compile(r"creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)")
_ZERO = re.compile(r"cc ?0(?: 1\.0)?")
_ZERO_ID = "9"


class LicenceError(ValueError):
    """A photograph has a licence that is unknown, or that the party does not keep."""


@dataclass(frozen=True)
class Licence:
    """What an owner allows; `url` is empty where there is no page that says it."""

    id: str
    name: str
    url: str

    @property
    def kind(self) -> str:
        """What all its versions share, such as "by-sa"; the URL itself where it is not CC's."""
        match = _KIND.search(self.url)
        return match[1] if match else self.url


def get_licences(ids: Iterable[str]) -> dict[str, Licence]:
    """The licences of these ids; raises SettingsError for an id that Flickr does not have."""
    wanted = tuple(ids)
    unknown = [licence_id for licence_id in wanted if licence_id not in LICENCES]
    if unknown or not wanted:
        known = ", ".join(f"{licence.id} ({licence.name})" for licence in LICENCES.values())
        raise SettingsError(
            f"collect.licences = {list(wanted)} is wrong: expected some of Flickr's ids: {known}."
        )
    return {licence_id: LICENCES[licence_id] for licence_id in wanted}


def is_kept(licence: Licence, kept: Mapping[str, Licence]) -> bool:
    """Whether the licence is one of those; one that Flickr does not have counts by its kind."""
    if licence.id in LICENCES:
        return licence.id in kept
    return licence.kind in {allowed.kind for allowed in kept.values()} - {""}


def _commons(licence_id: int, kind: str, version: str) -> Licence:
    url = f"https://creativecommons.org/licenses/{kind}/{version}/"
    return Licence(str(licence_id), f"CC {kind.upper()} {version}", url)


_CC = "https://creativecommons.org/publicdomain"
_OF_2_0 = ("by-nc-sa", "by-nc", "by-nc-nd", "by", "by-sa", "by-nd")
_OF_4_0 = ("by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd")
_ALL = (
    Licence("0", "All Rights Reserved", ""),
    *(_commons(number, kind, "2.0") for number, kind in enumerate(_OF_2_0, start=1)),
    Licence("7", "No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
    Licence("8", "United States Government Work", "https://www.usa.gov/government-copyright"),
    Licence("9", "Public Domain Dedication (CC0)", f"{_CC}/zero/1.0/"),
    Licence("10", "Public Domain Mark", f"{_CC}/mark/1.0/"),
    *(_commons(number, kind, "4.0") for number, kind in enumerate(_OF_4_0, start=11)),
)
LICENCES: dict[str, Licence] = {licence.id: licence for licence in _ALL}


def find_licence(text: str) -> Licence | None:
    """Flickr's licence of that id, name or URL, however it is written; None where it has none.

    CC0 has a short name, too.
    """
    wanted = _fold(text)
    if _ZERO.fullmatch(wanted):
        return LICENCES[_ZERO_ID]
    names = (
        (licence, (licence.id, _fold(licence.name), _fold(licence.url)))
        for licence in LICENCES.values()
    )
    return next((licence for licence, known in names if wanted and wanted in known), None)


def check_licence(text: str | None, licences: Mapping[str, Licence]) -> Licence | None:
    """The licence, None for no text; raises LicenceError where it is unknown or not kept."""
    if text is None:
        return None
    licence = find_licence(text)
    if licence is None:
        raise LicenceError(f"vocparty does not know its licence {text[:100]!r}")
    if licence.id not in licences:
        raise LicenceError(f"its licence {licence.name} is not among collect.licences")
    return licence


def check_option(text: str | None, licences: Mapping[str, Licence]) -> Licence | None:
    """The licence that `--licence` names, None without it; raises SettingsError."""
    try:
        return check_licence(text, licences)
    except LicenceError as error:
        fault = str(error).replace("its licence", "the licence", 1)
        kept = ", ".join(f"{licence.id} ({licence.name})" for licence in licences.values())
        raise SettingsError(f"--licence: {fault}; expected one of {kept}.") from error


def _fold(text: str) -> str:
    """The text without what people write differently: case, dashes, scheme, ends of addresses."""
    text = text.casefold().strip().removeprefix("https://").removeprefix("http://")
    text = text.removeprefix("www.").removesuffix("deed.en").rstrip("/").removesuffix("/legalcode")
    return re.sub(r"[\s_-]+", " ", text)
