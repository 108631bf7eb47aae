"""The server that tests run on ends with them, however they end."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = """
import os, signal
from tests.postgres import running_server
with running_server() as server:
    print(server.folder, (server.folder / "data/postmaster.pid").read_text().split()[0], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.postgres
def test_the_server_of_a_killed_process_ends_and_leaves_nothing() -> None:
    """Its guard has the same standard output, which ends when the guard has."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    folder, pid = done.stdout.split()
    assert done.returncode == -signal.SIGKILL
    assert not Path(folder).exists()
    with suppress(FileNotFoundError):  # whom nobody has waited for has a name, but no words
        assert Path(f"/proc/{pid}/cmdline").read_bytes() == b""
