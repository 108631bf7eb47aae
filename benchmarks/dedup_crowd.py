"""A great many copies of one photograph, or black frames: what `vocparty dedup` takes and keeps.

    python -m benchmarks.dedup_crowd FOLDER [--copies 1000 3000 10000] [--crops 1000 3000]
        [--black 2000]

Each crowd is a party of its own: real files in its image store. A copy is the first photograph of
the folder recompressed at a quality of 40 to 95, scaled to 70 to 100 % and brightened or darkened
by up to a tenth, so that most copies share their hash; a crop is the same with up to 4 % cut off at
each side, so that few do. A black frame has a level of 0 to 6 and noise of 2 levels. Prints a
Markdown row for each crowd.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image as Picture
from sqlalchemy import insert

from benchmarks.dedup_run import run_dedup
from catalog.new_party import make_party
from catalog.party import open_party
from catalog.states import ImageState
from catalog.tables import Image

NOW = datetime(2026, 1, 31, tzinfo=UTC)
LONGEST_SIDE_PX = 400
ROWS_AT_ONCE = 1000
MOST_CUT = 0.04

Make = Callable[[Random], Picture.Image]


def main() -> None:
    """Measure each crowd that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, nargs="*", default=[1000, 3000, 10_000])
    parser.add_argument("--crops", type=int, nargs="*", default=[1000, 3000])
    parser.add_argument("--black", type=int, nargs="*", default=[2000])
    options = parser.parse_args()
    photograph = read_photograph(options.folder)
    print(
        "| crowd | seconds | processor s | peak MB | put aside | kept |\n|---|---|---|---|---|---|"
    )
    for count in options.copies:
        measure(f"{count:,} copies of one photograph", count, lambda it: alter(photograph, it))
    for count in options.crops:
        measure(f"{count:,} crops of one photograph", count, lambda it: crop(photograph, it))
    for count in options.black:
        measure(f"{count:,} black frames", count, make_black)


def measure(name: str, count: int, make: Make) -> None:
    """Print the row of one crowd."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "party"
        write_crowd(folder, count, make)
        run = run_dedup(folder)
    aside, kept = run.states.get("duplicate", 0), run.states.get("pool", 0)
    print(
        f"| {name} | {run.secs:.0f} | {run.cpu_secs:.0f} | {run.peak_mb:.0f} | {aside:,} "
        f"| {kept:,} |",
        flush=True,
    )


def write_crowd(folder: Path, count: int, make: Make) -> None:
    """A party with so many fetched images, no two of them the same file."""
    make_party(folder, name="crowd", preset="voc2012")
    random = Random(0)
    with open_party(folder) as party:
        rows = []
        for data, size in make_files(count, make, random):
            rows.append(
                {
                    "sha256": party.store.put(data),
                    "width": size[0],
                    "height": size[1],
                    "bytes": len(data),
                    "stored_at": NOW,
                    "state": ImageState.FETCHED,
                    "state_at": NOW,
                }
            )
        for at in range(0, count, ROWS_AT_ONCE):
            with party.catalogue.writing() as session:
                session.execute(insert(Image), rows[at : at + ROWS_AT_ONCE])


def make_files(count: int, make: Make, random: Random) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """So many JPEG files, each other bytes, and their sizes."""
    seen: set[bytes] = set()
    while len(seen) < count:
        picture, file = make(random), io.BytesIO()
        picture.save(file, "JPEG", quality=random.randint(40, 95))
        if file.getvalue() not in seen:
            seen.add(file.getvalue())
            yield file.getvalue(), picture.size


def alter(photograph: Picture.Image, random: Random) -> Picture.Image:
    """The photograph a little smaller and brighter or darker."""
    share, light = random.uniform(0.7, 1), random.uniform(0.9, 1.1)
    size = round(photograph.width * share), round(photograph.height * share)
    return photograph.resize(size).point(lambda level: min(255, round(level * light)))


def crop(photograph: Picture.Image, random: Random) -> Picture.Image:
    """The same without a little at each side."""
    left, top, right, bottom = (random.uniform(0, MOST_CUT) for _ in range(4))
    width, height = photograph.size
    box = (left * width, top * height, (1 - right) * width, (1 - bottom) * height)
    return alter(photograph.crop(box), random)


def make_black(random: Random) -> Picture.Image:
    """A frame of next to no light, as a covered lens gives it."""
    noise = np.random.default_rng(random.getrandbits(32)).normal(
        random.uniform(0, 6), 2, (300, 400)
    )
    return Picture.fromarray(np.clip(noise, 0, 255).astype(np.uint8)).convert("RGB")


def read_photograph(folder: Path) -> Picture.Image:
    """The first photograph of the folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in {".jpg", ".jpeg", ".png"}:
            with Picture.open(path) as file:
                image = file.convert("RGB")
            image.thumbnail((LONGEST_SIDE_PX, LONGEST_SIDE_PX))
            return image
    raise SystemExit(f"{folder} holds no photograph.")


if __name__ == "__main__":
    main()
