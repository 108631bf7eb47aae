"""Verify of a tree with very many classes: time and memory, also where class files have CR.

The tree is made of one that export wrote: pictures are linked, each object gets a class at random.

    python -m benchmarks.verify_classes --tree FOLDER/exported --folder DIR --classes 1000
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from export.verify.check import verify_tree
from export.voc.image_sets import format_images, format_labels
from export.voc.read import read_annotation

_NAME = re.compile(r"(<object>\n\t\t<name>)[a-z]+")
Labels = Mapping[str, Mapping[str, int]]


def main() -> None:
    """Print the seconds of the processor and the peak of memory, without CR and with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, required=True, help="what export wrote")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--classes", type=int, default=1_000)
    parser.add_argument("--with-cr", type=int, default=400, help="so many class files")
    options = parser.parse_args()
    (source,) = options.tree.glob("VOCdevkit/VOC*")
    target = options.folder / "many" / source.name
    shutil.rmtree(target, ignore_errors=True)
    names = [f"class{number:04}" for number in range(options.classes)]
    labels = write_annotations(source, target, names)
    files = write_sets(target, labels, names)
    report(target, len(labels), len(files), "LF alone")
    for path in files[: options.with_cr]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    report(target, len(labels), len(files), f"CR in {options.with_cr} of them")
    shutil.rmtree(target)


def write_annotations(source: Path, target: Path, names: list[str]) -> Labels:
    """The labels of each image of the new tree, whose files are written when this returns."""
    rng = random.Random(0)
    for folder in ("Annotations", "JPEGImages", "ImageSets/Main"):
        (target / folder).mkdir(parents=True)
    labels: dict[str, dict[str, int]] = {}
    for path in sorted((source / "Annotations").iterdir()):
        text = _NAME.sub(lambda found: found[1] + rng.choice(names), path.read_text())
        (target / "Annotations" / path.name).write_text(text)
        picture = Path("JPEGImages", f"{path.stem}.jpg")
        (target / picture).hardlink_to(source / picture)
        image = read_annotation(text.encode()).image
        shown = labels.setdefault(path.stem, {})
        for item in image.objects if image else ():
            shown[item.name] = max(shown.get(item.name, 0), int(not item.difficult))
    return labels


def write_sets(target: Path, labels: Labels, names: list[str]) -> list[Path]:
    """The class files of all sets."""
    ids = sorted(labels)
    half = len(ids) // 2
    sets = {"train": ids[: half // 2], "val": ids[half // 2 : half], "test": ids[half:]}
    files = []
    for set_name, members in {**sets, "trainval": ids[:half]}.items():
        (target / f"ImageSets/Main/{set_name}.txt").write_text(format_images(members))
        for name in names:
            files.append(target / f"ImageSets/Main/{name}_{set_name}.txt")
            files[-1].write_text(format_labels([(it, labels[it].get(name, -1)) for it in members]))
    return files


def report(tree: Path, images: int, files: int, how: str) -> None:
    """Print what verifying the tree took."""
    started = time.process_time()
    rules = {violation.rule for violation in verify_tree(tree)}
    secs = time.process_time() - started
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = ", ".join(sorted(rules)) or "nothing"
    print(
        f"{images} images, {files} class files, {how}: {secs:.2f} s of the processor, "
        f"{peak_mb:.0f} MB at most (this program's own lists with it); told: {told}",
        flush=True,
    )


if __name__ == "__main__":
    main()
