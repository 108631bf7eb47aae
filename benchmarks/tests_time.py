"""Processor time that the tests take before and around their cases, in one or more checkouts.

    python -m benchmarks.tests_time
    python -m benchmarks.tests_time --tree ../before --tree .

Prints JSON for each tree, in seconds of processor time of all processes: `collect` is what each of
`make test`'s four processes takes to know its tests, `parties` opens a party a hundred times as a
test's fixture does, and `applications` makes a hundred served parties.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import click

COUNT = 100
MAKE = """
import sys, tempfile
from pathlib import Path
import tests.conftest
from catalog.party import make_party, open_party
from tests.annotate_ui.house import House
from tests.once import compile_once

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    compile_once(folder)
    make_party(folder / "party", name="Zoo", preset="voc2012")
    parties, applications = map(int, sys.argv[1:])
    for _ in range(parties):
        with open_party(folder / "party"):
            pass
    with open_party(folder / "party") as party:
        for _ in range(applications):
            House(party)
"""
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


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
    nothing = take_secs(tree, "-c", MAKE, "0", "0")
    return {
        "collect": take_secs(tree, *PYTEST, "--collect-only", "tests"),
        "parties": round(take_secs(tree, "-c", MAKE, str(COUNT), "0") - nothing, 1),
        "applications": round(take_secs(tree, "-c", MAKE, "0", str(COUNT)) - nothing, 1),
    }


def take_secs(tree: Path, *arguments: str) -> float:
    """The processor time of a command of this Python and its children."""
    before = _read_secs()
    subprocess.run([sys.executable, *arguments], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    return round(_read_secs() - before, 1)


def _read_secs() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
