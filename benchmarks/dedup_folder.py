"""`vocparty dedup FOLDER` and imagededup over the same files: seconds, memory, found and false.

    python -m benchmarks.dedup_folder compare FOLDER --files 2000 --imagededup SITE
    python -m benchmarks.dedup_folder made FOLDER --files 5000 10000
    python -m benchmarks.dedup_folder kept FOLDER --files 3000
    python -m benchmarks.dedup_folder kept FOLDER --files 3000 100000 --unverified

`compare` makes a folder of the photographs and of four changed copies of each, which together are
the 35 changes of transformations.py. SITE is a folder with imagededup's package; of it PHash is
run at its own threshold, from files to pairs (its CNN needs weights). A pair counts as found if it
is an original and its copy, and as false if its files come from two photographs. `made` are blends
of two photographs, no two alike. `kept` continues a run that has hashed all files: their hashes are
made up as by `dedup_scale stored`, so that they are matched and reported, not decoded. With
`--unverified` pairs are loaded and handed to the workers, who call each of them different: it is
for memory. Each row is its own process; seconds of processors and memory are those of it and its
workers.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
import time
import types
from collections.abc import Sequence
from itertools import combinations, islice
from pathlib import Path
from random import Random

from PIL import Image

from catalog.image_store import digest_of
from dedup import matching
from dedup.executors import use_one_thread
from dedup.folder.command import dedup_folder
from dedup.folder.kept_hashes import FileHashes, FolderImage, name_kept_file, open_kept_hashes
from dedup.folder.reading import read_stamp
from dedup.matching import Batch
from dedup.pairs import Pair
from dedup.signature.picture import read_picture
from dedup.signature.signature import HashedImage, Signature, make_signature

from .dedup_scale import ROWS_AT_ONCE, make_signatures, watch_process
from .photographs import open_rgb, read_photographs, save
from .transformations import TRANSFORMATIONS

COPIES = 4
MADE_SIZE_PX = (400, 300)
Pairs = set[tuple[str, str]]


def main() -> None:
    """Measure what the command line asks for and print Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", choices=("compare", "made", "kept", "ours", "imagededup"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, nargs="+", default=[2000])
    parser.add_argument("--imagededup", type=Path)
    parser.add_argument("--unverified", action="store_true")
    options = parser.parse_args()
    if options.kind == "ours":
        print(json.dumps(sorted(find_ours(options.folder, is_unverified=options.unverified))))
    elif options.kind == "imagededup":
        print(json.dumps(sorted(find_theirs(options.folder, options.imagededup))))
    elif options.kind == "compare":
        compare(options.folder, options.files[0], options.imagededup)
    elif options.kind == "kept":
        measure_kept(options.folder, options.files, is_unverified=options.unverified)
    else:
        measure_made(options.folder, options.files)


def compare(source: Path, files: int, site: Path | None) -> None:
    """Print a row for each program over the same folder."""
    print("| program | seconds | of processors | peak MB | found | false pairs |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        copies = make_copies(source, folder, files)
        calls = {"vocparty dedup": ["ours", str(folder)]}
        if site is not None:
            calls["imagededup, PHash"] = ["imagededup", str(folder), "--imagededup", str(site)]
        for name, call in calls.items():
            text, secs, cpu_secs, peak_mb = run(call)
            pairs = {tuple(sorted(pair)) for pair in json.loads(text)}
            hits = sum(tuple(sorted(pair)) in pairs for pair in copies.items())
            false = sum(_name_original(first) != _name_original(other) for first, other in pairs)
            share = f"{hits:,} of {len(copies):,} ({hits / len(copies):.1%})"
            cells = f"{secs:.0f} | {cpu_secs:.0f} | {peak_mb:.0f} | {share} | {false}"
            print(f"| {name} | {cells} |", flush=True)


def measure_made(source: Path, numbers: list[int]) -> None:
    """Print a row for each number of made files, in folders of their own."""
    print("| files | seconds | of processors | peak MB |\n|---|---|---|---|")
    for files in numbers:
        with tempfile.TemporaryDirectory() as scratch:
            make_blends(source, Path(scratch), files)
            _text, secs, cpu_secs, peak_mb = run(["ours", scratch])
        print(f"| {files:,} | {secs:.0f} | {cpu_secs:.0f} | {peak_mb:.0f} |", flush=True)


def measure_kept(source: Path, numbers: list[int], *, is_unverified: bool) -> None:
    """Print a row for each number of files whose hashes are there already."""
    use_one_thread()
    photographs = read_photographs([source], 10**9).values()
    pool = [make_signature(read_picture(data)) for data in photographs]
    print("| files | seconds | of processors | peak MB | need not be kept |\n|---|---|---|---|---|")
    for files in numbers:
        with tempfile.TemporaryDirectory() as scratch:
            fill_kept(Path(scratch), files, pool)
            call = ["ours", scratch, *["--unverified"] * is_unverified]
            text, secs, cpu_secs, peak_mb = run(call)
            name_kept_file(Path(scratch)).unlink()
        cells = f"{secs:.0f} | {cpu_secs:.0f} | {peak_mb:.0f} | {len(json.loads(text)):,}"
        print(f"| {files:,} | {cells} |", flush=True)


def fill_kept(folder: Path, files: int, pool: Sequence[Signature]) -> None:
    """Files of a few bytes, with the hashes that are kept of them."""
    numbered = enumerate(make_signatures(files, pool))
    with open_kept_hashes(folder) as kept:
        while some := list(islice(numbered, ROWS_AT_ONCE)):
            kept.save([_keep(folder, number, hashed) for number, hashed in some])


def _keep(folder: Path, number: int, hashed: HashedImage) -> FileHashes:
    data = b"%d" % number
    path = folder / f"{number:06}.jpg"
    path.write_bytes(data)
    decides = FolderImage(
        *MADE_SIZE_PX,
        hashed.image["quality"],
        hashed.signature["real_px"],
        hashed.signature["jpeg_quality"],
    )
    return FileHashes(path.name, read_stamp(path), digest_of(data), decides, hashed.signature)


def run(arguments: list[str]) -> tuple[str, float, float, float]:
    """What a process of this module prints, and with its workers its seconds, theirs, most MB."""
    start = time.perf_counter()
    call = [sys.executable, "-m", "benchmarks.dedup_folder", *arguments]
    text, cpu_secs, peak_mb = watch_process(call)
    return text.decode(), time.perf_counter() - start, cpu_secs, peak_mb


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


def find_ours(folder: Path, *, is_unverified: bool) -> Pairs:
    """The pairs in the groups of the command."""
    if is_unverified:
        matching.verify_batch = call_all_different
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        dedup_folder(folder, as_json=True)
    pairs: Pairs = set()
    for group in json.loads(text.getvalue())["groups"]:
        names = [group["kept"], *(copy["file"] for copy in group["copies"])]
        pairs |= set(combinations(sorted(Path(name).name for name in names), 2))
    return pairs


def call_all_different(batch: Batch) -> list[Pair]:
    """No pair of the batch belongs together."""
    return []


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
