"""Import of a VOC tree by what takes the time, beside what its peers' readers take.

Three parts, in seconds of the processor: handling bytes (reading pictures, their digests, storing
them durably), looking whether pictures are whole, and everything else. The same bytes are copied
with cp and digested with sha256sum for comparison. Each job runs in a process of its own.

    python -m benchmarks.voc_import --tree FOLDER/exported --folder /tmp/bench
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

AT = datetime(2026, 6, 1, tzinfo=UTC)
Clock = dict[str, float]


def main() -> None:
    """Print a line for each job: its parts in seconds, and its peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, required=True, help="what export wrote")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--job", choices=list(JOBS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        clock = JOBS[options.job](options.tree, options.folder)
        clock["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({name: round(value, 2) for name, value in clock.items()}))
        return
    for job in options.jobs:
        command = [sys.executable, "-m", "benchmarks.voc_import", "--tree", str(options.tree)]
        command += ["--folder", str(options.folder), "--job", job]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        print(f"{job:12} {run.stdout.splitlines()[-1]}", flush=True)


def import_tree(tree: Path, folder: Path) -> Clock:
    """The tree as a new party's release, by its parts."""
    from catalog import file_batch, image_store
    from catalog.new_party import make_party
    from catalog.party import open_party
    from export.importing import job, storing

    clock: Clock = {}
    fresh = renew(folder / "imported")
    make_party(fresh, name="Bench", preset="voc2012")
    watch(storing, "read_bytes", clock, "bytes cpu")
    watch(image_store.ImageStore, "_put_beside", clock, "bytes cpu")
    watch(file_batch.FileBatch, "publish", clock, "bytes cpu")
    watch(storing, "read_picture", clock, "looking cpu")
    with open_party(fresh) as party, timed(clock, "import"):
        report = job.import_tree(party, job.TreeOrder(tree), at=AT)
    assert not report.skipped
    assert not report.mends
    clock["else cpu"] = clock["import cpu"] - clock["bytes cpu"] - clock["looking cpu"]
    clock["MB"] = count_bytes(tree) / 1e6
    return clock


def copy(tree: Path, folder: Path) -> Clock:
    """The pictures copied with cp and brought to the disk, and digested with sha256sum."""
    clock: Clock = {}
    fresh = renew(folder / "copied")
    pictures = find_pictures(tree)
    with timed(clock, "cp"):
        subprocess.run(["cp", "-r", str(pictures), str(fresh)], check=True)
        os.sync()
    with timed(clock, "sha256sum"):
        files = [str(path) for path in sorted(pictures.iterdir())]
        for start in range(0, len(files), 1000):
            command = ["sha256sum", *files[start : start + 1000]]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    clock["cpu"] = clock["cp cpu"] + clock["sha256sum cpu"]
    shutil.rmtree(fresh)
    return clock


def datumaro(tree: Path, _folder: Path) -> Clock:
    """Its reader, which looks at no picture."""
    from datumaro import Dataset

    clock: Clock = {}
    with timed(clock, "read"):
        dataset = Dataset.import_from(str(find_pictures(tree).parent), "voc_detection")
        boxes = sum(len(item.annotations) for item in dataset)
    assert boxes
    return clock


def supervision(tree: Path, _folder: Path) -> Clock:
    """Its reader, which decodes every picture to learn its size."""
    from supervision import DetectionDataset, _cv2

    clock: Clock = {}
    watch(_cv2, "imread", clock, "looking cpu")
    root = find_pictures(tree).parent
    with timed(clock, "read"):
        DetectionDataset.from_pascal_voc(str(root / "JPEGImages"), str(root / "Annotations"))
    clock["else cpu"] = clock["read cpu"] - clock["looking cpu"]
    return clock


JOBS: dict[str, Callable[[Path, Path], Clock]] = {
    "import": import_tree,
    "copy": copy,
    "datumaro": datumaro,
    "supervision": supervision,
}


@contextmanager
def timed(clock: Clock, step: str) -> Iterator[None]:
    """Adds the seconds of a block to the clock, and those of the processor."""
    started, worked = time.perf_counter(), _get_worked_secs()
    yield
    clock[step] = time.perf_counter() - started
    clock[f"{step} cpu"] = _get_worked_secs() - worked


def watch(owner: Any, name: str, clock: Clock, into: str) -> None:
    """Clock the processor's time of every call of a function, in whichever thread."""
    inner, lock = getattr(owner, name), threading.Lock()
    clock[into] = clock.get(into, 0.0)

    def watched(*args: Any, **kwargs: Any) -> Any:
        started = time.thread_time()
        try:
            return inner(*args, **kwargs)
        finally:
            passed = time.thread_time() - started
            with lock:
                clock[into] += passed

    setattr(owner, name, watched)


def find_pictures(tree: Path) -> Path:
    """The folder of pictures of the one release below."""
    (found,) = tree.glob("VOCdevkit/VOC*/JPEGImages")
    return found


def count_bytes(tree: Path) -> int:
    """Of all pictures."""
    return sum(path.stat().st_size for path in find_pictures(tree).iterdir())


def renew(folder: Path) -> Path:
    """The folder, empty of what a run before left."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _get_worked_secs() -> float:
    """Of this process and those it started and waited for."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
