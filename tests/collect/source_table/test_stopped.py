"""A pass that is killed, or finds no room: nothing is half added, and it is repeated whole."""

import signal
import subprocess
import sys
from pathlib import Path

from sqlalchemy import select

from catalog.party import Party
from catalog.tables import TablePass
from collect.source_table.sample_file import digest_of_file
from tests.rows import load_rows

from .made import make_row, write_sqlite
from .test_collecting import add

ROWS = 10_500
ADDING = """
import os, resource, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from catalog.party import open_party
from collect.source_table.job import TableOrder, add_table

how, folder, table = sys.argv[1:]
kill = lambda _rows: os.kill(os.getpid(), signal.SIGKILL)
with open_party(Path(folder)) as party:
    if how == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    add_table(
        party,
        TableOrder(Path(table)),
        now=lambda: datetime.now(UTC),
        advance=kill if how == "kill" else lambda _rows: None,
    )
"""


def run(how: str, party: Party, table: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", ADDING, how, str(party.folder), str(table)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_killed_pass_adds_nothing_and_is_repeated_whole(party: Party, tmp_path: Path) -> None:
    rows = [make_row(number, dateuploaded=1_200_000_000 + number) for number in range(ROWS)]
    table = write_sqlite(tmp_path / "a.db", rows)
    assert run("kill", party, table).returncode == -signal.SIGKILL
    assert load_rows(party, select(TablePass)) == []
    folder = party.folder / "tables"
    assert list(folder.glob("*.db")) == []
    first = digest_of_file(add(party, table).sample)
    assert run("kill", party, table).returncode == -signal.SIGKILL
    (row,) = load_rows(party, select(TablePass))
    assert (row.sample_sha256, row.ended_at) == (first, None)
    assert digest_of_file(add(party, table).sample) == first
    assert sorted(path.name for path in folder.iterdir()) == [
        ".lock",
        f"yfcc100m-{first[:12]}.db",
    ]


def test_a_full_disk_adds_nothing_and_is_said_in_one_sentence(party: Party, tmp_path: Path) -> None:
    table = write_sqlite(tmp_path / "a.db", [make_row(number) for number in range(3_000)])
    ended = run("full", party, table)
    last = ended.stderr.strip().splitlines()[-1]
    assert "The sample cannot be written in" in last
    assert "Nothing was added; make room" in last
    assert load_rows(party, select(TablePass)) == []
    assert list((party.folder / "tables").glob("*.db")) == []
