"""A large SQLite file is read by processes, which changes nothing of what a pass keeps."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from collect.source_table import batches
from collect.source_table.batches import Batch, read_batches
from collect.source_table.errors import TableError
from collect.source_table.readers import Part
from collect.source_table.recognise import TableFile
from collect.source_table.rows import YFCC_COLUMNS
from collect.source_table.sampling import Pass, Rules
from simulate.flickr.yfcc import Row

from .made import make_row, write_sqlite

WORDS = ("My+cat", "A+dog", "the%2Ccat+and+dog", "nothing", "%zz+cat")
QUERIES = ("cat", "dog")


def make_rows(count: int) -> list[Row]:
    """Rows that answer one query, both or none; each seventh has no address of a picture."""
    return [
        make_row(
            number, title=WORDS[number % 5], description="", secret="" if number % 7 == 0 else "a1"
        )
        for number in range(1, count + 1)
    ]


@pytest.fixture
def table(tmp_path: Path) -> TableFile:
    return TableFile(write_sqlite(tmp_path / "yfcc.sql", make_rows(1_000)), "sqlite")


def in_parts(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Let files of more than `rows` rows be read by processes, so many rows at a time."""
    monkeypatch.setattr(batches, "PROCESSES_FROM_ROWS", rows)
    monkeypatch.setattr(batches, "PART_ROWS", rows)
    monkeypatch.setattr(batches, "count_processors", lambda: 2)


def sample(table: TableFile, path: Path) -> tuple[list[object], object]:
    """What a pass keeps and counts."""
    rules = Rules(QUERIES, None, "upload", 0, 10, 20, 3)
    reading = Pass(path, rules)
    reading.read(table)
    kept: list[object] = list(reading.finish())
    reading.close()
    return kept, reading.counts


def test_a_pass_in_processes_keeps_and_counts_what_one_process_does(
    table: TableFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = sample(table, tmp_path / "alone")
    in_parts(monkeypatch, 300)
    assert len(list(read_batches(table, QUERIES))) == 4
    assert sample(table, tmp_path / "parts") == alone
    kept, counts = alone
    assert len(kept) > 100
    assert counts.rows == 1_000  # type: ignore[attr-defined]


def die(_file: TableFile, _queries: object, _part: Part) -> Batch:
    """What the system does to a process for want of memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_a_process_that_is_killed_costs_no_row(
    table: TableFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = list(read_batches(table, QUERIES))
    in_parts(monkeypatch, 300)
    monkeypatch.setattr(batches, "read_part", die)
    read = list(read_batches(table, QUERIES))
    assert [item for batch in read for item in batch.found] == [
        item for batch in alone for item in batch.found
    ]
    assert sum(batch.rows for batch in read) == 1_000


def test_where_no_process_can_start_one_reads_all_rows(
    table: TableFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_parts(monkeypatch, 300)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with tempfile.TemporaryFile() as newest:
        free = newest.fileno() + 1  # for the table alone
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, before[1]))
    try:
        read = list(read_batches(table, QUERIES))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert sum(batch.rows for batch in read) == 1_000


def press_ctrl_c() -> None:
    """Ctrl-C in a process that is not yet ready for it."""
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_does_not_reach_processes_that_are_just_starting(
    table: TableFile, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    in_parts(monkeypatch, 300)
    monkeypatch.setattr(batches, "serve_parent", press_ctrl_c)
    assert sum(batch.rows for batch in read_batches(table, QUERIES)) == 1_000
    assert capfd.readouterr().err == ""


def test_a_table_that_is_cut_short_is_refused_also_where_processes_read_it(
    table: TableFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table.path.read_bytes()
    table.path.write_bytes(data[: len(data) * 2 // 3])
    in_parts(monkeypatch, 300)
    with pytest.raises(TableError, match="was cut short"):
        list(read_batches(table, QUERIES))


def test_ids_that_are_far_apart_make_no_more_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "yfcc.sql"
    columns = ", ".join(YFCC_COLUMNS).replace("photoid", "photoid INTEGER PRIMARY KEY")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE yfcc100m_dataset ({columns})")
        for number in (3, 10**10, 2 * 10**10):
            marks = ", ".join("?" * len(YFCC_COLUMNS))
            connection.execute(f"INSERT INTO yfcc100m_dataset VALUES ({marks})", make_row(number))
        connection.commit()
    monkeypatch.setattr(batches, "MOST_PARTS", 4)
    monkeypatch.setattr(batches, "count_processors", lambda: 2)
    read = list(read_batches(TableFile(path, "sqlite"), QUERIES))
    assert [batch.rows for batch in read] == [1, 1, 0, 1]
