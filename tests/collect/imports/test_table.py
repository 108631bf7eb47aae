"""What is known of photographs from elsewhere: lines of a table, and the columns made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.errors import SettingsError
from collect.imports.table import (
    DetailError,
    LicenceRules,
    TableRow,
    find_licence,
    make_details,
    read_table,
)
from collect.results import LICENCES, get_licences


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "file,Owner,License,camera\na.jpg, ann ,4,x\nb.jpg,,,\n"),
        ("t.csv", '\ufefffile,owner,licence,camera\r\n"a.jpg",ann,4,x\r\n\r\nb.jpg,,,\r\n'),
        (
            "t.json",
            '[{"file": "a.jpg", "owner": "ann", "license": 4, "camera": null},'
            ' {"file": "b.jpg", "owner": null, "title": true}]',
        ),
    ],
)
def test_a_table_gives_its_lines(tmp_path: Path, name: str, text: str) -> None:
    table = read_table(write(tmp_path, name, text), "file")
    assert [dict(row.cells) for row in table.rows] == [
        {"file": "a.jpg", "owner": "ann", "licence": "4"}
        | ({"camera": "x"} if ".csv" in name else {}),
        {"file": "b.jpg"},
    ]
    assert table.ignored == ("camera",)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("t.csv", "name,owner\na,b\n", "no column 'file'; it has: name, owner"),
        ("t.csv", "file,owner\na\n", "line 2: expected 2 columns, got 1"),
        ("t.csv", 'file\n"a', "line 2: unexpected end of data"),
        ("t.json", "{", "is not JSON"),
        ("t.json", '{"file": "a"}', "expected a list"),
        ("t.json", '[{"file": "a"}, 7]', "entry 2: expected an object, got 7"),
    ],
)
def test_a_wrong_table_names_the_place(tmp_path: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        read_table(write(tmp_path, name, text), "file")


def test_a_table_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        read_table(tmp_path / "none.csv", "file")
    with pytest.raises(SettingsError, match="not UTF-8"):
        read_table(write(tmp_path, "t.csv", "file\nä\n", "latin-1"), "file")


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
        "image_url": None,
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
