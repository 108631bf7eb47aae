"""Export, verify and import of a tree of VOC2012's size, against datumaro and supervision.

Each job runs in a process of its own, one after the other, and tells the seconds of its steps (on
the clock, of the processor, and of these the program's own without the system's) and its peak of
memory. Peers read the tree that export wrote and write what they read.

An export's steps are in three parts. `pictures` is all handling of the bytes of pictures: reading,
checking, stripping, digesting and copying them, and their part of the reading back; `to_disk` is
how long the disk is waited for after all was read back (96 of 100 bytes are the pictures', which it
takes while the texts are made). `copy` tells what cp and sync take for the same files; both find
the pictures in memory, or with --cold on the disk. `tree` are the annotation files and sets, which
is what the peers' writers write. `all_but_pictures` is everything but the first two: with the rows,
the sets, what travels, reading back and the record.

With --watch-memory a job's memory is looked at 20 times a second, which slows it down: `peak_mb` is
the largest of one process, `together_mb` that of all of them, where each page counts once.

With --rounds all jobs run so often, one after the other, and the medians are told last.

    python -m benchmarks.export_voc --images 17125 --folder DIR
    python -m benchmarks.export_voc --folder DIR --jobs export copy --rounds 5
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

from benchmarks.export_medians import Clock, compare, take_medians
from benchmarks.processor_time import find_family
from benchmarks.voc_import import import_tree
from benchmarks.voc_party import CLASSES, IMAGES, make_voc_party

AT = datetime(2026, 6, 1, tzinfo=UTC)
YEAR = 2012
PICTURES = ("party/images", f"exported/VOCdevkit/VOC{YEAR}/JPEGImages")
"""Where the jobs find them."""
ENDS = ("", " cpu", " user")
LOOK_EVERY_SECS = 0.05


def main() -> None:
    """Print a line for each job: its steps in seconds, and its peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--classes", type=int, default=CLASSES)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--watch-memory", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--cold", action="store_true", help="drop pictures from memory first")
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
        make_voc_party(party, options.images, options.classes)
    rounds = [_run_jobs(options) for _ in range(options.rounds)]
    medians = take_medians(rounds)
    for job in options.jobs if options.rounds > 1 else ():
        print(f"{job:12} median {json.dumps(medians[job])}")
    for line in compare(medians):
        print(line)
    shutil.rmtree(options.folder / "trash", ignore_errors=True)


def _run_jobs(options: argparse.Namespace) -> dict[str, Clock]:
    """What each job told, in a process of its own and with all that was written on the disk."""
    found = {}
    command = [sys.executable, "-m", "benchmarks.export_voc", "--folder", str(options.folder)]
    for job in options.jobs:
        os.sync()
        for folder in PICTURES if options.cold else ():
            _drop_from_memory(options.folder / folder)
        found[job] = _run([*command, "--job", job], watches_memory=options.watch_memory)
        print(f"{job:12} {json.dumps(found[job])}", flush=True)
    return found


def _drop_from_memory(folder: Path) -> None:
    """The disk has to be asked for the files of the folder next time: posix_fadvise(2)."""
    for path in filter(Path.is_file, folder.rglob("*")):
        descriptor = os.open(path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def _run(command: list[str], *, watches_memory: bool) -> dict[str, float]:
    """What a job's process told, and the largest memory of all its processes in megabytes."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
        peak_kb = 0
        while watches_memory and job.poll() is None:
            peak_kb = max(peak_kb, sum(map(_find_share_kb, find_family([job.pid]))))
            time.sleep(LOOK_EVERY_SECS)
        told, _ = job.communicate()
    if job.returncode:
        sys.exit(job.returncode)
    found: dict[str, float] = json.loads(told.splitlines()[-1])
    return {**found, "together_mb": round(peak_kb / 1024, 2)} if watches_memory else found


def _find_share_kb(process_id: int) -> int:
    """The process's memory, of which a page that others have too counts in part: proc(5)."""
    try:
        lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


@contextmanager
def timed(clock: Clock, step: str) -> Iterator[None]:
    """Adds the seconds of a block to the clock, and those of the processor."""
    started, worked = time.perf_counter(), os.times()
    yield
    now = os.times()
    user = sum(now[:4:2]) - sum(worked[:4:2])  # of this process and those it waited for
    _add(clock, step, time.perf_counter() - started, sum(now[:4]) - sum(worked[:4]), user)


def _add(clock: Clock, step: str, *secs: float) -> None:
    for end, more in zip(ENDS, secs, strict=True):
        clock[step + end] = clock.get(step + end, 0.0) + more


def export(folder: Path) -> Clock:
    """The release, by its steps, and what all of them take but those of the pictures' bytes."""
    import export.planning
    import export.verify.facts
    from catalog.party import open_party
    from export import release

    clock: Clock = {}
    fresh = _renew(folder / "exported")
    _renew(folder / "working")
    shutil.copytree(folder / "party", folder / "working", copy_function=_link)
    for module, function, step in (
        (export.planning, "load_checked", "rows"),
        (export.planning, "settle_jpegs", "pictures"),
        (export.planning, "plan_export", "sets"),
        (release, "write_texts", "texts_and_travel"),
        (release, "write_tree", "tree"),
        (release, "write_pictures", "pictures"),
        (release, "_check_written", "read_back"),
        (export.verify.facts, "read_jpeg_file", "pictures read back"),
        (release, "_check_and_sync", "back_and_disk"),
        (release, "freeze_release", "record"),
    ):
        _watch(module, function, clock, step)
    with open_party(folder / "working") as party, timed(clock, "all"):
        plan = export.planning.plan_release(party, year=YEAR)
        release.write_release(party, plan, fresh, at=AT)
    back = [clock.pop(f"pictures read back{end}") for end in ENDS]
    _add(clock, "pictures", *back)
    _add(clock, "read_back", *(-secs for secs in back))
    waited = [clock.pop(f"back_and_disk{end}") - clock[f"read_back{end}"] for end in ENDS]
    clock |= {f"to_disk{end}": secs - it for end, secs, it in zip(ENDS, waited, back, strict=True)}
    for end in ENDS:
        copying = clock[f"pictures{end}"] + clock[f"to_disk{end}"]
        clock[f"all_but_pictures{end}"] = clock[f"all{end}"] - copying
    return clock


def copy(folder: Path) -> Clock:
    """What the system's own programs take for the same pictures; their megabytes."""
    pictures = folder / "exported" / "VOCdevkit" / f"VOC{YEAR}" / "JPEGImages"
    target = _renew(folder / "copied")
    clock: Clock = {"mb": sum(path.stat().st_size for path in pictures.iterdir()) / 1e6}
    subprocess.run(["sync", "-f", str(folder)], check=True)
    with timed(clock, "cp"):
        subprocess.run(["cp", "-r", pictures, target], check=True)
    with timed(clock, "cp_to_disk"):
        subprocess.run(["sync", "-f", str(folder)], check=True)
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
    """The tree as a new party's release; see benchmarks.voc_import for what its peers take."""
    return import_tree(folder / "exported", folder)


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
    "copy": copy,
    "verify": verify,
    "import": import_,
    "datumaro": datumaro,
    "supervision": supervision,
}


def _renew(folder: Path) -> Path:
    """The folder's name; what was there is deleted later.

    ext4 looks for other inodes than those of files just deleted, which takes longer than all else.
    """
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
        with timed(clock, step):
            return inner(*args, **kwargs)

    setattr(module, function, watched)


if __name__ == "__main__":
    main()
