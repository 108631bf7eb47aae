"""Time and memory of reading COCO and YOLO at COCO's size, ours and datumaro's, on made labels.

    python benchmarks/import_datasets.py FOLDER [--images 118287] [--boxes 860001]

Each reading is a process of its own; its peak of memory is what the system says of it.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from PIL import Image

WIDTH = 64
HEIGHT = 48
CLASSES = 80


def make(folder: Path, images: int, boxes: int) -> None:
    """Write the dataset twice, as COCO and as YOLO, with hard links to few pictures."""
    chance = random.Random(7)
    counts = Counter(chance.randrange(images) for _box in range(boxes))
    rows = []
    annotations: list[dict[str, object]] = []
    for number in range(images):
        name = f"{number:012d}"
        link_picture(folder, number)
        rows.append({"id": number, "file_name": f"{name}.jpg", "width": WIDTH, "height": HEIGHT})
        drawn = [draw(chance) for _box in range(counts[number])]
        for label, bbox in drawn:
            row = {"id": len(annotations) + 1, "image_id": number, "category_id": label + 1}
            annotations.append(row | {"bbox": bbox, "area": bbox[2] * bbox[3], "iscrowd": 0})
        place = folder / f"yolo/labels/train/{name}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(format_line(label, bbox) for label, bbox in drawn))
    chance.shuffle(annotations)  # nothing says that those of an image stand together
    categories = [{"id": number + 1, "name": f"class{number}"} for number in range(CLASSES)]
    document = {"images": rows, "annotations": annotations, "categories": categories}
    (folder / "coco/annotations").mkdir()
    (folder / "coco/annotations/instances_train.json").write_text(json.dumps(document))
    names = "".join(f"  {number}: class{number}\n" for number in range(CLASSES))
    (folder / "yolo/data.yaml").write_text(f"path: .\ntrain: images/train\nnames:\n{names}")


def link_picture(folder: Path, number: int) -> None:
    """One picture for both forms; a file can have some 60,000 links."""
    source = folder / f"picture{number // 20_000}.jpg"
    for form in ("coco", "yolo"):
        place = folder / form / "images" / "train" / f"{number:012d}.jpg"
        place.parent.mkdir(parents=True, exist_ok=True)
        if not source.exists():
            Image.new("RGB", (WIDTH, HEIGHT)).save(source)
        place.hardlink_to(source)


def draw(chance: random.Random) -> tuple[int, list[int]]:
    """A class, and a box inside the picture as COCO has it."""
    bbox = [chance.randrange(40), chance.randrange(30), chance.randrange(2, 20)]
    return chance.randrange(CLASSES), [*bbox, chance.randrange(2, 18)]


def format_line(label: int, bbox: list[int]) -> str:
    """The box as a line of YOLO."""
    x, y, width, height = bbox
    across = f"{(x + width / 2) / WIDTH:.8f} {(y + height / 2) / HEIGHT:.8f}"
    return f"{label} {across} {width / WIDTH:.8f} {height / HEIGHT:.8f}\n"


def read_ours(folder: Path) -> tuple[int, int]:
    """Images and objects, each with its box in whole pixels."""
    from vockit.foreign.datasets.fitting import fit_image
    from vockit.foreign.datasets.opening import open_dataset

    dataset = open_dataset(folder)
    images = 0
    objects = 0
    for image in dataset.iterate_images():
        images += 1
        objects += len(fit_image(image, (WIDTH, HEIGHT)).objects)
    return images, objects


def read_datumaro(folder: Path) -> tuple[int, int]:
    """The same, by datumaro."""
    from datumaro.components.dataset import Dataset

    form = "yolo" if (folder / "data.yaml").exists() else "coco_instances"
    dataset = Dataset.import_from(str(folder), form)
    images = 0
    objects = 0
    for item in dataset:
        images += 1
        objects += len(item.annotations)
    return images, objects


READERS = {"ours": read_ours, "datumaro": read_datumaro}


def measure(reader: str, folder: Path) -> str:
    """A line of the table: what was read, in how many seconds, with how much memory."""
    call = [sys.executable, __file__, str(folder), "--read", reader]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    result = done.stdout.strip() or done.stderr.strip().splitlines()[-1][:200]
    return f"| {folder.name} | {reader} | {result} |"


def main() -> None:
    """Make the dataset where it is not there, and read it by each reader."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, default=118_287)
    parser.add_argument("--boxes", type=int, default=860_001)
    parser.add_argument("--read", choices=READERS)
    given = parser.parse_args()
    if given.read:
        began = time.perf_counter()
        images, objects = READERS[given.read](given.folder)
        secs = time.perf_counter() - began
        most_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{images:,} | {objects:,} | {secs:.1f} s | {most_mb:,.0f} MB")
        return
    if not given.folder.exists():
        make(given.folder, given.images, given.boxes)
    print("| labels | reader | images | objects | time | memory |\n|---|---|---|---|---|---|")
    for form in ("coco", "yolo"):
        for reader in READERS:
            print(measure(reader, given.folder / form), flush=True)


if __name__ == "__main__":
    main()
