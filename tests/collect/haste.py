"""The command with short pauses of hosts, for tests of what happens afterwards."""

import os
from functools import partial
from typing import Any
from unittest.mock import patch

import collect.job
from collect.claims import Outcome, record_kept
from collect.job import Patience
from collect.pauses import Backoff
from tests.warm import run_command, stop_here


def main() -> None:
    """Run `vocparty` with the words that were given."""
    patience = Patience(Backoff(first_secs=0.05, longest_secs=0.5), dry_draws_in_a_row=60)
    collect.job.run_collect = partial(collect.job.run_collect, patience=patience)
    run_command()


def main_until_files_are_in_hand() -> None:
    """The same, stopped after COUNT rows: the last files are stored, their rows uncommitted."""
    left = int(os.environ["COUNT"])

    def record_and_stop(*what: Any) -> Outcome:
        nonlocal left
        outcome = record_kept(*what)
        left -= 1
        if left <= 0:
            stop_here()
        return outcome

    with patch("collect.claims.record_kept", record_and_stop):
        main()
