import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from catalog.party import Party
from dedup.jobs import DedupSummary

from .images import add_file, load_duplicates, load_states, run
from .photographs import jpeg, originals, resize

# Runs the command's own job again and again, each time in a new process, which is killed with -9 in
# the middle of its nth writing transaction; all are forked from one that has loaded the job.
PROGRAM = """
import os, signal, sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from catalog.party import open_party
from catalog.session import Catalogue
from dedup.jobs import remove_duplicates

class Killing(Catalogue):
    left = 0

    @contextmanager
    def writing(self):
        with super().writing() as session:
            yield session
            session.flush()
            Killing.left -= 1
            if not Killing.left:
                os.kill(os.getpid(), signal.SIGKILL)

def run():
    with open_party(Path(sys.argv[1])) as party:
        killed = replace(party, catalogue=Killing(party.catalogue.engine, party.catalogue.turn))
        remove_duplicates(killed, workers=1)

for moment in sys.argv[2:]:
    if not (child := os.fork()):
        Killing.left = int(moment)
        run()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def run_until_killed(party: Party, *at_transactions: int) -> list[int]:
    """The exit status of each run."""
    command = [sys.executable, "-c", PROGRAM, str(party.folder), *map(str, at_transactions)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return [int(line) for line in done.stdout.split()]


@pytest.mark.slow
def test_a_run_killed_in_any_transaction_resumes(party: Party) -> None:
    copies = {}
    for image in list(originals().values())[:20]:
        kept = add_file(party, jpeg(image), size_wh=image.size)
        copies[add_file(party, jpeg(resize(image, 0.7)))] = kept
    assert run_until_killed(party, 1, 2, 3, 4) == [-signal.SIGKILL] * 4
    run(party)
    states = load_states(party)
    assert load_duplicates(party) == copies
    assert {states[image_id] for image_id in copies} == {"duplicate"}
    assert {states[image_id] for image_id in copies.values()} == {"pool"}
    assert run(party) == DedupSummary()
