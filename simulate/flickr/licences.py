"""Flickr's licences, as flickr.photos.licenses.getInfo listed them on 2025-06-19."""

from __future__ import annotations

from dataclasses import dataclass

CC = "https://creativecommons.org"


@dataclass(frozen=True)
class Licence:
    """One row of flickr.photos.licenses.getInfo."""

    id: int
    name: str
    url: str


def _cc(licence_id: int, kind: str, version: str) -> Licence:
    name = f"CC {kind.upper()} {version}"
    return Licence(licence_id, name, f"{CC}/licenses/{kind}/{version}/")


LICENCES: tuple[Licence, ...] = (
    Licence(
        0,
        "All Rights Reserved",
        "https://www.flickrhelp.com/hc/en-us/articles/"
        "10710266545556-Using-Flickr-images-shared-by-other-members",
    ),
    _cc(4, "by", "2.0"),
    _cc(6, "by-nd", "2.0"),
    _cc(3, "by-nc-nd", "2.0"),
    _cc(2, "by-nc", "2.0"),
    _cc(1, "by-nc-sa", "2.0"),
    _cc(5, "by-sa", "2.0"),
    Licence(7, "No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
    Licence(8, "United States Government Work", "https://www.usa.gov/government-copyright"),
    Licence(9, "Public Domain Dedication (CC0)", f"{CC}/publicdomain/zero/1.0/"),
    Licence(10, "Public Domain Mark", f"{CC}/publicdomain/mark/1.0/"),
    _cc(11, "by", "4.0"),
    _cc(12, "by-sa", "4.0"),
    _cc(13, "by-nd", "4.0"),
    _cc(14, "by-nc", "4.0"),
    _cc(15, "by-nc-sa", "4.0"),
    _cc(16, "by-nc-nd", "4.0"),
)
"""In Flickr's own order."""

LICENCE_IDS = frozenset(licence.id for licence in LICENCES)
