"""Where a thread gets no memory for its first step, the process ends in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SHORT = """
import mmap, resource
from pathlib import Path
from vockit.format.shortage import ShortageError
from vockit.format.threads import ProcessPool, Thread, ThreadPool

PAGE = mmap.PAGESIZE
pools = ThreadPool(1), ProcessPool(1)
starts = {
    "thread": lambda: Thread(target=print).start(),
    "thread pool": lambda: pools[0].submit(print),
    "process pool": lambda: pools[1].submit(print),
}
used = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
resource.setrlimit(resource.RLIMIT_AS, (used + 2**26,) * 2)
room_for_the_stack_alone = mmap.mmap(-1, 2**23 + 4 * PAGE)
hoard = []
for size in [2**power for power in range(22, 3, -1)]:
    try:
        while True:
            hoard.append(bytes(size))
    except MemoryError:
        pass
room_for_the_stack_alone.close()
try:
    starts[KIND]()
except ShortageError as error:
    hoard.clear()
    print(error)
"""


@pytest.mark.parametrize("kind", ["thread", "thread pool", "process pool"])
def test_a_thread_that_could_not_take_its_first_step_is_not_started(kind: str) -> None:
    """Python would wait for it for ever."""
    done = subprocess.run(
        [sys.executable, "-c", SHORT.replace("KIND", repr(kind))],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("This machine is short of memory")
    assert "can't start new thread" in done.stdout


FORKED = """
import multiprocessing
from concurrent.futures import BrokenExecutor
from vockit.format.threads import ProcessPool

if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ends_while_it_loads"])
    with ProcessPool(1, context) as pool:
        try:
            pool.submit(len, "")
        except BrokenExecutor as error:
            print(error)
"""


def test_a_pool_is_broken_where_the_process_that_forks_ends(tmp_path: Path) -> None:
    """As for want of memory while it loads a library."""
    program = tmp_path / "forked.py"
    program.write_text(FORKED)
    (tmp_path / "ends_while_it_loads.py").write_text("import os; os._exit(1)")
    done = subprocess.run(
        [sys.executable, str(program)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("the process that forks the others has ended\n", "")
