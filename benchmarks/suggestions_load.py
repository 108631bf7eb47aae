"""Loading COCO's results as suggestions: processor time against the library that reads them.

Writes a results file of N detections, 100 for each image, and loads it into a party on SQLite, in a
process of its own; another one reads the file with json, and one with pycocotools' loadRes. Prints
processor seconds and the largest memory of each, as medians of the runs.

    python -m benchmarks.suggestions_load --detections 1000000
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from catalog.image_store import digest_of
from catalog.party import make_party, open_party
from catalog.states import ImageState
from catalog.tables import Image
from work.suggest.photographs import name_file

OF_IMAGE = 100
SIZE = (500, 375)
AT = datetime(2026, 1, 31, tzinfo=UTC)


def write_files(folder: Path, detections: int) -> None:
    """A party with the images, its results file, and the two files that loadRes needs."""
    make_party(folder / "party", name="Zoo", preset="voc2012")
    digests = [digest_of(f"{number}".encode()) for number in range(1, detections // OF_IMAGE + 1)]
    shared = {"width": SIZE[0], "height": SIZE[1], "bytes": 1, "state": ImageState.POOL}
    shared |= {"state_at": AT, "stored_at": AT}
    rows = [
        {"id": number, "sha256": sha256} | shared for number, sha256 in enumerate(digests, start=1)
    ]
    with open_party(folder / "party") as party, party.catalogue.writing() as session:
        session.execute(insert(Image), rows)
        classes = party.preset.class_names
    write_results(folder, digests, classes)
    listed = [{"id": row["id"], "width": SIZE[0], "height": SIZE[1]} for row in rows]
    kinds = [{"id": number, "name": name} for number, name in enumerate(classes, start=1)]
    document = {"images": listed, "categories": kinds, "annotations": [], "info": {}}
    (folder / "instances.json").write_text(json.dumps(document))


def write_results(folder: Path, digests: Sequence[str], classes: Sequence[str]) -> None:
    """The same detections with names of images and classes, and with numbers."""
    draw = random.Random(1)
    with (folder / "results.json").open("w") as named, (folder / "ids.json").open("w") as numbered:
        for place in range(len(digests) * OF_IMAGE):
            number = place // OF_IMAGE + 1
            kind = draw.randrange(len(classes))
            box = [draw.uniform(low, high) for low, high in ((0, 400), (0, 300), (5, 99), (5, 74))]
            entry = {"bbox": [round(side, 2) for side in box], "score": round(draw.random(), 4)}
            name = f"{name_file(number, digests[number - 1])}.jpg"
            begin = "[" if place == 0 else ",\n"
            for file, ids in ((named, (name, classes[kind])), (numbered, (number, kind + 1))):
                words = dict(zip(("image_id", "category_id"), ids, strict=True))
                file.write(begin + json.dumps(words | entry))
        named.write("]")
        numbered.write("]")


def read_json(folder: Path) -> int:
    """Read the file with the standard library."""
    return len(json.loads((folder / "results.json").read_bytes()))


def read_coco(folder: Path) -> int:
    """Read the file with pycocotools."""
    from pycocotools.coco import COCO

    truth = COCO(str(folder / "instances.json"))
    return len(truth.loadRes(str(folder / "ids.json")).anns)


def load(folder: Path) -> int:
    """Load the file as a set, and withdraw nothing of it."""
    from work.suggest.job import LoadOrder, load_files

    version = f"{time.time_ns()}"
    with (folder / "results.json").open("a") as file:
        file.write(" ")  # another digest for each run
    with open_party(folder / "party") as party:
        order = LoadOrder(path=folder / "results.json", model="net", version=version)
        return load_files(party, order, at=AT).suggestions


WAYS: dict[str, Callable[[Path], int]] = {
    "json.loads": read_json,
    "pycocotools loadRes": read_coco,
    "vocparty suggest load": load,
}


def measure(way: str, folder: Path, answers: Any) -> None:
    """Processor seconds and largest memory of one way, without what came before it."""
    gc.set_threshold(100_000)  # as the command has it
    before = time.process_time()
    with redirect_stdout(io.StringIO()):  # pycocotools prints
        count = WAYS[way](folder)
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answers.put((count, time.process_time() - before, peak_kb / 1024))


def main() -> None:
    """Measure each way and print a line for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--detections", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--ways", nargs="*", default=list(WAYS))
    options = parser.parse_args()
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, options.detections)
        size_mb = (folder / "results.json").stat().st_size / 1e6
        print(f"{options.detections:,} detections, {size_mb:.0f} MB")
        for way in options.ways:
            results = []
            for _ in range(options.runs):
                answers = context.Queue()
                process = context.Process(target=measure, args=(way, folder, answers))
                process.start()
                results.append(answers.get())
                process.join()
            secs = statistics.median(secs for _count, secs, _peak in results)
            peak = statistics.median(peak for _count, _secs, peak in results)
            print(f"{way:<24} {results[0][0]:>9,} {secs:7.2f} s {peak:7.0f} MB")


if __name__ == "__main__":
    main()
