"""Images a second for all that is computed per image: ours, and imagehash on the same files.

    python -m benchmarks.hashing_throughput FOLDER [--images 2000] [--longest-px 500 1024]

Each engine hashes the same JPEG files, several times, the one after the other; the medians of the
rounds are printed. Ours runs as `vocparty dedup` does it: it reads from an image store, checks
that each file is what was stored, starts its processes within the time that is measured, and makes
two whole-image hashes, the quality, a small picture and the hashes of all views. imagehash is
`phash` of the opened file, in a loop, as its README has it. Processor time is of all processes
together; it says most on a machine that does other things too.
"""

from __future__ import annotations

import argparse
import io
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

import imagehash
from PIL import Image

from catalog.image_store import ImageStore, open_image_store
from dedup.executors import default_workers, open_processes
from dedup.hashing import HashTask, hash_batches

FILES_AT_ONCE = 16
SUFFIXES = {".jpg", ".jpeg", ".png"}


def main() -> None:
    """Measure what the command line asks for and print a Markdown table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--longest-px", type=int, nargs="+", default=[500, 1024])
    options = parser.parse_args()
    print("| longest side | engine | images/s | all rounds | processor ms an image |")
    print("|---" * 5 + "|")
    for longest_px in options.longest_px:
        with tempfile.TemporaryDirectory() as folder:
            store = open_image_store(folder)
            photographs = read_photographs(options.folder, longest_px)
            numbered = zip(range(options.images), photographs, strict=False)
            tasks = [HashTask(it, store.put(data + b"%d" % it)) for it, data in numbered]
            for name, engine in (("vocparty", hash_ours), ("imagehash phash", hash_by_imagehash)):
                rounds = [measure(engine, store, tasks) for _ in range(options.rounds)]
                rates = [len(tasks) / secs for secs, _ in rounds]
                cpu_ms = median(used for _, used in rounds) / len(tasks) * 1000
                listed = ", ".join(f"{rate:.0f}" for rate in rates)
                row = f"{median(rates):.0f} | {listed} | {cpu_ms:.2f}"
                print(f"| {longest_px} px | {name} | {row} |", flush=True)


def measure(
    engine: Callable[[ImageStore, list[HashTask]], None], store: ImageStore, tasks: list[HashTask]
) -> tuple[float, float]:
    """The seconds and the processors' seconds that the engine takes."""
    start, used = time.perf_counter(), read_processor_secs()
    engine(store, tasks)
    return time.perf_counter() - start, read_processor_secs() - used


def hash_ours(store: ImageStore, tasks: list[HashTask]) -> None:
    """Our hashing from the image store by processes."""
    workers = default_workers()
    batches = (tasks[at : at + FILES_AT_ONCE] for at in range(0, len(tasks), FILES_AT_ONCE))
    executors = partial(open_processes, workers), partial(open_processes, 1)
    done = hash_batches(store, batches, *executors, ahead=3 * workers)
    assert all(outcome.hashed is not None for some in done for outcome in some)


def hash_by_imagehash(store: ImageStore, tasks: list[HashTask]) -> None:
    """Imagehash in a loop."""
    for task in tasks:
        with Image.open(io.BytesIO(store.get(task.sha256))) as image:
            imagehash.phash(image)


def read_processor_secs() -> float:
    """Seconds that the processors worked for this process and those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(it.ru_utime + it.ru_stime for it in used)


def read_photographs(source: Path, longest_px: int) -> Iterator[bytes]:
    """The photographs of the folder at that size, again and again."""
    paths = [path for path in sorted(source.rglob("*")) if path.suffix.lower() in SUFFIXES]
    while paths:
        for path in paths:
            with Image.open(path) as image:
                share = longest_px / max(image.size)
                size = max(round(image.width * share), 1), max(round(image.height * share), 1)
                file = io.BytesIO()
                image.convert("RGB").resize(size).save(file, "JPEG", quality=90)
            yield file.getvalue()


if __name__ == "__main__":
    main()
