"""Tables of photographs: what is read, and what is wrong with the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from collect.imports.table import TableError, read_table


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
def test_a_wrong_table_is_one_sentence_that_names_the_place(
    tmp_path: Path, name: str, text: str, says: str
) -> None:
    with pytest.raises(TableError, match=says):
        read_table(write(tmp_path, name, text), "file")


def test_a_table_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="No such file"):
        read_table(tmp_path / "none.csv", "file")
    with pytest.raises(TableError, match="not UTF-8"):
        read_table(write(tmp_path, "t.csv", "file\nä\n", "latin-1"), "file")


def test_an_empty_table_has_no_lines(tmp_path: Path) -> None:
    assert read_table(write(tmp_path, "t.csv", ""), "file").rows == ()
