"""A pass over a table that is killed, or finds no room, for processes that tests fork."""

import os
import resource
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from catalog.party import open_party
from collect.source_table.job import TableOrder, add_table


def add_until_killed() -> None:
    """Add a table to the party in a folder, until some rows were read."""
    _add(lambda _rows: os.kill(os.getpid(), signal.SIGKILL))


def add_onto_full_disk() -> None:
    """Add a table to the party in a folder, where no file may grow beyond 100,000 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    _add(lambda _rows: None)


def _add(advance: Callable[[int], None]) -> None:
    folder, table = map(Path, sys.argv[1:])
    with open_party(folder) as party:
        add_table(party, TableOrder(table), now=lambda: datetime.now(UTC), advance=advance)
