"""Licences as people write them, and what a table's line says of a photo."""

from __future__ import annotations

import pytest

from collect.imports.table import DetailError, LicenceRules, TableRow, find_licence, make_details
from collect.results import LICENCES, get_licences

KEPT = LicenceRules(get_licences(["4", "9"]))


@pytest.mark.parametrize(
    ("text", "licence_id"),
    [
        ("4", "4"),
        ("CC BY 2.0", "4"),
        ("cc-by-2.0", "4"),
        ("https://creativecommons.org/licenses/by/2.0/", "4"),
        ("http://www.creativecommons.org/licenses/by/2.0", "4"),
        ("https://creativecommons.org/licenses/by-sa/4.0/deed.en", "12"),
        ("https://creativecommons.org/licenses/by-sa/4.0/legalcode", "12"),
        ("all rights reserved", "0"),
        ("CC BY", None),
        ("99", None),
        ("", None),
    ],
)
def test_a_licence_is_known_by_id_name_or_address(text: str, licence_id: str | None) -> None:
    found = find_licence(text)
    assert (found and found.id) == licence_id


@pytest.mark.parametrize("licence", LICENCES.values(), ids=lambda licence: licence.id)
def test_every_licence_is_found_by_all_three(licence: object) -> None:
    one = LICENCES[licence.id]  # type: ignore[attr-defined]
    assert {find_licence(text) for text in (one.id, one.name, one.url or one.id)} == {one}


@pytest.mark.parametrize("text", ["0", "CC BY-SA 2.0", "mine"])
def test_a_licence_that_is_not_kept_keeps_the_photograph_out(text: str) -> None:
    with pytest.raises(DetailError, match="its licence"):
        make_details(TableRow(2, {"licence": text}), KEPT)


def test_a_line_gives_the_columns_of_the_photo() -> None:
    cells = {
        "owner_name": "Ann",
        "licence": "cc by 2.0",
        "page": "https://x.example/1",
        "taken": "2010",
    }
    details = make_details(TableRow(2, cells), KEPT)
    assert details == {
        "owner_id": "Ann",
        "owner_name": "Ann",
        "title": None,
        "tags": None,
        "licence_id": "4",
        "licence_name": "CC BY 2.0",
        "licence_url": "https://creativecommons.org/licenses/by/2.0/",
        "page_url": "https://x.example/1",
        "taken_at_text": "2010",
        "uploaded_at": None,
    }


def test_a_page_that_is_no_web_address_keeps_the_photograph_out() -> None:
    with pytest.raises(DetailError, match="its page"):
        make_details(TableRow(2, {"page": "javascript:alert(1)"}), KEPT)
