"""Export, verify and import of a tree of VOC2012's size, against datumaro and supervision.

Each job runs in its own process, one after the other, and prints its seconds and its peak of
memory. Peers read the tree that export wrote and write what they read. Of an export, `pictures` is
choosing their files (threads write them while the texts are made), `to_disk` is fsync, `read_back`
is verify before the release is recorded. Datumaro's reader looks at no picture, supervision's
decodes all. `masks` needs no party: the processor's seconds for 3,000 images of 500 x 375 pixels
with 4 objects of 30 corners; the limit is 60.

    python -m benchmarks.export_voc --images 17125 --folder DIR
    python -m benchmarks.export_voc --folder DIR --jobs export
"""

from __future__ import annotations

import argparse
import gc
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

AT = datetime(2026, 6, 1, tzinfo=UTC)
YEAR = 2012
IMAGES = 17_125
OBJECTS = 40_138
Clock = dict[str, float]


def main() -> None:
    """Print a line for each job: its steps in seconds, and its peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--job", choices=list(JOBS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    gc.set_threshold(100_000)  # as the command does
    if options.job:
        clock = JOBS[options.job](options.folder)
        clock["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({name: round(value, 2) for name, value in clock.items()}))
        return
    if options.jobs != ["masks"] and not (options.folder / "party").is_dir():
        from benchmarks.qa_party import write_party  # processes that read a tree need it not

        objects = round(OBJECTS * options.images / IMAGES)
        party = options.folder / "party"
        write_party(party, images=options.images, objects=objects, has_pictures=True)
    command = [sys.executable, "-m", "benchmarks.export_voc", "--folder", str(options.folder)]
    for job in options.jobs:
        os.sync()  # all that the one before wrote is on the disk
        done = subprocess.run([*command, "--job", job], stdout=subprocess.PIPE, check=True)
        print(f"{job:12} {done.stdout.decode().splitlines()[-1]}", flush=True)
    shutil.rmtree(options.folder / "trash", ignore_errors=True)


def export(folder: Path) -> Clock:
    """The seconds of a release, step by step."""
    import export.planning
    from catalog.party import open_party
    from export import release

    clock: Clock = {}
    fresh = _renew(folder / "exported")
    _renew(folder / "working")
    shutil.copytree(folder / "party", folder / "working", copy_function=_link)
    for module, function, step in (
        (export.planning, "load_images", "rows"),
        (export.planning, "settle_jpegs", "pictures"),
        (release, "settle_files", "accompanying_files"),
        (release, "check_tree", "read_back"),
        (release, "sync_folder", "to_disk"),
    ):
        _watch(module, function, clock, step)
    with open_party(folder / "working") as party, _timed(clock, "all"):
        plan = export.planning.plan_release(party, year=YEAR)
        release.write_release(party, plan, fresh, at=AT)
    return clock


def verify(folder: Path) -> Clock:
    """Every rule of the format over the tree."""
    from vockit.verify.check import check_folder

    clock: Clock = {}
    with _timed(clock, "verify"):
        violations = [
            violation
            for report in check_folder(folder / "exported")
            for violation in report.violations
        ]
    assert not violations, violations[0]
    return clock


def import_tree(folder: Path) -> Clock:
    """The tree as a new party's release."""
    from catalog.party import make_party, open_party
    from export.importing import job
    from export.importing.dataset_image import DatasetOrder

    clock: Clock = {}

    fresh = _renew(folder / "imported")
    make_party(fresh, name="Bench", preset="voc2012")
    with open_party(fresh) as party, _timed(clock, "all"):
        report = job.import_tree(party, DatasetOrder(folder / "exported"), at=AT)
    assert not report.skipped
    assert not report.corrections
    return clock


def datumaro(folder: Path) -> Clock:
    """Its reader, and its writer of annotations and sets."""
    from datumaro import Dataset

    clock: Clock = {}
    with _timed(clock, "read"):
        dataset = Dataset.import_from(str(_tree(folder)), "voc_detection")
        assert sum(len(item.annotations) for item in dataset)
    target = _renew(folder / "peer")
    with _timed(clock, "write_annotations"):
        dataset.export(str(target), "voc_detection", save_media=False)
    return clock


def supervision(folder: Path) -> Clock:
    """Its reader, and its writer of annotations."""
    from supervision import DetectionDataset

    clock: Clock = {}
    pictures, annotations = (str(_tree(folder) / name) for name in ("JPEGImages", "Annotations"))
    with _timed(clock, "read"):
        dataset = DetectionDataset.from_pascal_voc(pictures, annotations)
    target = _renew(folder / "peer")
    with _timed(clock, "write_annotations"):
        dataset.as_pascal_voc(annotations_directory_path=str(target / "Annotations"))
    return clock


def masks(_folder: Path) -> Clock:
    """Filling and void, and then the two files too."""
    import numpy as np

    from catalog.annotated import AnnotatedObject
    from catalog.box import Box
    from catalog.settings import ExportSettings
    from export.drawings import derive_void, make_masks
    from vockit.format.rings import Outline, fill

    rng = np.random.default_rng(0)
    clock = dict[str, float]()
    objects = [
        AnnotatedObject(number, f"o{number}", "cat", Box(1, 1, 9, 9)) for number in range(1, 5)
    ]
    angles = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    for _ in range(3000):
        outlines = []
        for item in objects:
            radii = rng.integers(30, 180) * rng.uniform(0.7, 1.3, 30)
            x = rng.integers(0, 500) + radii * np.cos(angles)
            y = 188 + radii * np.sin(angles)
            corners = zip(x.clip(0, 500).astype(int), y.clip(0, 375).astype(int), strict=True)
            outlines.append(
                Outline(item.key, item.number, [[(int(a), int(b)) for a, b in corners]])
            )
        started = time.process_time()
        labels = np.zeros((375, 500), np.uint16)
        for outline in outlines:
            labels[fill(outline.rings, 500, 375)] = outline.depth
        derive_void(labels, 5)
        filled = time.process_time()
        make_masks(outlines, objects, ("cat",), (500, 375), ExportSettings())
        clock["fill_and_void"] = clock.get("fill_and_void", 0.0) + filled - started
        clock["with_files"] = clock.get("with_files", 0.0) + time.process_time() - filled
    return clock


JOBS: dict[str, Callable[[Path], Clock]] = {
    "export": export,
    "verify": verify,
    "import": import_tree,
    "masks": masks,
    "datumaro": datumaro,
    "supervision": supervision,
}


@contextmanager
def _timed(clock: Clock, step: str) -> Iterator[None]:
    """Adds the seconds of a block to the clock."""
    started = time.perf_counter()
    yield
    clock[step] = clock.get(step, 0.0) + time.perf_counter() - started


def _tree(folder: Path) -> Path:
    return folder / "exported" / "VOCdevkit" / f"VOC{YEAR}"


def _renew(folder: Path) -> Path:
    """An empty folder; its old files are deleted later, since deleting slows ext4 down."""
    if folder.exists():
        trash = folder.parent / "trash"
        trash.mkdir(exist_ok=True)
        folder.rename(trash / f"{folder.name}-{time.time_ns()}")
    return folder


def _link(source: str, target: str) -> None:
    """Pictures are linked, the catalogue is copied."""
    if source.endswith((".db", ".toml")):
        shutil.copy2(source, target)
    else:
        Path(target).hardlink_to(source)


def _watch(module: object, function: str, clock: Clock, step: str) -> None:
    """Clock every call of a function of the module."""
    inner = getattr(module, function)

    def watched(*args: object, **kwargs: object) -> object:
        with _timed(clock, step):
            return inner(*args, **kwargs)

    setattr(module, function, watched)


if __name__ == "__main__":
    main()
