"""Removing duplicates is killed at any moment, and the next run completes it."""

import signal

import pytest

from catalog.party import Party
from dedup.jobs import DedupSummary
from tests.warm import Warm, run_command_to_transaction

from .images import add_file, load_duplicates, load_states, run
from .photographs import jpeg, originals, resize


def run_until_killed(party: Party, at_transaction: int) -> int | None:
    """The exit status of a run that is killed in the middle of its writing transaction."""
    words = ["dedup", "--party", str(party.folder), "--workers", "1"]
    process = Warm(words, {"COUNT": str(at_transaction)}, run_command_to_transaction)
    process.kill_when_stopped()
    return process.returncode


@pytest.mark.slow
def test_a_run_killed_in_any_transaction_resumes(party: Party) -> None:
    copies = {}
    for image in list(originals().values())[:20]:
        kept = add_file(party, jpeg(image), size_wh=image.size)
        copies[add_file(party, jpeg(resize(image, 0.7)))] = kept
    for at_transaction in (1, 2, 3, 4):
        assert run_until_killed(party, at_transaction) == -signal.SIGKILL
    run(party)
    states = load_states(party)
    assert load_duplicates(party) == copies
    assert {states[image_id] for image_id in copies} == {"duplicate"}
    assert {states[image_id] for image_id in copies.values()} == {"pool"}
    assert run(party) == DedupSummary()
