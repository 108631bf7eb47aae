"""The command that serves, with other limits, for processes that tests start and kill."""

import os
import sys
from pathlib import Path

from annotate_ui import app
from tests.warm import run_command
from web import receiving


def run_patiently() -> None:
    """Run `vocparty`, whose saves wait for longer than a busy machine may stall."""
    app.SAVE_WITHIN_SECS = 300
    run_command()


def run_until_all_is_answered() -> None:
    """Run `vocparty`, which ends only once every open request has its answer."""
    receiving.STOPPING_SECS = 3600
    run_command()


def run_afresh() -> None:
    """Run `vocparty` in a new interpreter: how answers are counted is chosen as it is loaded."""
    os.chdir(Path(__file__).parents[2])
    os.execv(sys.executable, [sys.executable, "-m", "vocparty", *sys.argv[1:]])


def run_as_group() -> None:
    """Run `vocparty` as a group of processes of its own, which can be killed together."""
    os.setsid()
    run_command()
