"""Export, verify and import of a tree of VOC2012's size, against cp, datumaro and supervision.

Each job runs in its own process, one after the other, and prints the seconds of its steps and its
peak of memory. Peers read the tree that export wrote and write what they read. Of an export,
`pictures` is choosing their files (threads write them while texts are made), `to_disk` is fsync,
`read_back` is verify before the release is recorded. `copy` is what cp and sync take for the same
pictures. Datumaro's reader looks at no picture, supervision's decodes all. `masks`
needs no party: the processor's seconds for 3,000 images of 500 x 375 pixels with 4 objects of 30
corners; the limit is 60.

With --rounds all jobs run several times, and the medians are printed last.

    python -m benchmarks.export_voc --images 17125 --folder DIR
    python -m benchmarks.export_voc --folder DIR --jobs export copy --rounds 5
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

AT = datetime(2026, 6, 1, tzinfo=UTC)
YEAR = 2012
IMAGES, OBJECTS = 17_125, 40_138
Clock = dict[str, float]


def main() -> None:
    """Print a line for each job: its steps in seconds, and its peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--rounds", type=int, default=1)
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
    rounds = [_run_jobs(options) for _ in range(options.rounds)]
    for job in options.jobs if options.rounds > 1 else ():
        print(f"{job:12} median {json.dumps(_take_medians([one[job] for one in rounds]))}")
    shutil.rmtree(options.folder / "trash", ignore_errors=True)


def _run_jobs(options: argparse.Namespace) -> dict[str, Clock]:
    """The figures of each job; it starts when the files of the one before are on the disk."""
    command = [sys.executable, "-m", "benchmarks.export_voc", "--folder", str(options.folder)]
    found = {}
    for job in options.jobs:
        os.sync()
        done = subprocess.run([*command, "--job", job], stdout=subprocess.PIPE, check=True)
        found[job] = json.loads(done.stdout.splitlines()[-1])
        print(f"{job:12} {json.dumps(found[job])}", flush=True)
    return found


def _take_medians(rounds: Sequence[Clock]) -> Clock:
    return {name: round(median(one[name] for one in rounds), 2) for name in rounds[0]}


def export(folder: Path) -> Clock:
    """The steps of a release in seconds, and the processor time of the first process."""
    import export.planning
    from catalog.party import open_party
    from export import release, releases

    clock: Clock = {}
    fresh = _renew(folder / "exported")
    _renew(folder / "working")
    shutil.copytree(folder / "party", folder / "working", copy_function=_link)
    for module, function, step in (
        (releases, "load_checked", "rows"),
        (export.planning, "settle_jpegs", "pictures"),
        (export.planning, "plan_export", "sets"),
        (release, "settle_files", "accompanying_files"),
        (release, "_check_written", "read_back"),
        (release, "sync_folder", "to_disk"),
        (release, "freeze_release", "record"),
    ):
        _watch(module, function, clock, step)
    worked = os.times()
    with open_party(folder / "working") as party, _timed(clock, "all"):
        plan = export.planning.plan_release(party, year=YEAR)
        release.write_release(party, plan, fresh, at=AT)
    clock["processor"] = sum(os.times()[:2]) - sum(worked[:2])
    return clock


def copy(folder: Path) -> Clock:
    """What the system's own programs take for the same pictures; their megabytes."""
    pictures = _tree(folder) / "JPEGImages"
    clock: Clock = {"mb": sum(path.stat().st_size for path in pictures.iterdir()) / 1e6}
    with _timed(clock, "cp"):
        subprocess.run(["cp", "-r", pictures, _renew(folder / "copied")], check=True)
    with _timed(clock, "sync"):
        subprocess.run(["sync", "-f", str(folder)], check=True)
    return clock


def verify(folder: Path) -> Clock:
    """Every rule of the format over the tree."""
    from export.verify.check import check_folder

    clock: Clock = {}
    with _timed(clock, "verify"):
        violations = [it for one in check_folder(folder / "exported") for it in one.violations]
    assert not violations, violations[0]
    return clock


def import_tree(folder: Path) -> Clock:
    """The tree as a new party's release, by its steps."""
    from catalog.party import make_party, open_party
    from export.importing import job

    clock: Clock = {}

    @contextmanager
    def watch(label: str, _total: int, _unit: str) -> Iterator[Callable[[int], None]]:
        with _timed(clock, label):
            yield lambda _count: None

    fresh = _renew(folder / "imported")
    make_party(fresh, name="Bench", preset="voc2012")
    with open_party(fresh) as party, _timed(clock, "all"):
        report = job.import_tree(party, folder / "exported", at=AT, watch=watch)
    assert not report.skipped
    assert not report.corrections
    clock["processor"] = time.process_time()
    return clock


def datumaro(folder: Path) -> Clock:
    """Its reader and its writer, with pictures and without."""
    from datumaro import Dataset

    clock: Clock = {}
    with _timed(clock, "read"):
        dataset = Dataset.import_from(str(_tree(folder)), "voc_detection")
        assert sum(len(item.annotations) for item in dataset)
    for name, save_media in (("write_annotations", False), ("write_with_pictures", True)):
        target = _renew(folder / "peer")
        with _timed(clock, name):
            dataset.export(str(target), "voc_detection", save_media=save_media)
    return clock


def supervision(folder: Path) -> Clock:
    """Its reader and its writer, with pictures and without."""
    from supervision import DetectionDataset

    clock: Clock = {}
    pictures, annotations = (str(_tree(folder) / name) for name in ("JPEGImages", "Annotations"))
    with _timed(clock, "read"):
        dataset = DetectionDataset.from_pascal_voc(pictures, annotations)
    target = _renew(folder / "peer")
    with _timed(clock, "write_annotations"):
        dataset.as_pascal_voc(annotations_directory_path=str(target / "Annotations"))
    with _timed(clock, "write_pictures"):
        dataset.as_pascal_voc(images_directory_path=str(target / "JPEGImages"))
    return clock


def masks(_folder: Path) -> Clock:
    """Filling and void, and then the two files too."""
    import numpy as np

    from catalog.annotated import AnnotatedObject
    from catalog.box import Box
    from catalog.rings import Outline, fill
    from export.drawings import derive_void, make_masks

    rng, clock = np.random.default_rng(0), dict[str, float]()
    objects = [AnnotatedObject(it, f"o{it}", "cat", Box(1, 1, 9, 9)) for it in range(1, 5)]
    angles = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    for _ in range(3000):
        outlines = []
        for item in objects:
            radii = rng.integers(30, 180) * rng.uniform(0.7, 1.3, 30)
            x, y = rng.integers(0, 500) + radii * np.cos(angles), 188 + radii * np.sin(angles)
            corners = zip(x.clip(0, 500).astype(int), y.clip(0, 375).astype(int), strict=True)
            outlines.append(
                Outline(item.key, item.number, [[(int(a), int(b)) for a, b in corners]])
            )
        started, labels = time.process_time(), np.zeros((375, 500), np.uint16)
        for outline in outlines:
            labels[fill(outline.rings, 500, 375)] = outline.depth
        derive_void(labels, 5)
        filled = time.process_time()
        make_masks(outlines, objects, ("cat",), (500, 375), 5)
        clock["fill_and_void"] = clock.get("fill_and_void", 0.0) + filled - started
        clock["with_files"] = clock.get("with_files", 0.0) + time.process_time() - filled
    return clock


JOBS: dict[str, Callable[[Path], Clock]] = {
    "export": export,
    "copy": copy,
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
