"""Processor time of some test modules, in one or more checkouts.

    python -m benchmarks.modules_time --tree ../before --tree . tests/dedup/test_kill.py

Prints JSON: for each tree the seconds of processor time of one run of all these modules, by one
process of pytest and all that it starts, also what outlives it: servers, and what is forked.
Paths are below the tree; a test's name may follow one, as for pytest.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import click

ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER of <sys/prctl.h>
PYTEST = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider")


@click.command(help=__doc__)
@click.option(
    "trees",
    "--tree",
    multiple=True,
    default=["."],
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.argument("modules", nargs=-1, required=True)
def main(trees: tuple[Path, ...], modules: tuple[str, ...]) -> None:
    """Measure each checkout and print what it took."""
    ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1)
    click.echo(json.dumps({str(tree): measure(tree, modules) for tree in trees}, indent=2))


def measure(tree: Path, modules: tuple[str, ...]) -> float:
    """Seconds of processor time, also of orphans, which this process adopts; once all ended."""
    before = _read_secs()
    environment = os.environ | {"PYTHONPATH": str(tree.resolve())}
    command = [sys.executable, *PYTEST, *modules]
    subprocess.run(command, cwd=tree, env=environment, check=True, stdout=sys.stderr)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return round(_read_secs() - before, 1)


def _read_secs() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
