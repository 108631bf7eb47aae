"""Images a second for everything that is computed per image: ours and others', on the same files.

    python -m benchmarks.hashing_throughput FOLDER --images 2000 [--peer-python PATH]

Each engine hashes the same JPEG files from the disk, several times in turn with the others; the
medians of the rounds are printed, and the most memory that one process held. Ours makes two
whole-image hashes, the quality, a small picture, and the hashes of all views; imagehash is `phash`
of the opened file; imagededup is its PHash encoder; pdqhash gets what OpenCV's users give it, the
decoded pixels. All are given 16 files at a time, as our pipeline gives them to a process. Peers
that are not installed here are run by --peer-python.

Engines in 2 processes are warm when the clock starts: all of them start, hash some and wait for one
another. The other rows are what users write: imagehash in a loop, imagededup's `encode_images` of
the folder, and our pipeline, which reads from an image store, checks that each file is what was
stored, and starts its workers within the time that is measured.

Processor time is of all processes together. It says most on a machine that does other things too.
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from typing import Any

WORKERS = 2
FILES_AT_ONCE = 16
OURSELVES = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
MODULES = {
    "vocparty": ("dedup.hashing", "dedup.executors"),
    "imagehash": ("imagehash", "PIL.JpegImagePlugin"),
    "imagededup": ("imagededup.methods", "PIL.JpegImagePlugin"),
}
SUFFIXES = {".jpg", ".jpeg", ".png"}
Encode = Callable[[str], Any]
EncodeAll = Callable[[Sequence[str]], Any]


def open_vocparty() -> EncodeAll:
    """All that our pipeline computes of some files, which it decodes first and then hashes."""
    from dedup.hashes import hash_images
    from dedup.signature.brightness import read_brightness

    return lambda paths: hash_images([read_brightness(Path(it).read_bytes()) for it in paths])


def open_imagehash() -> EncodeAll:
    """Imagehash's 64-bit phash, used as its README does."""
    return _one_by_one(_open_phash())


def _open_phash() -> Encode:
    import imagehash
    from PIL import Image

    def encode(path: str) -> object:
        with Image.open(path) as image:
            return imagehash.phash(image)

    return encode


def _one_by_one(encode: Encode) -> EncodeAll:
    return lambda paths: [encode(path) for path in paths]


def open_imagededup() -> EncodeAll:
    """Imagededup's encoder of a file."""
    from imagededup.methods import PHash  # type: ignore[import-not-found]

    encoder = PHash(verbose=False)
    return _one_by_one(lambda path: encoder.encode_image(image_file=path))


def open_pdqhash() -> EncodeAll:
    """Pdqhash of the decoded file."""
    import numpy as np
    import pdqhash  # type: ignore[import-not-found]
    from PIL import Image

    def encode(path: str) -> object:
        with Image.open(path) as image:
            return pdqhash.compute(np.asarray(image.convert("RGB")))

    return _one_by_one(encode)


def run_pipeline(paths: Sequence[Path]) -> None:
    """Our hashing from the image store by processes, as `vocparty dedup` does it."""
    from catalog.image_store import open_image_store
    from dedup.executors import open_processes
    from dedup.hashing import HashTask, hash_batches

    store = open_image_store(str(paths[0].parent.parent / "store"))
    tasks = [HashTask(number, path.stem) for number, path in enumerate(paths)]
    batches = [tasks[at : at + FILES_AT_ONCE] for at in range(0, len(tasks), FILES_AT_ONCE)]
    open_workers = partial(open_processes, WORKERS)
    single = partial(open_processes, 1)
    done = hash_batches(store, iter(batches), open_workers, single, ahead=3 * WORKERS)
    assert all(outcome.hashed is not None for some in done for outcome in some)


def run_imagehash(paths: Sequence[Path]) -> None:
    """Imagehash in a loop."""
    encode = _open_phash()
    for path in paths:
        encode(str(path))


def run_imagededup(paths: Sequence[Path]) -> None:
    """Imagededup's PHash of a folder, with the workers that it takes of itself."""
    from imagededup.methods import PHash

    assert len(PHash(verbose=False).encode_images(paths[0].parent)) == len(paths)


POOLED: dict[str, Callable[[], EncodeAll]] = {
    "vocparty, 2 processes": open_vocparty,
    "imagehash phash 64, 2 processes": open_imagehash,
    "imagededup PHash, 2 processes": open_imagededup,
    "pdqhash, 2 processes": open_pdqhash,
}
AS_USED: dict[str, Callable[[Sequence[Path]], None]] = {
    "vocparty, the pipeline from its store": run_pipeline,
    "imagehash phash 64, a loop": run_imagehash,
    "imagededup PHash, encode_images": run_imagededup,
}
ENGINES = (*POOLED, *AS_USED)


def main() -> None:
    """Measure what the command line asks for and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--longest-px", type=int, nargs="+", default=[500, 1024])
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure_here(*options.measure)))
        return
    print(
        "| longest side | engine | images/s | all rounds | processor ms an image | MB a process |"
    )
    print("|---|---|---|---|---|---|")
    for longest_px in options.longest_px:
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder, "files")
            write_files(options.folder, files, options.images, longest_px)
            compare(files, longest_px, options.rounds, options.peer_python)


def compare(folder: Path, longest_px: int, rounds: int, peer_python: str) -> None:
    """Print a row for each engine that runs, after all rounds of all."""
    measured: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        for engine in ENGINES:
            found = measure(engine, folder, peer_python)
            if found is not None:
                measured.setdefault(engine, []).append(found)
    for engine, found_all in measured.items():
        rates = [found["images_per_sec"] for found in found_all]
        listed = ", ".join(f"{rate:.0f}" for rate in rates)
        peak_mb = max(found["peak_mb"] for found in found_all)
        cpu_ms = median(found["cpu_ms"] for found in found_all)
        row = f"{median(rates):.0f} | {listed} | {cpu_ms:.2f} | {peak_mb:.0f}"
        print(f"| {longest_px} px | {engine} | {row} |", flush=True)


def measure(engine: str, folder: Path, peer_python: str) -> dict[str, float] | None:
    """What the engine does in fresh processes, here or by the peers' Python; None without it."""
    pythons = [sys.executable] if engine.startswith("vocparty") else [sys.executable, peer_python]
    for python in pythons:
        call = [python, "-m", "benchmarks.hashing_throughput", str(folder), "--measure"]
        done = subprocess.run(
            [*call, engine, str(folder)], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
            return found
    return None


def measure_here(engine: str, folder: str) -> dict[str, float]:
    """Images a second of the engine, the processors' time for one, and what a process held."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"  # each worker has a processor
    paths = sorted(Path(folder).iterdir())
    return measure_pool(engine, paths) if engine in POOLED else measure_as_used(engine, paths)


def measure_pool(engine: str, paths: Sequence[Path]) -> dict[str, float]:
    """The engine in warm worker processes."""
    names = [str(path) for path in paths]
    context = multiprocessing.get_context("fork")
    ready = context.Barrier(WORKERS)
    prepared = partial(prepare, engine, names[:8], ready)
    with ProcessPoolExecutor(WORKERS, context, prepared) as pool:
        pool.submit(encode_some, []).result()
        chunks = [names[at : at + FILES_AT_ONCE] for at in range(0, len(names), FILES_AT_ONCE)]
        start = time.perf_counter()
        done = list(pool.map(encode_some, chunks))
        secs = time.perf_counter() - start
    cpu_secs, peaks_mb = zip(*done, strict=True)
    return {
        "images_per_sec": len(paths) / secs,
        "cpu_ms": sum(cpu_secs) / len(paths) * 1000,
        "peak_mb": max(peaks_mb),
    }


def measure_as_used(engine: str, paths: Sequence[Path]) -> dict[str, float]:
    """The engine as its users call it, modules loaded, workers not yet."""
    for module in MODULES[engine.split()[0].rstrip(",")]:
        import_module(module)
    start, used = time.perf_counter(), read_processor_secs()
    AS_USED[engine](paths)
    secs, used = time.perf_counter() - start, read_processor_secs() - used
    return {
        "images_per_sec": len(paths) / secs,
        "cpu_ms": used / len(paths) * 1000,
        "peak_mb": max(resource.getrusage(who).ru_maxrss for who in OURSELVES) / 1024,
    }


def read_processor_secs() -> float:
    """Seconds that the processors worked for this process and those that it waited for."""
    used = [resource.getrusage(who) for who in OURSELVES]
    return sum(it.ru_utime + it.ru_stime for it in used)


_encode: list[EncodeAll] = []


def prepare(engine: str, names: Sequence[str], ready: Barrier) -> None:
    """Open the engine in a worker, encode some files, and wait until all workers have."""
    _encode[:] = [POOLED[engine]()]
    encode_some(names)
    ready.wait(timeout=60)


def encode_some(paths: Sequence[str]) -> tuple[float, float]:
    """Encode the files; the seconds of CPU that it took, and the most MB the worker has held."""
    start = time.process_time()
    if paths:
        _encode[0](paths)
    cpu_secs = time.process_time() - start
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return cpu_secs, int(status.split("VmHWM:")[1].split()[0]) / 1024


def write_files(source: Path, folder: Path, count: int, longest_px: int) -> None:
    """So many JPEG files of this longest side, of the photographs in the source again and again.

    They are named by their digests and are in an image store beside the folder too. Smaller
    photographs are enlarged, so that all engines decode the same number of pixels.
    """
    from catalog.image_store import open_image_store

    store = open_image_store(str(folder.parent / "store"))
    folder.mkdir()
    for number, data in zip(range(count), read_photographs(source, longest_px), strict=False):
        numbered = data + number.to_bytes(4, "big")  # behind the end of the picture
        (folder / f"{store.put(numbered)}.jpg").write_bytes(numbered)


def read_photographs(source: Path, longest_px: int) -> Iterator[bytes]:
    """The photographs at that size, for ever."""
    from PIL import Image

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
