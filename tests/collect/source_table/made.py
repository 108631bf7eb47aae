"""Made rows of YFCC100M, and tables of them in each form."""

import bz2
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from collect.source_table.rows import YFCC_COLUMNS
from simulate.flickr.yfcc import Row, write_rows

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def make_row(number: int, **values: Any) -> Row:
    """A photograph of a cat, of an owner of its own, each uploaded a day after the last one."""
    row = {
        "photoid": number,
        "uid": f"{number}@N00",
        "unickname": "Ann+%26+Bo",
        "datetaken": "2008-06-20 17:37:55.0",
        "dateuploaded": 1_200_000_000 + number * 86_400,
        "capturedevice": "Canon+EOS",
        "title": "My+cat",
        "description": "On%20the+sofa",
        "usertags": "pet,our+home",
        "machinetags": "",
        "longitude": "11.5761",
        "latitude": "48.1374",
        "accuracy": "16",
        "pageurl": f"http://www.flickr.com/photos/{number}@N00/{number}/",
        "downloadurl": f"http://farm1.staticflickr.com/22/{number}_abc123.jpg",
        "licensename": "Attribution License",
        "licenseurl": "http://creativecommons.org/licenses/by/2.0/",
        "serverid": 22,
        "farmid": 1,
        "secret": "abc123",
        "secretoriginal": "def456",
        "ext": "jpg",
        "marker": 0,
    } | values
    return tuple(row[name] for name in YFCC_COLUMNS)


def write_sqlite(path: Path, rows: Sequence[Row]) -> Path:
    write_rows(path, rows)
    return path


def write_text(path: Path, rows: Sequence[Row], *, is_whole: bool = False) -> Path:
    """The table as text, with 25 columns where it `is_whole`; packed as the name says."""
    lines = []
    for number, row in enumerate(rows):
        cells = list(map(str, row))
        if is_whole:
            cells = [str(number), cells[0], f"{number:032x}", *cells[1:]]
        lines.append("\t".join(cells) + "\n")
    data = "".join(lines).encode()
    path.write_bytes(bz2.compress(data) if path.suffix == ".bz2" else data)
    return path
