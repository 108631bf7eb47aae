"""How many changed photographs are found again, transformation by transformation, and what else is.

    python -m benchmarks.dedup_recall FOLDER ... [--part held-out] [--limit 300] [--tile-px 640]

Takes any folders of photographs. Large ones are cut into tiles that share no pixel, which makes
more originals. Thresholds may only be tuned on one part of the photographs and are to be measured
on the other: which part a file belongs to is decided by a digest of its name, so that all tiles of
one photograph are in one part. Prints the recall for each transformation beside its goal, and every
two originals that were merged; each is false unless the photographs are one.

Beside the share of all that were found stands the share of those of at least 24 details, so that
pictures that hold next to nothing can be told apart from photographs.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from benchmarks.more_transformations import MORE
from benchmarks.transformations import (
    BY_NAME,
    TRANSFORMATIONS,
    Collage,
    Transformation,
    save_jpeg,
)
from catalog.settings import DedupSettings
from dedup.executors import default_workers, open_processes
from dedup.pairs import Relation
from dedup.signature.picture import read_picture
from dedup.signature.signature import Signature, make_signature
from dedup.verify.tiles import compare
from tests.dedup.finder import find_pairs_among

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"}
LONGEST_SIDE_PX = 500  # Flickr's medium size, which the paper took
ORIGINAL_QUALITY = 92
OTHERS_IN_COLLAGES = 25
MISSED_SHOWN = 4
LEAST_DETAILS, MANY_DETAILS = 6, 24
"""Of 64 parts of a picture; with fewer it is mostly sky, or out of focus."""

Found = dict[tuple[int, int], str]
"""The relation of an original (first) and a rendition or another original (second), by place."""


SETTINGS = DedupSettings()


ALL_CHANGES: dict[str, Transformation | Collage] = BY_NAME | {it.name: it for it in MORE}


def describe(data: bytes) -> Signature:
    """The signature of an image."""
    return make_signature(read_picture(data))


def is_flat(signature: Signature) -> bool:
    """Whether an original holds next to nothing, so that not even its copy is told."""
    return count_details(signature) < LEAST_DETAILS


def find_again(originals: Sequence[Signature], renditions: Sequence[Signature]) -> Found:
    """The pairs of an original and a rendition that are held for related."""
    count = len(originals)
    listed = [*originals, *renditions]
    is_new = np.arange(len(listed)) >= count
    pairs = find_pairs_among(listed, SETTINGS, is_new=is_new, base=np.arange(count))
    return {(it.first_id, it.second_id - count): str(it.relation) for it in pairs}


@dataclass(frozen=True)
class Original:
    """One photograph or one tile of it, as a JPEG file."""

    name: str
    data: bytes

    def open(self) -> Image.Image:
        """Its pixels."""
        return open_rgb(self.data)


def main() -> None:
    """Measure what the command line asks for and print Markdown."""
    options = parse_arguments()
    with open_processes(options.workers) as executor:
        originals = list(load_originals(options, executor))
        signatures = list(executor.map(describe, [it.data for it in originals]))
        kept = [(one, it) for one, it in zip(originals, signatures, strict=True) if not is_flat(it)]
        Random(0).shuffle(kept)  # so that the first ones are of many photographs
        flat = len(originals) - len(kept)
        print(f"{len(kept)} originals; {flat} more are flat and match nothing")
        originals, described = [one for one, _ in kept], [it for _, it in kept]
        print_false_merges(originals, described)
        are_rich = [count_details(one) >= MANY_DETAILS for one in described[: options.again]]
        found = f"found, of all {len(are_rich)} | found, of the {sum(are_rich)} with details"
        print(f"\n| transformation | goal | {found} | merged with another | missed |")
        print("|---" * 6 + "|")
        shares: dict[str, float] = {}
        for change in choose_changes(options.only):
            some = originals[: options.again]
            shares[change.name] = measure(change, some, described, are_rich, executor)
    for title, changes in (("thirty-five", TRANSFORMATIONS), ("others", MORE)):
        listed = [shares[it.name] for it in changes if it.name in shares]
        if listed:
            print(f"\nmean of the {title}: {np.mean(listed):.2%}, least {min(listed):.1%}")


def parse_arguments() -> argparse.Namespace:
    """What is to be measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--part", choices=("tuning", "held-out", "all"), default="all")
    parser.add_argument("--limit", type=int, default=10**9, help="at most so many originals")
    parser.add_argument("--tile-px", type=int, default=0, help="cut into tiles at least so wide")
    parser.add_argument("--most-tiles", type=int, default=10**9, help="of one photograph")
    parser.add_argument("--only", nargs="*", help="transformations whose names begin so")
    parser.add_argument("--again", type=int, default=10**9, help="so many originals are changed")
    parser.add_argument("--workers", type=int, default=default_workers())
    return parser.parse_args()


def load_originals(options: argparse.Namespace, executor: Executor) -> Iterator[Original]:
    """The photographs of the part, in an order that mixes the folders, up to the limit."""
    paths = [path for folder in options.folders for path in sorted(folder.rglob("*"))]
    paths = [path for path in paths if path.suffix.lower() in SUFFIXES]
    wanted = [path for path in paths if options.part in ("all", part_of(path.stem))]
    Random(0).shuffle(wanted)
    count = 0
    for tiles in executor.map(partial(cut_tiles, tile_px=options.tile_px), wanted):
        some = tiles[:: max(-(-len(tiles) // options.most_tiles), 1)]
        yield from some[: max(options.limit - count, 0)]
        count += len(some)
        if count >= options.limit:
            return


def part_of(name: str) -> str:
    """Whether a source of this name serves for tuning or for measuring; tiles go by `-t`."""
    source = name.split("-t")[0]
    return "tuning" if hashlib.sha256(source.encode()).digest()[0] % 2 else "held-out"


def cut_tiles(path: Path, tile_px: int) -> list[Original]:
    """The photograph, or its tiles where it is large enough for four; nothing where it is broken.

    What is small of itself is no photograph.
    """
    try:
        picture = open_rgb(path)
    except Exception:  # whatever Pillow says of a hostile file
        return []
    if min(picture.size) < 120:
        return []
    columns = max(picture.width // tile_px, 1) if tile_px else 1
    rows = max(picture.height // max(tile_px * 3 // 4, 1), 1) if tile_px else 1
    return [
        Original(f"{path.stem} {column}{row}", _shrink(picture, column, columns, row, rows))
        for row in range(rows)
        for column in range(columns)
    ]


def open_rgb(source: Path | bytes) -> Image.Image:
    """The pixels of an image file, upright or not, in three channels on white."""
    with Image.open(io.BytesIO(source) if isinstance(source, bytes) else source) as file:
        if not file.has_transparency_data:
            return file.convert("RGB")
        coloured = file.convert("RGBA")
    white = Image.new("RGBA", coloured.size, "white")
    return Image.alpha_composite(white, coloured).convert("RGB")


def _shrink(picture: Image.Image, column: int, columns: int, row: int, rows: int) -> bytes:
    width, height = picture.size
    box = (
        width * column // columns,
        height * row // rows,
        width * (column + 1) // columns,
        height * (row + 1) // rows,
    )
    tile = picture.crop(box)
    tile.thumbnail((LONGEST_SIDE_PX, LONGEST_SIDE_PX), Image.Resampling.LANCZOS)
    return save_jpeg(tile, ORIGINAL_QUALITY)


def print_false_merges(originals: Sequence[Original], described: Sequence[Signature]) -> None:
    """Every two originals that are merged, and how many are related otherwise."""
    start = time.perf_counter()
    pairs = find_pairs_among(described, SETTINGS)
    merged = [pair.ids for pair in pairs if pair.relation is Relation.DUPLICATE]
    count = len(originals) * (len(originals) - 1) // 2
    secs = time.perf_counter() - start
    print(f"{len(merged)} of {count:,} pairs of originals merged in {secs:.1f} s")
    for first, second in merged:
        print(f"- {originals[first].name} | {originals[second].name}")
    print(f"{len(pairs) - len(merged)} pairs related otherwise")


def count_details(signature: Signature) -> int:
    """How many of 64 parts of the picture hold edges in more than one direction."""
    found = compare(signature.shown, signature.shown, np.eye(3))
    return 0 if found is None else found.details


def choose_changes(only: Sequence[str] | None) -> list[Transformation | Collage]:
    """All transformations, or those whose names begin with one of the words."""
    return [
        change
        for change in ALL_CHANGES.values()
        if only is None or any(change.name.startswith(word) for word in only)
    ]


def measure(
    change: Transformation | Collage,
    originals: Sequence[Original],
    described: Sequence[Signature],
    are_rich: Sequence[bool],
    executor: Executor,
) -> float:
    """Print the row of one transformation; the share that was found."""
    others = [original.data for original in originals[:OTHERS_IN_COLLAGES]]
    work = partial(describe_rendition, change.name, others)
    renditions = list(executor.map(work, originals, range(len(originals)), chunksize=8))
    found = find_again(described, renditions)
    wanted = "collage" if isinstance(change, Collage) else "duplicate"
    missed = [it for it in range(len(originals)) if found.get((it, it)) != wanted]
    crossed = [ids for ids, it in found.items() if it == "duplicate" and ids[0] != ids[1]]
    share = 1 - len(missed) / max(len(originals), 1)
    rich_share = 1 - sum(are_rich[it] for it in missed) / max(sum(are_rich), 1)
    names = "; ".join(
        f"{originals[it].name} ({found.get((it, it), 'nothing')})" for it in missed[:MISSED_SHOWN]
    )
    names += "".join(f"; {originals[one].name} | {originals[two].name}" for one, two in crossed)
    verdict = "" if share >= change.goal else " **below**"
    cells = f"{change.goal:.0%} | {share:.1%}{verdict} | {rich_share:.1%} | {len(crossed)}"
    print(f"| {change.name} | {cells} | {names} |", flush=True)
    return share


def describe_rendition(
    change_name: str, others: Sequence[bytes], original: Original, seed: int
) -> Signature:
    """What is kept of the changed photograph; runs in a worker process."""
    change = ALL_CHANGES[change_name]
    random = Random(f"{change.name} {seed}")
    if isinstance(change, Transformation):
        return describe(change.render(original.open(), random))
    pictures = [open_rgb(data) for data in random.sample(others, min(4, len(others)))]
    return describe(change.render(original.open(), pictures, random))


if __name__ == "__main__":
    main()
