"""What a table says of a photograph, as columns of the photo's row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from collect.addresses import parse_endpoint
from collect.licences import LICENCES, Licence

from .table import TableRow

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
    for licence in LICENCES.values():
        if wanted in (licence.id, _fold(licence.name)) or (
            licence.url and wanted == _fold(licence.url)
        ):
            return licence
    return None


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
