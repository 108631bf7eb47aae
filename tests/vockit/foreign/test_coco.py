"""COCO files of a tree: boxes, masks, flags and licences, read by pycocotools."""

import contextlib
import io
import json
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.trees import CAT_LABEL, make_tree, write
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import TreeContent, load_tree
from vockit.format.masks import format_mask

from .expected import Found, expect
from .regions import REGIONS


@pytest.mark.parametrize("name", ["train", "val", "test"])
def test_pycocotools_reads_every_box(coco: Path, content: TreeContent, name: str) -> None:
    from pycocotools.coco import COCO

    with contextlib.redirect_stdout(io.StringIO()):
        read = COCO(str(coco / "annotations" / f"instances_{name}.json"))
    names = {category["id"]: category["name"] for category in read.loadCats(read.getCatIds())}
    files = {image["id"]: image["file_name"] for image in read.loadImgs(read.getImgIds())}
    boxes: Found = Counter(
        (
            Path(files[annotation["image_id"]]).stem,
            names[annotation["category_id"]],
            tuple(round(number) for number in annotation["bbox"]),
        )
        for annotation in read.loadAnns(read.getAnnIds())
    )
    assert boxes == expect(content, name)
    assert all((coco / "images" / name / file).is_file() for file in files.values())


def test_pycocotools_ignores_the_difficult_objects(coco: Path) -> None:
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    difficult = 0
    for path in sorted((coco / "annotations").iterdir()):
        items = json.loads(path.read_text())["annotations"]
        difficult += sum(item["attributes"]["difficult"] for item in items)
        wanted = ("image_id", "category_id", "bbox")
        easy = [item for item in items if not item["attributes"]["difficult"]]
        with contextlib.redirect_stdout(io.StringIO()):
            truth = COCO(str(path))
            for annotations in (items, easy):
                detections = [
                    {name: item[name] for name in wanted} | {"score": 1.0} for item in annotations
                ]
                evaluation = COCOeval(truth, truth.loadRes(detections), "bbox")
                evaluation.evaluate()
                evaluation.accumulate()
                evaluation.summarize()
                assert evaluation.stats[0] == pytest.approx(1)
    assert difficult == 2


def test_coco_files_name_the_release_and_each_licence(coco: Path, content: TreeContent) -> None:
    document = json.loads((coco / "annotations" / "instances_train.json").read_text())
    assert document["info"]["description"] == "The Test party Database"
    assert (document["info"]["version"], document["info"]["year"]) == ("VOC2026", 2026)
    licences = {
        licence["id"]: (licence["name"], licence["url"]) for licence in document["licenses"]
    }
    assert {licences[image["license"]] for image in document["images"]} == {
        ("CC BY 2.0", "https://creativecommons.org/licenses/by/2.0/")
    }


@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")  # pycocotools with numpy 2
@pytest.mark.parametrize(("labels", "kind"), REGIONS, ids=["polygons", "run lengths"])
def test_coco_stores_masks_as_pixels(tmp_path: Path, labels: NDArray[np.uint8], kind: type) -> None:
    from pycocotools.coco import COCO

    root = make_tree(tmp_path)
    for folder, label in (("SegmentationObject", 1), ("SegmentationClass", CAT_LABEL)):
        shown = np.where(labels == 1, label, labels).astype(np.uint8)
        write(root / f"{folder}/2012_000001.png", format_mask(shown))
    convert_tree(load_tree(root), tmp_path / "out", "coco")
    with contextlib.redirect_stdout(io.StringIO()):
        read = COCO(str(tmp_path / "out" / "annotations" / "instances_train.json"))
    (segmented,) = (
        annotation for annotation in read.dataset["annotations"] if annotation["segmentation"]
    )
    assert isinstance(segmented["segmentation"], kind)
    assert segmented["area"] == (labels == 1).sum()
    assert np.array_equal(read.annToMask(segmented), labels == 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from datumaro import Dataset

        dataset = Dataset.import_from(str(root), "voc_segmentation")
        item = dataset.get("2012_000001", "train")
    assert item is not None
    masks = {mask.label: mask.image for mask in item.annotations if mask.image.any()}
    assert np.array_equal(masks[CAT_LABEL], labels == 1)


def test_pycocotools_scores_the_segments_of_images_with_masks(tmp_path: Path) -> None:
    """Also beside an object without pixels, which the file for masks leaves out."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    root = make_tree(tmp_path)
    labels = REGIONS[1][0]
    for folder, label in (("SegmentationObject", 1), ("SegmentationClass", CAT_LABEL)):
        shown = np.where(labels == 1, label, labels).astype(np.uint8)
        write(root / f"{folder}/2012_000001.png", format_mask(shown))
    content = load_tree(root)
    written = convert_tree(content, tmp_path / "out", "coco")
    with contextlib.redirect_stdout(io.StringIO()):
        boxes, masks = (
            COCO(str(tmp_path / "out/annotations" / name))
            for name in ("instances_train.json", "instances_train_masks.json")
        )
        results = [
            {"image_id": entry["image_id"], "category_id": entry["category_id"], "score": 0.9}
            | {"segmentation": masks.annToRLE(entry)}
            for entry in masks.dataset["annotations"]
        ]
        evaluation = COCOeval(masks, masks.loadRes(results), "segm")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    assert evaluation.stats[0] == pytest.approx(1)
    assert [image["file_name"] for image in masks.dataset["images"]] == ["2012_000001.jpg"]
    (image_id,) = masks.getImgIds()
    outlined = [boxes.loadAnns([entry["id"]])[0] for entry in masks.dataset["annotations"]]
    assert all(entry["segmentation"] for entry in outlined)
    without_pixels = len(boxes.getAnnIds(imgIds=[image_id])) - len(outlined)
    assert written.boxes_alone == without_pixels


def test_a_set_without_masks_has_no_file_for_them(coco: Path) -> None:
    names = {path.name for path in (coco / "annotations").iterdir()}
    assert names == {f"instances_{name}.json" for name in ("train", "val", "test")}


def test_coco_keeps_the_flags_of_voc_as_attributes(coco: Path) -> None:
    files = sorted((coco / "annotations").iterdir())
    items = [item for file in files for item in json.loads(file.read_text())["annotations"]]
    names = {
        category["id"]: category["name"]
        for category in json.loads(files[0].read_text())["categories"]
    }
    person = next(item for item in items if names[item["category_id"]] == "person")
    assert person["attributes"] == {
        "pose": "Left",
        "truncated": True,
        "occluded": True,
        "difficult": False,
        "actions": ["jumping", "running"],
        "point": [20, 20],
        "parts": [{"name": "head", "bbox": [9, 3, 11, 9]}, {"name": "hand", "bbox": [4, 19, 5, 6]}],
    }
