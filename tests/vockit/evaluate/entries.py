"""Entries in all tasks, valid and packed, for the commands that read them."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

from click.testing import CliRunner
from PIL import Image

from vockit.evaluate.checking import check_results
from vockit.evaluate.curves import Rules
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.scoring import score
from vockit.evaluate.truth import open_truth
from vocparty import main

from .small_tree import HEAD, IDS, ROW, write, write_person


def make_png(mode: str, size: tuple[int, int], fill: int = 0) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size, fill).save(buffer, "PNG")
    return buffer.getvalue()


def make_valid(folder: Path) -> None:
    """A valid entry in all five tasks."""
    rated = "".join(f"{image_id} 0.{place}\n" for place, image_id in enumerate(IDS))
    write(folder / "Main/comp1_cls_val_cat.txt", rated)
    write(folder / "Main/comp3_det_val_cat.txt", f"{ROW}\n")
    write(folder / "Action/comp9_action_val_running.txt", f"{IDS[1]} 1 0.9\n{IDS[2]} 2 0.1\n")
    layouts = write_person(IDS[1], 1, 0.5, HEAD)
    write(folder / "Layout/comp7_layout_val.xml", f"<results>{layouts}</results>")
    for image_id in IDS[:2]:
        path = folder / f"Segmentation/comp5_val_cls/{image_id}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make_png("L", (100, 80), 1))


def make_blind(devkit: Path) -> Path:
    """The tree without a label: lists of images and persons, and pictures alone."""
    root = devkit / "VOC2012"
    write(root / "ImageSets/Action/val.txt", f"{IDS[1]}  1\n{IDS[2]}  2\n")
    write(root / "ImageSets/Action/running_train.txt", "")
    (root / "JPEGImages").mkdir()
    for image_id in IDS:
        Image.new("RGB", (100, 80)).save(root / f"JPEGImages/{image_id}.jpg")
    blind = shutil.copytree(root, devkit / "blind" / "VOC2012")
    shutil.rmtree(blind / "Annotations")
    shutil.rmtree(blind / "SegmentationClass")
    for path in (blind / "ImageSets").glob("*/*_val.txt"):
        path.unlink()
    return blind


def pack(folder: Path, ending: str) -> Path:
    """An archive of the folder under a folder of its own, next to it."""
    form = {".zip": "zip", ".tar": "tar", ".tar.gz": "gztar"}[ending]
    place = folder.parent.parent / "packed"
    return Path(shutil.make_archive(str(place), form, folder.parent, folder.name))


def run(*words: object, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["-q", *map(str, words)])
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    return done.output


def tell(what: str, tree: Path, results: Path, rules: Rules | None = None) -> tuple[str, list[str]]:
    """What is refused, or what can be scored, and the notes."""
    truth = open_truth(tree, "val", rules)
    try:
        if what == "evaluate":
            scores = score(truth, results)
            masks = {name for name, entry in scores.segmentations.items() if not entry.is_painted}
            return " ".join(sorted(masks.union(*scores.tasks.values()))), list(scores.notes)
        entry = check_results(truth, results)
        return " ".join(sorted({name for _, name in entry.competitions})), list(entry.notes)
    except EvaluateError as error:
        return str(error).replace(str(tree), "TREE"), []
