"""Import of a VOC tree beside what its peers' readers take, by the clock and of the processor.

`import` is all of it, `bytes` the same pictures read, digested and stored durably by the same
processes and nothing else; the difference is everything but copying bytes. `rows` is sqlite3 alone
with the rows of the import one by one, all in one transaction. The same bytes are copied
with cp and digested with sha256sum for comparison. Each job runs in a process of its own, after
what the jobs before wrote is on the disk.

    python -m benchmarks.voc_import --tree FOLDER/exported --folder DIR
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.processor_time import find_family

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from catalog.image_store import ImageStore
    from export.importing.brought import Brought
    from export.importing.share import ShareReading

AT = datetime(2026, 6, 1, tzinfo=UTC)
TABLES = ("image", "photo", "annotation", "object", "part", "review", "release_image")
CACHE_KB = 65_536
Clock = dict[str, float]


def main() -> None:
    """Print a line for each job: seconds and peaks of memory; then how they compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, required=True, help="what export wrote")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--memory", action="store_true", help="of all processes, nothing else")
    parser.add_argument("--job", choices=list(JOBS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(run_job(JOBS[options.job], options.tree, options.folder)))
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    clocks: dict[str, Clock] = {}
    if options.memory:
        peak_mb = measure_memory(make_command(options, "import"))
        print(f"import, all processes together: {peak_mb:.0f} MB at most")
    for job in options.jobs if not options.memory else ():
        os.sync()
        run = subprocess.run(make_command(options, job), check=True, capture_output=True, text=True)
        clocks[job] = json.loads(run.stdout.splitlines()[-1])
        print(f"{job:12} {json.dumps(clocks[job])}", flush=True)
    for line in compare(clocks):
        print(line)
    shutil.rmtree(options.folder / "trash", ignore_errors=True)


def make_command(options: argparse.Namespace, job: str) -> list[str]:
    """The command that runs one job."""
    command = [sys.executable, "-m", "benchmarks.voc_import", "--tree", str(options.tree)]
    return [*command, "--folder", str(options.folder), "--job", job]


def measure_memory(command: list[str]) -> float:
    """The most megabytes that a process and those it forks held; a shared page counts once."""
    peak_kb = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak_kb = max(peak_kb, sum(map(read_share_kb, find_family([process.pid]))))
            time.sleep(0.05)
    assert process.returncode == 0
    return peak_kb / 1024


def read_share_kb(process_id: int) -> int:
    """What a process holds, of shared pages its part; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def run_job(job: Callable[[Path, Path], Clock], tree: Path, folder: Path) -> Clock:
    """The job's seconds, and the peaks of memory of this process and of the largest it started."""
    clock = job(tree, folder)
    for name, whose in (
        ("peak_mb", resource.RUSAGE_SELF),
        ("child_peak_mb", resource.RUSAGE_CHILDREN),
    ):
        clock[name] = resource.getrusage(whose).ru_maxrss / 1024
    return {name: round(value, 2) for name, value in clock.items()}


def compare(clocks: dict[str, Clock]) -> Iterator[str]:
    """How long everything but copying bytes takes, and how many times longer the peers read."""
    if not {"import", "bytes"} <= clocks.keys():
        return
    for kind, end in (("by the clock", ""), ("of the processor", " cpu")):
        rest = clocks["import"][f"import{end}"] - clocks["bytes"][f"bytes{end}"]
        yield f"everything but copying bytes, {kind}: {rest:.2f} s"
        for peer in ("datumaro", "supervision"):
            if peer in clocks:
                secs = clocks[peer][f"read{end}"]
                yield f"  {peer} reads in {secs:.2f} s: {secs / rest:.1f} times"


def import_tree(tree: Path, folder: Path) -> Clock:
    """The tree as a new party's release."""
    from catalog.new_party import make_party
    from catalog.party import open_party
    from export.importing import job

    clock: Clock = {}
    fresh = renew(folder / "imported")
    make_party(fresh, name="Bench", preset="voc2012")
    with open_party(fresh) as party, timed(clock, "import"):
        report = job.import_tree(party, job.TreeOrder(tree), at=AT)
    assert not report.skipped
    assert not report.mends
    return clock


def import_bytes(tree: Path, folder: Path) -> Clock:
    """The pictures alone into a new store, by the processes that import them."""
    from catalog.image_store import open_image_store
    from export.importing.crew import open_crew
    from export.importing.job import iterate_portions

    store = open_image_store(str(renew(folder / "stored")))
    paths = sorted(str(path) for path in find_pictures(tree).iterdir())
    shares = [BytesShare(store, some_paths) for some_paths in iterate_portions(paths)]
    clock: Clock = {"MB": count_bytes(tree) / 1e6}
    gc.disable()
    with timed(clock, "bytes"), open_crew(shares, len(paths), is_local=True) as crew:
        assert sum(reading.images for reading in crew.read()) == len(paths)
        for _ in crew.bring():
            pass
    return clock


class BytesShare:
    """Some pictures, of which nothing is read but their bytes."""

    def __init__(self, store: ImageStore, paths: Sequence[str]) -> None:
        self._store, self._paths = store, paths

    def read(self) -> ShareReading:
        """Nothing."""
        from export.importing.share import ShareReading

        return ShareReading(len(self._paths))

    def bring(self, _pool: Executor | None = None) -> Brought:
        """The pictures are in the store, durably, when this returns."""
        from export.importing.brought import Brought
        from export.verify.trees import read_bytes

        with self._store.putting() as put:
            for path in self._paths:
                data = read_bytes(path)
                assert isinstance(data, bytes)
                put(data)
        return Brought()


def insert_rows(_tree: Path, folder: Path) -> Clock:
    """The rows of the import into a new catalogue, by sqlite3 alone."""
    from catalog.new_party import make_party

    fresh = renew(folder / "rows")
    make_party(fresh, name="Bench", preset="voc2012")
    clock: Clock = {"rows": 0}
    with (
        sqlite3.connect(folder / "imported" / "catalogue.db") as source,
        sqlite3.connect(fresh / "catalogue.db", isolation_level=None) as target,
    ):
        found = {name: read_rows(source, name) for name in ("person", "query", "release", *TABLES)}
        clock["rows"] = sum(len(found[name]) for name in TABLES)
        target.execute("PRAGMA synchronous = FULL")
        target.execute(f"PRAGMA cache_size = {-CACHE_KB}")
        with timed(clock, "insert"):
            target.execute("BEGIN IMMEDIATE")
            for name, rows in ((name, rows) for name, rows in found.items() if rows):
                marks = ", ".join("?" * len(rows[0]))
                target.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
            target.execute("COMMIT")
    source.close()
    target.close()
    return clock


def read_rows(source: sqlite3.Connection, name: str) -> list[tuple[object, ...]]:
    """All rows of a table."""
    return source.execute(f"SELECT * FROM {name} ORDER BY id").fetchall()


def copy(tree: Path, folder: Path) -> Clock:
    """The pictures copied with cp and brought to the disk, and digested with sha256sum.

    The jobs after it find them in memory.
    """
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
    from supervision import DetectionDataset

    clock: Clock = {}
    root = find_pictures(tree).parent
    with timed(clock, "read"):
        DetectionDataset.from_pascal_voc(str(root / "JPEGImages"), str(root / "Annotations"))
    return clock


JOBS: dict[str, Callable[[Path, Path], Clock]] = {
    "copy": copy,
    "bytes": import_bytes,
    "import": import_tree,
    "rows": insert_rows,
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


def find_pictures(tree: Path) -> Path:
    """The folder of pictures of the one release below."""
    (found,) = tree.glob("VOCdevkit/VOC*/JPEGImages")
    return found


def count_bytes(tree: Path) -> int:
    """Of all pictures."""
    return sum(path.stat().st_size for path in find_pictures(tree).iterdir())


def renew(folder: Path) -> Path:
    """The folder's name; what was there is deleted at the end, which takes long."""
    if folder.exists():
        trash = folder.parent / "trash"
        trash.mkdir(exist_ok=True)
        folder.rename(trash / f"{folder.name}-{time.time_ns()}")
    return folder


def _get_worked_secs() -> float:
    """Of this process and those it started and waited for."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
