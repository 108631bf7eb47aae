"""A row of a table as a photograph: the columns of YFCC100M, and columns of any other table.

Sources: multimediacommons.wordpress.com/yfcc100m-core-dataset (columns, coding of texts, the
address of a copy); flickr.com/services/api/misc.urls.html (a size without suffix is 500 pixels).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from urllib.parse import unquote_plus

from catalog.licences import Licence, find_licence
from collect.errors import clean_text
from collect.imports.table import MOST_URL_CHARS
from collect.results import FoundPhoto, parse_whole, read_place
from collect.transport import parse_endpoint

from .errors import RowError

PICTURES_URL = "https://live.staticflickr.com/"
COPIES_URL = "https://multimedia-commons.s3-us-west-2.amazonaws.com/"
YFCC_COLUMNS = (
    "photoid",
    "uid",
    "unickname",
    "datetaken",
    "dateuploaded",
    "capturedevice",
    "title",
    "description",
    "usertags",
    "machinetags",
    "longitude",
    "latitude",
    "accuracy",
    "pageurl",
    "downloadurl",
    "licensename",
    "licenseurl",
    "serverid",
    "farmid",
    "secret",
    "secretoriginal",
    "ext",
    "marker",
)
YFCC_TEXTS = slice(6, 9)  # title, description and tags
YFCC_NEEDED = ("photoid", "title", "description", "usertags", "serverid", "secret")
FIELDS = (
    "url",
    "id",
    "page",
    "title",
    "description",
    "tags",
    "owner",
    "owner_name",
    "licence",
    "taken",
    "uploaded",
    "latitude",
    "longitude",
)
"""What a column of any table may hold; only `url` must be there."""
TEXT_FIELDS = ("title", "description", "tags")
_FIRST_UPLOAD = datetime(1990, 1, 1, tzinfo=UTC)
_LAST_UPLOAD = datetime.fromtimestamp(2**31 - 1, UTC)
"""Dates outside of these are what a program wrote that knew none: 0, or its largest number."""
_VIDEO = "1"
_HEXADECIMAL = tuple(f"{byte:x}" for byte in range(256))
_MOST_CHARS = 10_000
_MOST_ID_CHARS = 150
_DIGITS = re.compile(r"[0-9]{1,20}")
_SECRET = re.compile(r"[0-9a-zA-Z]{1,20}")
_OWNER_ID = re.compile(r"[A-Za-z0-9@_.-]{1,100}")
_KIND = re.compile(
    r"(?:cc[ _-]?)?(by(?:[ _-](?:nc|nd|sa))*)(?:[ _-]([1-4]\.[0-9]))?", re.IGNORECASE
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?")


def read_yfcc(values: Sequence[object], digest: bytes = b"") -> FoundPhoto:
    """The photograph of a row in the order of YFCC_COLUMNS; raises RowError where it is none.

    `digest` is the hash of the photograph that the tables of 25 columns have.
    """
    row = dict(zip(YFCC_COLUMNS, map(_read_cell, values), strict=True))
    if row["marker"] == _VIDEO:
        raise RowError("a video, not a photograph")
    number = row["photoid"]
    owner = unquote_plus(row["uid"])
    if not _DIGITS.fullmatch(number):
        raise RowError("no id of a photograph")
    if not (_DIGITS.fullmatch(row["serverid"]) and _SECRET.fullmatch(row["secret"])):
        raise RowError("no address of a picture")
    owner = owner if _OWNER_ID.fullmatch(owner) else ""
    page = f"https://www.flickr.com/photos/{owner}/{number}" if owner else row["pageurl"]
    taken = _MOMENT.match(row["datetaken"])
    return FoundPhoto(
        source_id=number,
        owner_id=owner,
        owner_name=_decode(row["unickname"]),
        title=_decode(row["title"]),
        tags=_decode(row["usertags"].replace(",", ", ")),
        licence=parse_licence(row["licenseurl"]) or parse_licence(row["licensename"]),
        taken_at_text=taken[0] if taken else None,
        taken_at_unknown=taken is None,
        uploaded_at=parse_upload(row["dateuploaded"]),
        image_url=f"{PICTURES_URL}{row['serverid']}/{number}_{row['secret']}.jpg",
        promised_width=None,
        promised_height=None,
        page_url=page,
        place=read_place(row["latitude"], row["longitude"]),
        second_url=find_copy(row["downloadurl"], digest.decode("ascii", "replace")),
    )


def find_copy(download_url: str, digest: str = "") -> str | None:
    """Where the public bucket has its copy of a picture; None without an address or a digest.

    Its name is the MD5 of the address, each byte in hexadecimal without a leading zero.
    """
    if not re.fullmatch(r"[0-9a-f]{7,32}", digest):
        if not download_url:
            return None
        md5 = hashlib.md5(download_url.encode(), usedforsecurity=False).digest()
        digest = "".join([_HEXADECIMAL[byte] for byte in md5])
    return f"{COPIES_URL}data/images/{digest[:3]}/{digest[3:6]}/{digest}.jpg"


def read_fields(row: Mapping[str, str]) -> FoundPhoto:
    """The photograph of a row by its fields; raises RowError where it has no address."""
    url = row.get("url", "")
    endpoint = parse_endpoint(url)
    if endpoint is None or len(url) > MOST_URL_CHARS:
        raise RowError("its address is no web address")
    number = row.get("id") or url
    page = row.get("page", "")
    if len(number) > _MOST_ID_CHARS:
        number = hashlib.sha256(number.encode()).hexdigest()
    owner = row.get("owner") or row.get("owner_name") or ""
    is_page = len(page) <= MOST_URL_CHARS and parse_endpoint(page) is not None
    taken = _MOMENT.match(row.get("taken", ""))
    return FoundPhoto(
        source_id=number,
        owner_id=owner[:200],
        owner_name=row.get("owner_name") or owner,
        title=row.get("title", ""),
        tags=row.get("tags", ""),
        licence=parse_licence(row.get("licence", "")),
        taken_at_text=taken[0].replace("T", " ") if taken else None,
        taken_at_unknown=taken is None,
        uploaded_at=parse_upload(row.get("uploaded", "")),
        image_url=url,
        promised_width=None,
        promised_height=None,
        page_url=page if is_page else "",
        place=read_place(row.get("latitude", ""), row.get("longitude", "")),
    )


@lru_cache(1000)  # a column may have another text in each row
def parse_licence(text: str) -> Licence | None:
    """The licence of that name, id or address; of Creative Commons' also one without a version."""
    if not text or text == "null":
        return None
    if known := find_licence(text):
        return known
    if kind := _KIND.fullmatch(text.strip()):
        name = re.sub(r"[ _-]", "-", kind[1].lower())
        address = f"https://creativecommons.org/licenses/{name}/"
        if version := kind[2]:
            return Licence(
                f"cc-{name}-{version}", f"CC {name.upper()} {version}", f"{address}{version}/"
            )
        return Licence(f"cc-{name}", f"CC {name.upper()}", address)
    return Licence(text[:100], text, text if text.startswith(("http://", "https://")) else "")


def parse_upload(text: str) -> datetime | None:
    """The moment that seconds since 1970 or an ISO date stand for; None for what is no date."""
    secs = parse_whole(text, 10**11)
    try:
        moment = datetime.fromtimestamp(secs, UTC) if secs is not None else _parse_iso(text)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if _FIRST_UPLOAD <= moment < _LAST_UPLOAD else None


def _parse_iso(text: str) -> datetime:
    moment = datetime.fromisoformat(text.strip())
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC).replace(microsecond=0)


def _read_cell(value: object) -> str:
    """The text of a cell, empty for a missing one; raises RowError where it is not UTF-8."""
    try:
        text = value.decode() if isinstance(value, bytes) else "" if value is None else str(value)
    except UnicodeDecodeError as error:
        raise RowError("its text is not UTF-8") from error
    return "" if text == "null" else text


def _decode(text: str) -> str:
    """The words of a text that is encoded as the values of a web form are."""
    return clean_text(unquote_plus(text), _MOST_CHARS)
