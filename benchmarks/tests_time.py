"""Processor time that the tests take before and around their cases, in one or more checkouts.

    python -m benchmarks.tests_time
    python -m benchmarks.tests_time --tree ../before --tree .

Prints JSON for each tree, in seconds of processor time of all processes: `collect` is what each of
`make test`'s four processes takes to know its tests, `collect_first` the same where nothing is
compiled yet, `parties` opens a party a hundred times as a test's fixture does, `applications` makes
a hundred served parties, `transactions` reads one row ten thousand times, `pages` looks for
near-duplicates among eight pages of one layout, and `javascript` checks format and types of the
JavaScript once more, where node_modules is.
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

COUNT = 100
TRANSACTIONS = 10_000
PAGES = 8
MAKE = f"""
import json, tempfile, time
from pathlib import Path
from sqlalchemy import text
import tests.conftest
from catalog.party import make_party, open_party
from tests.annotate_ui.house import House
from tests.dedup.finder import list_merged, sign
from tests.dedup.test_light import draw_window
from tests.once import compile_once

def clock(count, do):
    do()
    began = time.process_time()
    for _ in range(count):
        do()
    return round(time.process_time() - began, 1)

def open_one():
    with open_party(folder / "party"):
        pass

def read_one():
    with party.catalogue.reading() as session:
        session.scalar(text("SELECT 1"))

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    compile_once(folder)
    make_party(folder / "party", name="Zoo", preset="voc2012")
    took = {{"parties": clock({COUNT}, open_one)}}
    with open_party(folder / "party") as party:
        took["applications"] = clock({COUNT}, lambda: House(party))
        took["transactions"] = clock({TRANSACTIONS}, read_one)
    pages = [sign(draw_window(seed)) for seed in range({PAGES})]
    took["pages"] = clock(1, lambda: list_merged(pages))
    print(json.dumps(took))
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
        first, again = (take_secs(tree, compiled) for _ in range(2))
        made: dict[str, float] = json.loads(run(tree, compiled, "-c", MAKE))
    return {"collect_first": first, "collect": again, **made, **measure_javascript(tree)}


def measure_javascript(tree: Path) -> dict[str, float]:
    """Seconds of processor time for JavaScript that was checked before; none without its tools."""
    if not (tree / "node_modules").exists():
        return {}
    for _ in range(2):
        before = _read_secs()
        for script in ("format-check", "check"):
            subprocess.run(["npm", "run", "--silent", script], cwd=tree, check=True)
    return {"javascript": round(_read_secs() - before, 1)}


def take_secs(tree: Path, compiled: str) -> float:
    """The processor time of collecting all tests."""
    before = _read_secs()
    run(tree, compiled, *COLLECT)
    return round(_read_secs() - before, 1)


def run(tree: Path, compiled: str, *arguments: str) -> str:
    """What a command of this Python prints; what is compiled lies in the folder alone."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=tree, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def _read_secs() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
