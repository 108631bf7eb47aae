"""Licences: those of Flickr by their ids, and which of other sources are kept.

Source: flickr.photos.licenses.getInfo as recorded in June 2025; ids 11 to 16 were new then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from catalog.errors import SettingsError

_KIND = re.compile(r"creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)")


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

    @property
    def is_known(self) -> bool:
        """Whether it is one of Flickr's, or a page says what it allows."""
        return self.id in LICENCES or bool(self.url)


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
    return licence.kind in {one.kind for one in kept.values()} - {""}


def _commons(licence_id: int, kind: str, version: str) -> Licence:
    url = f"https://creativecommons.org/licenses/{kind}/{version}/"
    return Licence(str(licence_id), f"CC {kind.upper()} {version}", url)


_CC = "https://creativecommons.org/publicdomain"
_ALL = (
    Licence("0", "All Rights Reserved", ""),
    *(
        _commons(number, kind, "2.0")
        for number, kind in enumerate(
            ("by-nc-sa", "by-nc", "by-nc-nd", "by", "by-sa", "by-nd"), start=1
        )
    ),
    Licence("7", "No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
    Licence("8", "United States Government Work", "https://www.usa.gov/government-copyright"),
    Licence("9", "Public Domain Dedication (CC0)", f"{_CC}/zero/1.0/"),
    Licence("10", "Public Domain Mark", f"{_CC}/mark/1.0/"),
    *(
        _commons(number, kind, "4.0")
        for number, kind in enumerate(
            ("by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd"), start=11
        )
    ),
)

LICENCES: dict[str, Licence] = {licence.id: licence for licence in _ALL}
