"""The command as it is, but that hosts rest a tenth as long: for tests of what comes after."""

from __future__ import annotations

from functools import partial

import collect.job
from collect.backoff import Backoff
from collect.job import Patience
from tests.warm import run_command


def main() -> None:
    """Run `vocparty` with the words that were given."""
    patience = Patience(Backoff(first_secs=0.1, longest_secs=2.0))
    collect.job.run_collect = partial(collect.job.run_collect, patience=patience)
    run_command()
