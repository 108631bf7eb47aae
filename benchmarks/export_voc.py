"""Export, verify and import of a tree of VOC2012's size, against datumaro and supervision.

Each job runs in a process of its own, one after the other, and tells its seconds and its peak of
memory. Peers read the tree that export wrote and write what they read. What export and import do
beyond their peers (a catalogue with revisions and reviews, reading back every file, durable files)
is in their times.

    python -m benchmarks.export_voc --images 17125 --folder /tmp/bench
"""

from __future__ import annotations

import argparse
import json
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

from benchmarks.voc_party import IMAGES, make_voc_party

AT = datetime(2026, 6, 1, tzinfo=UTC)
YEAR = 2012
Clock = dict[str, float]


def main() -> None:
    """Print a line for each job: its steps in seconds, and its peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--job", choices=list(JOBS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        clock = JOBS[options.job](options.folder)
        for name, whose in (
            ("peak_mb", resource.RUSAGE_SELF),
            ("child_peak_mb", resource.RUSAGE_CHILDREN),
        ):
            clock[name] = resource.getrusage(whose).ru_maxrss / 1024
        print(json.dumps({name: round(value, 2) for name, value in clock.items()}))
        return
    party = options.folder / "party"
    if not party.is_dir():
        make_voc_party(party, options.images)
    for job in options.jobs:
        command = [sys.executable, "-m", "benchmarks.export_voc", "--folder", str(options.folder)]
        run = subprocess.run([*command, "--job", job], check=True, capture_output=True, text=True)
        print(f"{job:20} {run.stdout.splitlines()[-1]}", flush=True)


@contextmanager
def timed(clock: Clock, step: str) -> Iterator[None]:
    """Adds the seconds of a block to the clock, and those of the processor."""
    started, worked = time.perf_counter(), _get_worked_secs()
    yield
    clock[step] = clock.get(step, 0.0) + time.perf_counter() - started
    clock[f"{step} cpu"] = clock.get(f"{step} cpu", 0.0) + _get_worked_secs() - worked


def _get_worked_secs() -> float:
    """Of this process and those it started and waited for."""
    return sum(os.times()[:4])


def export(folder: Path) -> Clock:
    """The release, by its steps; `copy` is what the pictures alone take."""
    from catalog.party import open_party
    from export import release
    from export.planning import plan_release

    clock: Clock = {}
    fresh = _renew(folder / "exported")
    shutil.rmtree(folder / "working", ignore_errors=True)
    shutil.copytree(folder / "party", folder / "working", copy_function=_link)
    for step in ("write_plan", "_check_written", "sync_folder", "freeze_release"):
        _watch(release, step, clock)
    _watch(release, "_read_image", clock, into="pictures")
    _watch(release, "write_file", clock, into="pictures", ending=".jpg")
    with open_party(folder / "working") as party:
        with timed(clock, "plan"):
            plan = plan_release(party, year=YEAR)
        with timed(clock, "write_release"):
            release.write_release(party, plan, fresh, at=AT)
    for end in ("", " cpu"):
        spent = clock[f"plan{end}"] + clock[f"write_release{end}"]
        clock[f"all_but_pictures{end}"] = spent - clock[f"pictures{end}"]
    return clock


def verify(folder: Path) -> Clock:
    """Every rule of the format over the tree."""
    from export.verify.check import verify_tree

    clock: Clock = {}
    with timed(clock, "verify"):
        violations = verify_tree(folder / "exported")
    assert not violations, violations[0]
    return clock


def import_(folder: Path) -> Clock:
    """The tree as a new party's release."""
    from catalog.new_party import make_party
    from catalog.party import open_party
    from export.importing.job import TreeOrder, import_tree

    clock: Clock = {}
    fresh = _renew(folder / "imported")
    make_party(fresh, name="Bench", preset="voc2012")
    with open_party(fresh) as party, timed(clock, "import"):
        report = import_tree(party, TreeOrder(folder / "exported"), at=AT)
    assert not report.skipped
    return clock


def datumaro(folder: Path) -> Clock:
    """Its reader and its writer, with pictures and without."""
    from datumaro import Dataset

    clock: Clock = {}
    root = folder / "exported" / "VOCdevkit" / f"VOC{YEAR}"
    with timed(clock, "read"):
        dataset = Dataset.import_from(str(root), "voc_detection")
        boxes = sum(len(item.annotations) for item in dataset)
    assert boxes
    for name, save_media in (("write_annotations", False), ("write_with_pictures", True)):
        target = _renew(folder / "peer")
        with timed(clock, name):
            dataset.export(str(target), "voc_detection", save_media=save_media)
    return clock


def supervision(folder: Path) -> Clock:
    """Its reader and its writer, with pictures and without."""
    from supervision import DetectionDataset

    clock: Clock = {}
    root = folder / "exported" / "VOCdevkit" / f"VOC{YEAR}"
    with timed(clock, "read"):
        dataset = DetectionDataset.from_pascal_voc(
            str(root / "JPEGImages"), str(root / "Annotations")
        )
    target = _renew(folder / "peer")
    with timed(clock, "write_annotations"):
        dataset.as_pascal_voc(annotations_directory_path=str(target / "Annotations"))
    with timed(clock, "write_pictures"):
        dataset.as_pascal_voc(images_directory_path=str(target / "JPEGImages"))
    return clock


JOBS: dict[str, Callable[[Path], Clock]] = {
    "export": export,
    "verify": verify,
    "import": import_,
    "datumaro": datumaro,
    "supervision": supervision,
}


def _renew(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _link(source: str, target: str) -> None:
    """Pictures are linked, the catalogue is copied."""
    if source.endswith((".db", ".toml")):
        shutil.copy2(source, target)
    else:
        Path(target).hardlink_to(source)


def _watch(module: object, step: str, clock: Clock, into: str = "", ending: str = "") -> None:
    """Clock every call of a function of the module; with `ending` those for such a path alone."""
    inner = getattr(module, step)

    def watched(*args: object, **kwargs: object) -> object:
        if ending and not str(args[1]).endswith(ending):
            return inner(*args, **kwargs)
        with timed(clock, into or step):
            return inner(*args, **kwargs)

    setattr(module, step, watched)


if __name__ == "__main__":
    main()
