"""How much memory `vocparty dedup` takes for a large catalogue, whatever its setting says.

    python -m benchmarks.dedup_memory FOLDER [--images 200000] [--memory-mb 64 256 1024]
        [--base-images 500]

The catalogue is hashed already and holds synthetic signatures: brightness, shape and views of the
photographs in the folder and of their quarters, but random bits in place of the views' hashes, so
that hardly any two are candidates by chance. One in a hundred images is a copy of another one with
up to three bits of each hash changed. For each setting the same catalogue is matched anew by
`vocparty dedup`; prints a Markdown row for each and fails unless all come to the same decisions.

What the program itself takes is measured on a catalogue of few images; it fails where a row is
above that by more than its setting.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Picture
from sqlalchemy import insert, select

from catalog.image_store import digest_of
from catalog.party import make_party, open_party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Duplicate, Image, Photo
from catalog.tables import Signature as SignatureRow
from dedup.signature.picture import read_picture
from dedup.signature.signature import RECIPE, Signature, make_signature, pack_signature

NOW = datetime(2026, 1, 31, tzinfo=UTC)
SUFFIXES = {".jpg", ".jpeg", ".png"}
ROWS_AT_ONCE = 5000
COPY_EVERY = 100
MANY_FEATURES = 100
PHOTOS_OF_OWNER = 50
HOURS_APART = 3
FLIPS = 3
LINE = "| {0:,} | {1} | {2:.0f} | {3:.0f} | {4:,.0f} | {5:,.0f} | {6:,} | {7:,} | {8} |"

Row = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """What one run took and decided."""

    secs: float
    cpu_secs: float
    peak_mb: float
    states: dict[str, int]
    decisions_sha256: str


def main() -> None:
    """Measure each setting that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, default=200_000)
    parser.add_argument("--memory-mb", type=int, nargs="+", default=[64, 256, 1024])
    parser.add_argument("--base-images", type=int, default=500)
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(run_here(options.folder)))
        return
    pool = read_signatures(options.folder)
    head = "images | memory_mb | seconds | processor s | peak MB | above the program"
    print(f"| {head} | put aside | kept | decisions |\n{'|---' * 9}|")
    with tempfile.TemporaryDirectory() as scratch:
        few, folder = Path(scratch) / "few", Path(scratch) / "party"
        write_party(few, options.base_images, pool)
        run_copy(few, min(options.memory_mb))
        base_mb = measure(few, options.base_images, min(options.memory_mb)).peak_mb
        write_party(folder, options.images, pool)
        runs = {it: measure(folder, options.images, it, base_mb) for it in options.memory_mb}
    if len({run.decisions_sha256 for run in runs.values()}) > 1:
        raise SystemExit("The settings came to different decisions.")
    over = [it for it, run in runs.items() if run.peak_mb - base_mb > it]
    if over:
        raise SystemExit(f"More than memory_mb was taken with {over}.")


def measure(whole: Path, images: int, memory_mb: int, base_mb: float = 0) -> Run:
    """Print the row of one setting; what its run took."""
    run = run_copy(whole, memory_mb)
    aside, kept = run.states.get("duplicate", 0), run.states.get("pool", 0)
    digest = run.decisions_sha256[:8]
    took = run.secs, run.cpu_secs, run.peak_mb, run.peak_mb - base_mb
    print(LINE.format(images, memory_mb, *took, aside, kept, digest), flush=True)
    return run


def run_copy(whole: Path, memory_mb: int) -> Run:
    """What a run over a copy of the party took."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "party"
        shutil.copytree(whole, folder)
        with (folder / "party.toml").open("a", encoding="utf-8") as file:
            file.write(f"\n[dedup]\nmemory_mb = {memory_mb}\n")
        call = [sys.executable, "-m", "benchmarks.dedup_memory", str(folder), "--run"]
        done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
        return Run(**json.loads(done.stdout.splitlines()[-1]))


def run_here(folder: Path) -> Row:
    """What a run over the party in this process took and decided."""
    from vocparty import main as vocparty

    start = time.perf_counter()
    vocparty(["dedup", "--party", str(folder)], standalone_mode=False)
    secs = time.perf_counter() - start
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    status = Path("/proc/self/status").read_text(encoding="ascii")
    with open_party(folder) as party, party.catalogue.reading() as session:
        states = Counter(state.value for state in session.scalars(select(Image.state)))
        columns = Duplicate.image_id, Duplicate.kept_image_id, Duplicate.relation
        rows = session.execute(select(*columns).where(Duplicate.undone_at.is_(None)))
        decisions = "\n".join(sorted(str(tuple(row)) for row in rows))
    return {
        "secs": round(secs, 2),
        "cpu_secs": round(sum(it.ru_utime + it.ru_stime for it in used), 2),
        "peak_mb": int(status.split("VmHWM:")[1].split()[0]) // 1024,
        "states": dict(sorted(states.items())),
        "decisions_sha256": hashlib.sha256(decisions.encode()).hexdigest(),
    }


def read_signatures(folder: Path) -> list[Signature]:
    """The signatures of all photographs in the folder and of their quarters."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES:
            with Picture.open(path) as file:
                picture = file.convert("RGB")
            found += [make_signature(read_picture(data)) for data in cut(picture)]
    if not found:
        raise SystemExit(f"{folder} holds no photographs.")
    return [one for one in found if len(one.features.points) >= MANY_FEATURES]


def cut(picture: Picture.Image) -> Iterator[bytes]:
    """The picture and its quarters as JPEG files."""
    width, height = picture.width // 2, picture.height // 2
    corners = [(x, y) for x in (0, width) for y in (0, height)]
    boxes = [(x, y, x + width, y + height) for x, y in corners]
    for part in (picture, *(picture.crop(box) for box in boxes)):
        file = io.BytesIO()
        part.save(file, "JPEG")
        yield file.getvalue()


def write_party(folder: Path, images: int, pool: Sequence[Signature]) -> None:
    """A party of so many hashed images."""
    make_party(folder, name="memory", preset="voc2012")
    random = np.random.default_rng(0)
    with open_party(folder) as party:
        for start in range(0, images, ROWS_AT_ONCE):
            numbers = range(start + 1, min(start + ROWS_AT_ONCE, images) + 1)
            signatures = make_signatures(numbers, pool, random)
            with party.catalogue.writing() as session:
                session.execute(insert(Image), [make_image(one) for one in numbers])
                session.execute(insert(SignatureRow), signatures)
                session.execute(insert(Photo), [make_photo(one) for one in numbers])


def make_signatures(
    numbers: Sequence[int], pool: Sequence[Signature], random: np.random.Generator
) -> list[Row]:
    """A row for each image; every hundredth is a copy of the one before."""
    rows = []
    before = pool[0]
    for number in numbers:
        if number % COPY_EVERY:
            like = pool[int(random.integers(len(pool)))]
            bits = random.integers(0, 1 << 64, len(like.views.hashes), np.uint64)
            words = random.integers(0, 1 << 16, like.words.shape, np.uint16)
            before = replace(like, views=replace(like.views, hashes=bits), words=words)
        else:
            before = replace(before, views=replace(before.views, hashes=flip(before, random)))
        packed = asdict(pack_signature(before))
        origin, _whole = packed.pop("origin"), packed.pop("whole")
        rows.append({"image_id": number, "recipe": RECIPE, **origin, **packed})
    return rows


def flip(signature: Signature, random: np.random.Generator) -> np.ndarray[Any, Any]:
    """The hashes with up to three bits of each changed."""
    hashes = signature.views.hashes.copy()
    for _ in range(FLIPS):
        hashes ^= np.uint64(1) << random.integers(0, 64, len(hashes), np.uint64)
    return hashes


def make_image(number: int) -> Row:
    """The row of an image; a copy is smaller."""
    side = 400 if number % COPY_EVERY == 0 else 500
    return {
        "id": number,
        "sha256": digest_of(b"%d" % number),
        "width": side,
        "height": 375,
        "bytes": 1,
        "stored_at": NOW,
        "state": ImageState.HASHED,
        "state_at": NOW,
        "phash_64": "0" * 16,
        "phash_256": "0" * 64,
        "quality": 90.0,
        "hash_recipe": RECIPE,
    }


def make_photo(number: int) -> Row:
    """The photo of an image; each owner took so many, hours apart."""
    taken = NOW - timedelta(hours=HOURS_APART * (number % 10_000))
    return {
        "source": Source.FLICKR,
        "source_id": str(number),
        "state": PhotoState.FETCHED,
        "owner_id": f"owner {number // PHOTOS_OF_OWNER}",
        "taken_at_text": f"{taken:%Y-%m-%d %H:%M:%S}" if number % COPY_EVERY else None,
        "uploaded_at": NOW - timedelta(minutes=number),
        "found_at": NOW,
        "image_id": number,
    }


if __name__ == "__main__":
    main()
