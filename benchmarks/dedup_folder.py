"""`vocparty dedup FOLDER` and imagededup over the same files: seconds, memory, found and false.

    python -m benchmarks.dedup_folder compare FOLDER --files 2000 --imagededup SITE
    python -m benchmarks.dedup_folder made FOLDER --files 5000 10000

`compare` makes a folder of the photographs and of four changed copies of each, which together are
the 35 changes of transformations.py. SITE is a folder with imagededup's package; of it PHash is
run at its own threshold, from files to pairs (its CNN needs weights). A pair counts as found if it
is an original and its copy, and as false if its files come from two photographs. `made` are blends
of two photographs, no two alike. Each row is its own process; memory is that of it and its workers.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
import types
from itertools import combinations
from pathlib import Path
from random import Random

from PIL import Image

from .dedup_scale import watch_process
from .photographs import open_rgb, read_photographs, save
from .transformations import TRANSFORMATIONS

COPIES = 4
MADE_SIZE_PX = (400, 300)
Pairs = set[tuple[str, str]]


def main() -> None:
    """Measure what the command line asks for and print Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", choices=("compare", "made", "ours", "imagededup"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, nargs="+", default=[2000])
    parser.add_argument("--imagededup", type=Path)
    options = parser.parse_args()
    if options.kind == "ours":
        print(json.dumps(sorted(find_ours(options.folder))))
    elif options.kind == "imagededup":
        print(json.dumps(sorted(find_theirs(options.folder, options.imagededup))))
    elif options.kind == "compare":
        compare(options.folder, options.files[0], options.imagededup)
    else:
        measure_made(options.folder, options.files)


def compare(source: Path, files: int, site: Path | None) -> None:
    """Print a row for each program over the same folder."""
    print("| program | seconds | peak MB | found | false pairs |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        copies = make_copies(source, folder, files)
        calls = {"vocparty dedup": ["ours", str(folder)]}
        if site is not None:
            calls["imagededup, PHash"] = ["imagededup", str(folder), "--imagededup", str(site)]
        for name, call in calls.items():
            text, secs, peak_mb = run(call)
            pairs = {tuple(sorted(pair)) for pair in json.loads(text)}
            hits = sum(tuple(sorted(pair)) in pairs for pair in copies.items())
            false = sum(_name_original(first) != _name_original(other) for first, other in pairs)
            share = f"{hits:,} of {len(copies):,} ({hits / len(copies):.1%})"
            print(f"| {name} | {secs:.0f} | {peak_mb:.0f} | {share} | {false} |", flush=True)


def measure_made(source: Path, numbers: list[int]) -> None:
    """Print a row for each number of made files, in folders of their own."""
    print("| files | seconds | peak MB |\n|---|---|---|")
    for files in numbers:
        with tempfile.TemporaryDirectory() as scratch:
            make_blends(source, Path(scratch), files)
            _text, secs, peak_mb = run(["ours", scratch])
        print(f"| {files:,} | {secs:.0f} | {peak_mb:.0f} |", flush=True)


def run(arguments: list[str]) -> tuple[str, float, float]:
    """What a process of this module prints, its seconds, and most MB with its workers."""
    start = time.perf_counter()
    call = [sys.executable, "-m", "benchmarks.dedup_folder", *arguments]
    text, _cpu_secs, peak_mb = watch_process(call)
    return text.decode(), time.perf_counter() - start, peak_mb


def make_copies(source: Path, folder: Path, files: int) -> dict[str, str]:
    """Write photographs and their changed copies; the original's name of each copy."""
    photographs = read_photographs([source], files // (COPIES + 1))
    original_of: dict[str, str] = {}
    changes = 0
    for name, data in photographs.items():
        original = f"{name}~0.jpg"
        (folder / original).write_bytes(data)
        picture = open_rgb(data)
        for number in range(1, COPIES + 1):
            change = TRANSFORMATIONS[changes % len(TRANSFORMATIONS)]
            changes += 1
            copy = f"{name}~{number}.jpg"
            (folder / copy).write_bytes(change.render(picture, Random(changes)))
            original_of[copy] = original
    return original_of


def make_blends(source: Path, folder: Path, files: int) -> None:
    """Write blends of two photographs, each cropped at random."""
    photographs = [open_rgb(data) for data in read_photographs([source], 10**6).values()]
    random = Random(0)
    for number in range(files):
        first, other = (_crop(random.choice(photographs), random) for _ in range(2))
        blend = Image.blend(first, other, random.uniform(0.3, 0.7))
        (folder / f"{number:06}.jpg").write_bytes(save(blend, 85))


def _crop(picture: Image.Image, random: Random) -> Image.Image:
    width, height = picture.size
    left = random.uniform(0, 0.5) * width
    top = random.uniform(0, 0.5) * height
    box = left, top, left + width / 2, top + height / 2
    return picture.resize(MADE_SIZE_PX, box=box)


def _name_original(file: str) -> str:
    return file.rpartition("~")[0]


def find_ours(folder: Path) -> Pairs:
    """The pairs in the groups of the command."""
    call = [sys.executable, "-m", "vocparty", "dedup", str(folder), "--json"]
    done = subprocess.run(call, stdout=subprocess.PIPE, check=True)
    pairs: Pairs = set()
    for group in json.loads(done.stdout)["groups"]:
        names = [group["kept"], *(copy["file"] for copy in group["copies"])]
        pairs |= set(combinations(sorted(Path(name).name for name in names), 2))
    return pairs


def find_theirs(folder: Path, site: Path) -> Pairs:
    """The pairs that imagededup's PHash finds at its own threshold."""
    sys.path.insert(0, str(site))
    # these need torch, which PHash does not use
    for module, name in (
        ("imagededup.methods.cnn", "CNN"),
        ("imagededup.utils.models", "CustomModel"),
    ):
        networks = types.ModuleType(module)
        setattr(networks, name, object)
        sys.modules[module] = networks
    from imagededup.methods import PHash  # type: ignore[import-not-found]

    with contextlib.redirect_stdout(io.StringIO()):
        duplicates = PHash(verbose=False).find_duplicates(image_dir=str(folder))
    return {
        (min(name, other), max(name, other)) for name in duplicates for other in duplicates[name]
    }


if __name__ == "__main__":
    main()
