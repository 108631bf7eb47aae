"""Processor time that the tests take before and around their cases, in one or more checkouts.

    python -m benchmarks.tests_time
    python -m benchmarks.tests_time --tree ../before --tree .

Prints JSON for each tree, in seconds of processor time of all processes: `collect` is what each of
`make test`'s four processes takes to know its tests, `collect_first` the same where nothing is
compiled yet, `parties` opens a party a hundred times as a test's fixture does, `applications` makes
a hundred served parties, and `transactions` reads one row ten thousand times.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import click

COUNTS = (("0", "0", "0"), ("100", "0", "0"), ("0", "100", "0"), ("0", "0", "10000"))
MAKE = """
import sys, tempfile
from pathlib import Path
from sqlalchemy import text
import tests.conftest
from catalog.party import make_party, open_party
from tests.annotate_ui.house import House
from tests.once import compile_once

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    compile_once(folder)
    make_party(folder / "party", name="Zoo", preset="voc2012")
    parties, applications, transactions = map(int, sys.argv[1:])
    for _ in range(parties):
        with open_party(folder / "party"):
            pass
    with open_party(folder / "party") as party:
        for _ in range(applications):
            House(party)
        for _ in range(transactions):
            with party.catalogue.reading() as session:
                session.scalar(text("SELECT 1"))
"""
COLLECT = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", "tests")


@click.command(help=__doc__)
@click.option(
    "trees",
    "--tree",
    multiple=True,
    default=["."],
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
def main(trees: tuple[Path, ...]) -> None:
    """Measure each checkout and print what it took."""
    click.echo(json.dumps({str(tree): measure(tree) for tree in trees}, indent=2))


def measure(tree: Path) -> dict[str, float]:
    """Seconds of processor time by what was done in the checkout."""
    with tempfile.TemporaryDirectory() as compiled:
        collected = [take_secs(tree, compiled, *COLLECT) for _ in range(2)]
        nothing, *made = (take_secs(tree, compiled, "-c", MAKE, *counts) for counts in COUNTS)
    return {
        "collect_first": collected[0],
        "collect": collected[1],
        "parties": round(made[0] - nothing, 1),
        "applications": round(made[1] - nothing, 1),
        "transactions": round(made[2] - nothing, 1),
    }


def take_secs(tree: Path, compiled: str, *arguments: str) -> float:
    """The processor time of a command of this Python and its children.

    What is compiled lies in the folder `compiled` alone.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = _read_secs()
    subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return round(_read_secs() - before, 1)


def _read_secs() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
