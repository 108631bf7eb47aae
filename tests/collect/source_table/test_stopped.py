"""A pass that is killed, or finds no room: nothing is half added, and it is repeated whole."""

import signal
from pathlib import Path

from sqlalchemy import select

from catalog.party import Party
from catalog.tables import TablePass
from collect.source_table.sample_file import digest_of_file
from tests.rows import load_rows
from tests.warm import Main, Warm

from .cut_off import add_onto_full_disk, add_until_killed
from .made import make_row, write_sqlite
from .test_collecting import add

ROWS = 10_500


def start(main: Main, party: Party, table: Path) -> Warm:
    return Warm([str(party.folder), str(table)], main=main)


def test_a_killed_pass_adds_nothing_and_is_repeated_whole(party: Party, tmp_path: Path) -> None:
    rows = [make_row(number, dateuploaded=1_200_000_000 + number) for number in range(ROWS)]
    table = write_sqlite(tmp_path / "a.db", rows)
    assert start(add_until_killed, party, table).wait() == -signal.SIGKILL
    assert load_rows(party, select(TablePass)) == []
    folder = party.folder / "tables"
    assert list(folder.glob("*.db")) == []
    first = digest_of_file(add(party, table).sample)
    assert start(add_until_killed, party, table).wait() == -signal.SIGKILL
    (row,) = load_rows(party, select(TablePass))
    assert (row.sample_sha256, row.ended_at) == (first, None)
    assert digest_of_file(add(party, table).sample) == first
    assert sorted(path.name for path in folder.iterdir()) == [
        ".lock",
        f"yfcc100m-{first[:12]}.db",
    ]


def test_a_full_disk_adds_nothing_and_is_said_in_one_sentence(party: Party, tmp_path: Path) -> None:
    table = write_sqlite(tmp_path / "a.db", [make_row(number) for number in range(3_000)])
    _out, err = start(add_onto_full_disk, party, table).communicate()
    last = err.strip().splitlines()[-1]
    assert "The sample cannot be written in" in last
    assert "Nothing was added; make room" in last
    assert load_rows(party, select(TablePass)) == []
    assert list((party.folder / "tables").glob("*.db")) == []
