"""Images a second for everything that is computed per image: ours and others', on the same files.

    python -m benchmarks.hashing_throughput FOLDER --images 400 [--peer-python PATH]

Each engine hashes the same JPEG files from the disk in a process pool of its own, several times in
turn with the others; the medians of the rounds are printed, and the most memory that one worker
held. Ours makes two whole-image hashes, the quality, a small picture, and the hashes of all views;
imagehash is `phash` of the opened file; imagededup is its PHash encoder; pdqhash gets what OpenCV's
users give it, the decoded pixels. Peers that are not installed here are run by --peer-python.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

WORKERS = 2
SUFFIXES = {".jpg", ".jpeg", ".png"}
Encode = Callable[[str], Any]


def open_vocparty() -> Encode:
    """All that our pipeline computes of a file."""
    from dedup.hashes import hash_image

    return lambda path: hash_image(Path(path).read_bytes())


def open_imagehash() -> Encode:
    """Imagehash's 64-bit phash, used as its README does."""
    import imagehash
    from PIL import Image

    def encode(path: str) -> object:
        with Image.open(path) as image:
            return imagehash.phash(image)

    return encode


def open_imagededup() -> Encode:
    """Imagededup's encoder of a file."""
    from imagededup.methods import PHash  # type: ignore[import-not-found]

    encoder = PHash(verbose=False)
    return lambda path: encoder.encode_image(image_file=path)


def open_pdqhash() -> Encode:
    """Pdqhash of the decoded file."""
    import numpy as np
    import pdqhash  # type: ignore[import-not-found]
    from PIL import Image

    def encode(path: str) -> object:
        with Image.open(path) as image:
            return pdqhash.compute(np.asarray(image.convert("RGB")))

    return encode


ENGINES: dict[str, Callable[[], Encode]] = {
    "vocparty": open_vocparty,
    "imagehash phash 64": open_imagehash,
    "imagededup PHash": open_imagededup,
    "pdqhash": open_pdqhash,
}


def main() -> None:
    """Measure what the command line asks for and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--longest-px", type=int, nargs="+", default=[500, 1024])
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure_here(*options.measure)))
        return
    print("| longest side | engine | images/s | all rounds | ms of CPU an image | MB a worker |")
    print("|---|---|---|---|---|---|")
    for longest_px in options.longest_px:
        with tempfile.TemporaryDirectory() as folder:
            write_files(options.folder, Path(folder), options.images, longest_px)
            compare(Path(folder), longest_px, options.rounds, options.peer_python)


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
    pythons = [sys.executable] if engine == "vocparty" else [sys.executable, peer_python]
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
    """Images a second of the engine with all workers warm, and what one of them held."""
    paths = [str(path) for path in sorted(Path(folder).iterdir())]
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"  # each worker has a processor
    with ProcessPoolExecutor(WORKERS, initializer=partial(prepare, engine)) as pool:
        list(pool.map(encode_some, [paths[:8]] * (2 * WORKERS)))
        chunks = [paths[at : at + 16] for at in range(0, len(paths), 16)]
        start = time.perf_counter()
        done = list(pool.map(encode_some, chunks))
        secs = time.perf_counter() - start
    cpu_secs, peaks_mb = zip(*done, strict=True)
    return {
        "images_per_sec": len(paths) / secs,
        "cpu_ms": sum(cpu_secs) / len(paths) * 1000,
        "peak_mb": max(peaks_mb),
    }


_encode: list[Encode] = []


def prepare(engine: str) -> None:
    """Open the engine in a worker."""
    _encode[:] = [ENGINES[engine]()]


def encode_some(paths: list[str]) -> tuple[float, float]:
    """Encode the files; the seconds of CPU that it took, and the most MB the worker has held."""
    start = time.process_time()
    for path in paths:
        _encode[0](path)
    cpu_secs = time.process_time() - start
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return cpu_secs, int(status.split("VmHWM:")[1].split()[0]) / 1024


def write_files(source: Path, folder: Path, count: int, longest_px: int) -> None:
    """So many JPEG files of this longest side, of the photographs in the source again and again.

    Smaller photographs are enlarged, so that all engines decode the same number of pixels.
    """
    for number, data in zip(range(count), read_photographs(source, longest_px), strict=False):
        (folder / f"{number:06}.jpg").write_bytes(data)


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
