"""Flickr's licences."""

from __future__ import annotations

import pytest

from catalog.errors import SettingsError
from collect.licences import LICENCES, get_licences


def test_the_table_holds_flickrs_seventeen_licences_with_their_urls() -> None:
    assert list(LICENCES) == [str(number) for number in range(17)]
    assert [licence_id for licence_id, licence in LICENCES.items() if not licence.url] == ["0"]


@pytest.mark.parametrize(
    ("licence_id", "name", "url"),
    [
        ("4", "CC BY 2.0", "https://creativecommons.org/licenses/by/2.0/"),
        ("12", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
        ("16", "CC BY-NC-ND 4.0", "https://creativecommons.org/licenses/by-nc-nd/4.0/"),
    ],
)
def test_a_licence_has_its_name_and_url(licence_id: str, name: str, url: str) -> None:
    licence = LICENCES[licence_id]
    assert (licence.name, licence.url) == (name, url)


@pytest.mark.parametrize("ids", [["4", "17"], ["cc-by"], []])
def test_an_id_that_flickr_does_not_have_is_refused_with_those_it_has(ids: list[str]) -> None:
    with pytest.raises(SettingsError, match=r"16 \(CC BY-NC-ND 4.0\)"):
        get_licences(ids)
