"""Import and verify of a tree of VOC2012's size, next to what its peers' readers take.

Each job runs in its own process, after the disk has what the jobs before it wrote; the tree is one
that benchmarks.export_voc made. Datumaro's reader looks at no picture, supervision's decodes all.

    python -m benchmarks.voc_import --tree FOLDER/exported --folder DIR
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

AT = datetime(2026, 6, 1, tzinfo=UTC)


def main() -> None:
    """Print for each job the seconds of its steps and its peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, required=True, help="what export wrote")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--job", choices=list(JOBS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        JOBS[options.job](options.tree, options.folder)
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{options.job}: {peak_mb:.0f} MB at most")
        return
    words = ["--tree", str(options.tree), "--folder", str(options.folder)]
    for job in options.jobs:
        os.sync()
        command = [sys.executable, "-m", "benchmarks.voc_import", *words, "--job", job]
        subprocess.run(command, check=True)


def import_tree(tree: Path, folder: Path) -> None:
    """The tree as a new party's release."""
    from catalog.party import make_party, open_party
    from export.importing import job

    fresh = folder / "imported"
    shutil.rmtree(fresh, ignore_errors=True)
    make_party(fresh, name="Bench", preset="voc2012")
    with open_party(fresh) as party, timed("import"):
        report = job.import_tree(party, job.TreeOrder(tree), at=AT, watch=watch)
    assert not report.skipped
    assert not report.corrections
    print(f"{report.imported} images, {report.objects} objects")


def verify(tree: Path, _folder: Path) -> None:
    """The tree is held against every rule of the format."""
    from export.verify.check import verify_tree

    with timed("verify"):
        assert not verify_tree(tree)


def read_by_datumaro(tree: Path, _folder: Path) -> None:
    """The annotations, by its own reader."""
    from datumaro import Dataset

    (root,) = tree.glob("VOCdevkit/VOC*")
    with timed("datumaro reads"):
        dataset = Dataset.import_from(str(root), "voc_detection")
        assert sum(len(item.annotations) for item in dataset)


def read_by_supervision(tree: Path, _folder: Path) -> None:
    """Annotations and pictures, by its own reader."""
    from supervision import DetectionDataset

    (root,) = tree.glob("VOCdevkit/VOC*")
    with timed("supervision reads"):
        DetectionDataset.from_pascal_voc(str(root / "JPEGImages"), str(root / "Annotations"))


@contextmanager
def timed(step: str) -> Iterator[None]:
    """Prints the seconds of the block, by the clock and of the processor."""
    started, worked = time.perf_counter(), time.process_time()
    yield
    secs, cpu_secs = time.perf_counter() - started, time.process_time() - worked
    print(f"{step}: {secs:.2f} s by the clock, {cpu_secs:.2f} s of the processor", flush=True)


@contextmanager
def watch(label: str, _total: int, _unit: str) -> Iterator[Callable[[int], None]]:
    """Times a step of the import instead of showing its progress."""
    with timed(label):
        yield lambda _count: None


JOBS: dict[str, Callable[[Path, Path], None]] = {
    "import": import_tree,
    "verify": verify,
    "datumaro": read_by_datumaro,
    "supervision": read_by_supervision,
}


if __name__ == "__main__":
    main()
