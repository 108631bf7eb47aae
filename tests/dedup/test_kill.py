from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from catalog.party import Party
from dedup.jobs import DedupSummary

from .images import add_file, load_duplicates, load_states
from .photographs import jpeg, originals, resize
from .test_jobs import run

# Runs the command's own job, and is killed with -9 in the middle of the nth writing transaction.
PROGRAM = """
import os, signal, sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from catalog.party import open_party
from catalog.session import Catalogue
from dedup.jobs import remove_duplicates

class Killing(Catalogue):
    left = [int(sys.argv[2])]

    @contextmanager
    def writing(self):
        with super().writing() as session:
            yield session
            session.flush()
            self.left[0] -= 1
            if not self.left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

with open_party(Path(sys.argv[1])) as party:
    killed = replace(party, catalogue=Killing(party.catalogue.engine))
    remove_duplicates(killed, workers=1)
"""


def run_until_killed(party: Party, at_transaction: int) -> int:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(party.folder), str(at_transaction)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    ).returncode


@pytest.mark.slow
def test_killed_at_any_moment_the_same_run_goes_on(party: Party) -> None:
    copies = {}
    for image in list(originals().values())[:20]:
        kept = add_file(party, jpeg(image), size_wh=image.size)
        copies[add_file(party, jpeg(resize(image, 0.7)), size_wh=(100, 100))] = kept
    returncodes = [run_until_killed(party, at_transaction) for at_transaction in (1, 2, 3, 4, 4)]
    assert -signal.SIGKILL in returncodes
    run(party)
    states = load_states(party)
    assert load_duplicates(party) == copies
    assert {states[image_id] for image_id in copies} == {"duplicate"}
    assert {states[image_id] for image_id in copies.values()} == {"pool"}
    assert run(party) == DedupSummary()
