"""Flipped bytes of a catalogue, in its rows and in its indexes."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from operate.integrity import find_suspects, list_faults
from operate.stored_files_checks import SET_ASIDE
from tests.annotate_ui.house import House

from .test_doctor import examine

PAGE = 4096
KINDS = {"row": 0x0D, "index": 0x0A}
"""The first byte of a leaf page of a table and of an index (SQLite's file format, 1.6)."""
WORDS = {
    ("object", "class_id"): (b"zebracat", b"zebracar"),
    ("person", "name"): (b"anastasia", b"anastasic"),
    ("photo", "owner_id"): (b"owner-of-one", b"owner-of-two"),
}


def flip(file: Path, kind: str, old: bytes, new: bytes) -> None:
    """Replace the bytes on a page of the kind, as a failing disk would."""
    data = bytearray(file.read_bytes())
    places = [match.start() for match in re.finditer(re.escape(old), data)]
    (at,) = [at for at in places if data[at // PAGE * PAGE] == KINDS[kind]][:1]
    data[at : at + len(old)] = new
    file.write_bytes(data)


def name_one(house: House, table: str, column: str, value: str) -> Path:
    """The catalogue's file, in which one row has the value."""
    file = house.party.folder / "catalogue.db"
    house.party.catalogue.close()
    with closing(sqlite3.connect(file)) as connection:
        last = f"(SELECT max(id) FROM {table})"
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE id = {last}", (value,))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("table", "column"), WORDS)
def test_a_flipped_byte_is_named_with_both_values_and_repaired_by_no_program(
    small: House, table: str, column: str, kind: str
) -> None:
    old, new = WORDS[table, column]
    file = name_one(small, table, column, old.decode())
    flip(file, kind, old, new)
    before = file.read_bytes()
    assert list_faults(file)
    for words in ((), ("--repair",)):
        check = examine(small, *words)["catalogue"]
        assert check["state"] == "error"
        assert f"of {table}" in check["text"]
        assert old.decode() in check["text"]
        assert new.decode() in check["text"]
    row, index = (new, old) if kind == "row" else (old, new)
    (suspect, *_) = find_suspects(file, list_faults(file))
    assert suspect.in_row is not None
    assert suspect.in_index is not None
    assert row.decode() in suspect.in_row
    assert index.decode() in suspect.in_index
    assert file.read_bytes() == before
    (copy,) = (small.party.folder / SET_ASIDE).glob("catalogue-*.db")
    assert new in copy.read_bytes()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert list_faults(copy) == list_faults(file)


def test_a_person_who_compared_them_may_trust_the_rows(small: House) -> None:
    file = name_one(small, "object", "class_id", "zebracat")
    flip(file, "index", b"zebracat", b"zebracar")
    before = list_faults(file)
    assert examine(small, "--trust-rows")["catalogue"]["state"] == "repaired"
    assert list_faults(file) == []
    (copy,) = (small.party.folder / SET_ASIDE).glob("catalogue-*.db")
    assert list_faults(copy) == before


def test_rows_that_cannot_be_read_are_never_trusted(small: House) -> None:
    file = name_one(small, "object", "class_id", "zebracat")
    flip(file, "index", b"zebracat", b"zebracar")
    data = bytearray(file.read_bytes())
    with closing(sqlite3.connect(file)) as connection:
        wanted = "SELECT rootpage FROM sqlite_schema WHERE name = 'part'"
        (page,) = connection.execute(wanted).fetchone()
    data[(page - 1) * PAGE : page * PAGE] = b"\xa5" * PAGE
    file.write_bytes(data)
    check = examine(small, "--repair", "--trust-rows")["catalogue"]
    assert check["state"] == "error"
    assert "restore" in check["text"]
    assert file.read_bytes() == data


def test_a_row_that_only_its_index_has_is_named(small: House) -> None:
    file = name_one(small, "object", "class_id", "zebracat")
    with closing(sqlite3.connect(file)) as connection:
        wanted = "SELECT sql FROM sqlite_schema WHERE name LIKE 'ix_object%' AND sql LIKE '%class%'"
        (sql,) = connection.execute(wanted).fetchone()
        name = sql.split()[2]
        hide = "DELETE FROM sqlite_schema WHERE name = ?"
        (kept,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)
        ).fetchall()
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(hide, (name,))
        connection.commit()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DELETE FROM object WHERE class_id = 'zebracat'")
        connection.execute("PRAGMA writable_schema = ON")
        entry = ("index", name, "object", kept[0], sql)
        connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", entry)
        connection.commit()
    text = examine(small, "--repair")["catalogue"]["text"]
    assert "is in the index" in text
    assert "zebracat" in text


def test_a_damaged_catalogue_is_neither_moved_nor_backed_up(small: House, tmp_path: Path) -> None:
    file = name_one(small, "object", "class_id", "zebracat")
    flip(file, "row", b"zebracat", b"zebracar")
    new = str(tmp_path / "new")
    for words in (
        ("move", "--to", "sqlite:///new.db", "--folder", new),
        ("backup", str(tmp_path / "zoo.tar")),
    ):
        done = small.run(*words)
        assert done.exit_code == 1
        assert "The catalogue is damaged" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["party"]
