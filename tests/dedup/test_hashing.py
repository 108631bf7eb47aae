import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from catalog.image_store import ImageStore, open_image_store
from dedup.executors import open_processes, run_batches
from dedup.hashing import HashOutcome, HashTask, call_waiting, hash_batch
from dedup.signature.signature import hash_image

from .photographs import jpeg, originals, resize
from .poison import POISON_ID, hash_but_die_of_poison


@pytest.fixture
def store(tmp_path: Path) -> ImageStore:
    return open_image_store("images", tmp_path)


def make_batches(store: ImageStore, *, images: int, batch_images: int) -> list[list[HashTask]]:
    photograph = originals()["rocket"]
    tasks = [
        HashTask(number, store.put(jpeg(resize(photograph, 0.2 + number / 100))))
        for number in range(images)
    ]
    return [tasks[at : at + batch_images] for at in range(0, images, batch_images)]


def hash_everything(
    store: ImageStore, batches: list[list[HashTask]], work: Any = hash_batch
) -> list[HashOutcome]:
    workers = partial(open_processes, 2), partial(open_processes, 1), partial(work, store)
    outcomes = run_batches(*workers, batches, call_waiting, ahead=2)
    return [outcome for some in outcomes for outcome in some]


@pytest.mark.slow
def test_worker_processes_give_the_same_hashes_as_this_process(store: ImageStore) -> None:
    batches = make_batches(store, images=6, batch_images=2)
    outcomes = hash_everything(store, batches)
    tasks = [task for batch in batches for task in batch]
    assert outcomes == [
        HashOutcome(task.image_id, hash_image(store.get(task.sha256))) for task in tasks
    ]


@pytest.mark.slow
def test_a_file_that_kills_its_worker_loses_no_other_file(store: ImageStore) -> None:
    batches = make_batches(store, images=12, batch_images=2)
    outcomes = hash_everything(store, batches, hash_but_die_of_poison)
    assert sorted(outcome.image_id for outcome in outcomes) == list(range(12))
    [broken] = [outcome for outcome in outcomes if outcome.hashed is None]
    assert broken.image_id == POISON_ID
    assert broken.reason == "decoding the file ended the process"


@pytest.mark.slow
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    """The worker inherits the pipe, so the pipe ends only when the worker has ended."""
    program = tmp_path / "parent.py"
    program.write_text(
        "import os, time\n"
        "from dedup.executors import open_processes\n"
        "if __name__ == '__main__':\n"
        "    with open_processes(1) as executor:\n"
        "        print(executor.submit(os.getpid).result(), flush=True)\n"
        "        executor.submit(time.sleep, 600).result()\n"
    )
    with subprocess.Popen(
        [sys.executable, str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    ) as parent:
        assert parent.stdout is not None
        assert int(parent.stdout.readline()) != parent.pid
        parent.send_signal(signal.SIGKILL)
        assert parent.stdout.read() == b""


@pytest.mark.slow
def test_workers_start_deaf_to_ctrl_c_and_import_no_module_of_the_current_folder(
    tmp_path: Path,
) -> None:
    """Ctrl-C is for their parent, also while the process that forks them loads OpenCV."""
    current = tmp_path / "current"
    current.mkdir()
    (current / "catalog.py").write_text("raise SystemExit('This is a script of the user.')")
    program = tmp_path / "parent.py"
    program.write_text(
        "import signal\n"
        "from dedup.executors import open_processes\n"
        "if __name__ == '__main__':\n"
        "    with open_processes(1) as executor:\n"
        "        blocked = executor.submit(signal.pthread_sigmask, signal.SIG_BLOCK, [])\n"
        "        print(signal.SIGINT in blocked.result())\n"
    )
    done = subprocess.run(
        [sys.executable, str(program)],
        cwd=current,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
