"""Photographs as rows of YFCC100M: a stand-in's own, among made ones that show nothing."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote_plus

from collect.source_table.rows import YFCC_COLUMNS

from .photos import Photo
from .search import Library
from .table import format_mysql

LICENCES = {
    1: ("Attribution-NonCommercial-ShareAlike License", "by-nc-sa"),
    2: ("Attribution-NonCommercial License", "by-nc"),
    3: ("Attribution-NonCommercial-NoDerivs License", "by-nc-nd"),
    4: ("Attribution License", "by"),
    5: ("Attribution-ShareAlike License", "by-sa"),
    6: ("Attribution-NoDerivs License", "by-nd"),
}
"""The licences that the table has, by Flickr's ids."""
FIRST_SECS = 1_080_000_000
LAST_SECS = 1_398_000_000
"""March 2004 to April 2014, between which its photographs were uploaded."""
WORDS = ("graffiti", "lantern", "glacier", "mosaic", "orchard", "pottery", "thunder", "quarry")
"""Words that no query of VOC's classes has."""
FIRST_MADE_ID = 80_000_000_000
OWNERS = 400

Row = tuple[object, ...]


def write_yfcc(library: Library, path: Path, rows: int, seed: int = 0) -> int:
    """How many photographs of the stand-in are in the new SQLite file, among `rows` rows.

    Those without a licence that the table has are not there.
    """
    photos = [photo for photo in library.photos if photo.licence_id in LICENCES][:rows]
    made = make_rows(rows - len(photos), seed)
    write_rows(path, (*map(shape_photo, photos), *made))
    return len(photos)


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as the table of YFCC100M in a new SQLite file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE yfcc100m_dataset ({', '.join(YFCC_COLUMNS)})")
        marks = ", ".join("?" * len(YFCC_COLUMNS))
        connection.executemany(f"INSERT INTO yfcc100m_dataset VALUES ({marks})", rows)  # noqa: S608
        connection.commit()


def shape_photo(photo: Photo) -> Row:
    """The row of a photograph of the stand-in."""
    name, kind = LICENCES[photo.licence_id]
    north, east = photo.place or ("", "")
    page = f"http://www.flickr.com/photos/{photo.owner.nsid}/{photo.id}/"
    return (
        photo.id,
        photo.owner.nsid,
        quote_plus(photo.owner.username),
        "null" if photo.taken.is_unknown else f"{photo.taken.at}.0",
        photo.uploaded_secs,
        "",
        quote_plus(photo.title),
        quote_plus(photo.description),
        ",".join(map(quote_plus, photo.tags)),
        "",
        east,
        north,
        "16" if photo.place else "",
        page,
        f"http://farm1.staticflickr.com/{photo.server}/{photo.id}_{photo.secret}.jpg",
        name,
        f"http://creativecommons.org/licenses/{kind}/2.0/",
        photo.server,
        1,
        photo.secret,
        "",
        "jpg",
        0,
    )


def make_rows(count: int, seed: int) -> Iterator[Row]:
    """Made rows, more of later years, of owners of whom few have many; one in 100 is a video."""
    rng = random.Random(seed)  # noqa: S311  chance, not secrecy
    for number in range(count):
        secs = FIRST_SECS + int((LAST_SECS - FIRST_SECS) * rng.random() ** 0.5)
        owner = f"{int(OWNERS * rng.random() ** 3)}@N98"
        title = "+".join(rng.choices(WORDS, k=3))
        row = shape_row(FIRST_MADE_ID + number, owner, secs, title, 1 + number % len(LICENCES))
        values = dict(zip(YFCC_COLUMNS, row, strict=True))
        values["description"] = quote_plus(f"The {rng.choice(WORDS)}, made for a test.")
        values["usertags"] = ",".join(rng.choices(WORDS, k=4))
        values["marker"] = int(number % 100 == 99)
        yield tuple(values.values())


def shape_row(
    photo_id: int, owner: str, uploaded_secs: int, title: str, licence_id: int = 4
) -> Row:
    """The row of a photograph that is nowhere, with a title as the table has it."""
    name, kind = LICENCES[licence_id]
    return (
        photo_id,
        owner,
        f"member+{owner.partition('@')[0]}",
        f"{format_mysql(uploaded_secs)}.0",
        uploaded_secs,
        "Made+Camera",
        title,
        "",
        "",
        "",
        "",
        "",
        "",
        f"http://www.flickr.com/photos/{owner}/{photo_id}/",
        f"http://farm1.staticflickr.com/1/{photo_id}_0123456789.jpg",
        name,
        f"http://creativecommons.org/licenses/{kind}/2.0/",
        1,
        1,
        "0123456789",
        "",
        "jpg",
        0,
    )
