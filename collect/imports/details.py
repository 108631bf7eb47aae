"""What a table and the file itself say of a photograph, as columns of the photo's row."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PIL import Image

from collect.hosts import parse_endpoint
from collect.licences import LICENCES, Licence

from .table import TableRow

_EXIF_IFD = 0x8769
_ORIGINAL, _DIGITISED, _CHANGED = 0x9003, 0x9004, 0x0132
_MOMENT = re.compile(r"(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)")
_NO_DATE = "0000"


def find_taken_at(data: bytes) -> str | None:
    """The camera's local time as `YYYY-MM-DD hh:mm:ss`, or None where there is none to be read.

    DateTimeOriginal, else DateTimeDigitized, else DateTime (EXIF 2.3, sections 4.6.4 and 4.6.5).
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # damaged EXIF costs only the date
            with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
                exif = image.getexif()
                inner = exif.get_ifd(_EXIF_IFD)
    except Exception:
        return None
    values = (inner.get(_ORIGINAL), inner.get(_DIGITISED), exif.get(_CHANGED))
    return next((moment for value in values if (moment := _parse(value))), None)


def _parse(value: object) -> str | None:
    match = _MOMENT.match(value.strip(" \0")) if isinstance(value, str) else None
    if match is None or match[1] == _NO_DATE:
        return None
    return f"{match[1]}-{match[2]}-{match[3]} {match[4]}"


_MOST_URL_CHARS = 2_000


class DetailError(ValueError):
    """A line of the table says something that keeps its photograph out."""


@dataclass(frozen=True)
class LicenceRules:
    """Which licences are kept, by id; that of lines which name none; whether each must have one."""

    kept: Mapping[str, Licence]
    default: str | None = None
    is_required: bool = False


def make_details(row: TableRow, rules: LicenceRules) -> dict[str, Any]:
    """Columns of the photo; raises DetailError for a licence that is not kept, or is missing.

    Where the table gives an owner's name but no id, photos of one name are of one owner.
    """
    licence = check_licence(row.get("licence") or rules.default, rules.kept)
    if licence is None and rules.is_required:
        raise DetailError("it has no licence, and here each must have one")
    owner = row.get("owner") or row.get("owner_name")
    page = row.get("page")
    if page is not None and (len(page) > _MOST_URL_CHARS or parse_endpoint(page) is None):
        raise DetailError(f"its page {page[:100]!r} is not a web address")
    return {
        "owner_id": owner and owner[:200],
        "owner_name": row.get("owner_name") or owner,
        "title": row.get("title"),
        "tags": row.get("tags"),
        "licence_id": licence and licence.id,
        "licence_name": licence and licence.name,
        "licence_url": licence and licence.url,
        "page_url": page,
        "taken_at_text": (row.get("taken") or "")[:40] or None,
    }


def find_licence(text: str) -> Licence | None:
    """Flickr's licence of that id, name or URL, however it is written; None where it has none."""
    wanted = _fold(text)
    names = ((it, (it.id, _fold(it.name), _fold(it.url))) for it in LICENCES.values())
    return next((licence for licence, known in names if wanted and wanted in known), None)


def check_licence(text: str | None, licences: Mapping[str, Licence]) -> Licence | None:
    """The licence, None for no text; raises DetailError where it is unknown or not kept."""
    if text is None:
        return None
    licence = find_licence(text)
    if licence is None:
        raise DetailError(f"its licence {text[:100]!r} is not one that vocparty knows")
    if licence.id not in licences:
        raise DetailError(f"its licence {licence.name} is not among collect.licences")
    return licence


def _fold(text: str) -> str:
    """The text without what people write differently: case, dashes, scheme, ends of addresses."""
    text = text.casefold().strip().removeprefix("https://").removeprefix("http://")
    text = text.removeprefix("www.").removesuffix("deed.en").rstrip("/").removesuffix("/legalcode")
    return re.sub(r"[\s_-]+", " ", text)
