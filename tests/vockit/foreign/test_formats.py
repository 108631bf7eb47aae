"""Readers of each format get from a converted tree what the tree says."""

import contextlib
import io
import json
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from ruamel.yaml import YAML

from catalog.party import make_party, open_party
from tests.exporting import export_release
from tests.party_rows import CAT as DRAWN_CAT
from tests.party_rows import DOG, NOW, PERSON, add_image, add_people
from tests.trees import CAT, CAT_LABEL, HARD_CAT, annotation, make_tree, write
from vockit.errors import FolderTakenError
from vockit.foreign.boxes import xywh
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import TreeContent, load_tree
from vockit.format.masks import format_mask
from vockit.format.rings import fill
from vocparty import main

Found = Counter[tuple[str, str, tuple[int, int, int, int]]]
"""Image id, class, and left, top, width and height in pixels from 0, rounded to the pixel."""


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release of nine images, which no test changes."""
    folder = tmp_path_factory.mktemp("release")
    make_party(folder / "party", name="Test party", preset="voc2012")
    with open_party(folder / "party") as party:
        with party.catalogue.writing() as session:
            add_people(session)
            for number in range(1, 10):
                drawn = (
                    [DRAWN_CAT] * (number < 7) + [DOG] * (4 < number < 7) + [PERSON] * (number > 6)
                )
                add_image(session, party, number, drawn)
        export_release(party, folder / "out", year=2026, at=NOW)
    return folder / "out"


@pytest.fixture(scope="session")
def content(release: Path) -> TreeContent:
    return load_tree(release)


@pytest.fixture(scope="session")
def coco(content: TreeContent, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coco") / "out"
    convert_tree(content, folder, "coco")
    return folder


@pytest.fixture(scope="session")
def yolo(content: TreeContent, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("yolo") / "out"
    convert_tree(content, folder, "yolo", with_difficult=True)
    return folder


def expect(content: TreeContent, *set_names: str) -> Found:
    """The objects of these sets according to the tree."""
    return Counter(
        (image.image_id, item.name, tuple(round(it) for it in xywh(item.box)))  # type: ignore[misc]
        for image in content.images
        if image.set_name in set_names
        for item in image.objects
    )


def test_a_loaded_tree_has_its_sets_and_classes_in_label_order(content: TreeContent) -> None:
    assert content.set_names == ("train", "val", "test")
    assert len(content.images) == 9
    assert content.classes.index("person") == 14
    assert content.skipped == ()


@pytest.mark.parametrize("name", ["train", "val", "test"])
def test_pycocotools_reads_every_box(coco: Path, content: TreeContent, name: str) -> None:
    from pycocotools.coco import COCO

    with contextlib.redirect_stdout(io.StringIO()):
        read = COCO(str(coco / "annotations" / f"instances_{name}.json"))
    names = {category["id"]: category["name"] for category in read.loadCats(read.getCatIds())}
    files = {image["id"]: image["file_name"] for image in read.loadImgs(read.getImgIds())}
    found: Found = Counter(
        (
            Path(files[it["image_id"]]).stem,
            names[it["category_id"]],
            tuple(round(number) for number in it["bbox"]),
        )
        for it in read.loadAnns(read.getAnnIds())
    )
    assert found == expect(content, name)
    assert all((coco / "images" / name / file).is_file() for file in files.values())


def test_pycocotools_ignores_the_difficult_objects(coco: Path) -> None:
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    difficult = 0
    for path in sorted((coco / "annotations").iterdir()):
        items = json.loads(path.read_text())["annotations"]
        difficult += sum(it["attributes"]["difficult"] for it in items)
        wanted = ("image_id", "category_id", "bbox")
        easy = [it for it in items if not it["attributes"]["difficult"]]
        with contextlib.redirect_stdout(io.StringIO()):
            truth = COCO(str(path))
            for found in (items, easy):
                detections = [{name: it[name] for name in wanted} | {"score": 1.0} for it in found]
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
    licences = {it["id"]: (it["name"], it["url"]) for it in document["licenses"]}
    assert {licences[it["license"]] for it in document["images"]} == {
        ("CC BY 2.0", "https://creativecommons.org/licenses/by/2.0/")
    }


def make_region(*holes: tuple[slice, slice]) -> NDArray[np.uint8]:
    """An object of two pieces that touch at a corner, with these holes."""
    labels = np.full((40, 60), 255, np.uint8)
    labels[:5], labels[10:20, 10:30], labels[20:30, 30:50] = 0, 1, 1
    for hole in holes:
        labels[hole] = 255
    return labels


REGIONS = [(make_region(), list), (make_region(np.s_[12:15, 12:16], np.s_[22:24, 35:36]), dict)]


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
    (found,) = (it for it in read.dataset["annotations"] if it["segmentation"])
    assert isinstance(found["segmentation"], kind)
    assert found["area"] == (labels == 1).sum()
    assert np.array_equal(read.annToMask(found), labels == 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from datumaro import Dataset

        dataset = Dataset.import_from(str(root), "voc_segmentation")
        item = dataset.get("2012_000001", "train")
    assert item is not None
    masks = {mask.label: mask.image for mask in item.annotations if mask.image.any()}
    assert np.array_equal(masks[CAT_LABEL], labels == 1)


@pytest.mark.parametrize("labels", [it for it, _ in REGIONS], ids=["pieces", "holes"])
def test_yolo_seg_has_one_outline_per_object(tmp_path: Path, labels: NDArray[np.uint8]) -> None:
    root = make_tree(tmp_path)
    write(root / "SegmentationObject/2012_000001.png", format_mask(labels))
    out = tmp_path / "out"
    said = CliRunner().invoke(main, ["convert", str(root), str(out), "--to", "yolo-seg"]).output
    assert "Wrote 1 image with 1 object as yolo-seg" in said
    (line,) = (out / "labels/train/2012_000001.txt").read_text().splitlines()
    number, *shares = line.split()
    assert int(number) == CAT_LABEL - 1
    corners = (np.array(shares, float).reshape(-1, 2) * (60, 40)).round().astype(int)
    assert np.array_equal(fill([list(map(tuple, corners.tolist()))], 60, 40), labels == 1)
    assert [it.name for it in (out / "images/train").iterdir()] == ["2012_000001.jpg"]


def test_a_difficult_object_gets_the_void_pixels_of_its_box(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    write(root / "Annotations/2012_000001.xml", annotation("2012_000001", (CAT, HARD_CAT)))
    convert_tree(load_tree(root), tmp_path / "out", "coco")
    document = json.loads((tmp_path / "out/annotations/instances_train.json").read_text())
    assert [it["area"] for it in document["annotations"][:2]] == [100, 300]


def test_coco_keeps_the_flags_of_voc_as_attributes(coco: Path) -> None:
    files = sorted((coco / "annotations").iterdir())
    items = [it for file in files for it in json.loads(file.read_text())["annotations"]]
    names = {it["id"]: it["name"] for it in json.loads(files[0].read_text())["categories"]}
    person = next(it for it in items if names[it["category_id"]] == "person")
    assert person["attributes"] == {
        "pose": "Left",
        "truncated": True,
        "occluded": True,
        "difficult": False,
        "actions": ["jumping", "running"],
        "point": [20, 20],
        "parts": [{"name": "head", "bbox": [9, 3, 11, 9]}, {"name": "hand", "bbox": [4, 19, 5, 6]}],
    }


@pytest.mark.parametrize("form", ["coco", "yolo"])
def test_datumaro_reads_the_converted_tree(
    form: str, content: TreeContent, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from datumaro import Dataset

        name = {"coco": "coco_instances", "yolo": "yolo"}[form]
        dataset = Dataset.import_from(str(folder), name)
        categories = next(iter(dataset.categories().values()))
        found: Found = Counter(
            (
                item.id.rpartition("/")[2],
                categories[it.label].name,
                tuple(round(number) for number in it.get_bbox()),
            )
            for item in dataset
            for it in item.annotations
        )
    assert found == expect(content, "train", "val", "test")


def test_yolo_can_hold_difficult_objects(content: TreeContent, yolo: Path, tmp_path: Path) -> None:
    convert_tree(content, tmp_path / "out", "yolo")
    dog = content.classes.index("dog")
    assert not _numbers(tmp_path / "out")[dog]
    assert _numbers(yolo)[dog] == 2
    data = YAML(typ="safe").load((yolo / "data.yaml").read_text())
    assert data["names"][dog] == "dog"
    assert data["val"] == "images/val"


def _numbers(folder: Path) -> Counter[int]:
    files = (folder / "labels").rglob("*.txt")
    return Counter(int(line.split()[0]) for file in files for line in file.read_text().splitlines())


def test_the_parquet_table_has_all_fields(content: TreeContent, tmp_path: Path) -> None:
    convert_tree(content, tmp_path / "out", "parquet")
    table = pq.read_table(tmp_path / "out" / "objects.parquet")
    assert len(table.to_pandas()) == table.num_rows == sum(len(it.objects) for it in content.images)
    person = next(row for row in table.to_pylist() if row["class"] == "person")
    assert (person["point_x"], person["point_y"]) == (20, 20)
    assert [part["name"] for part in person["parts"]] == ["head", "hand"]
    assert person["actions"] == ["jumping", "running"]
    assert person["image_id"].startswith("2026_0000")
    assert (person["depth"], person["segmented"], person["folder"]) == (3, False, "VOC2026")
    assert person["source_database"] == "The Test party Database"
    assert (person["source_image"], person["owner_name"]) == ("flickr", None)


def test_a_folder_that_is_not_empty_is_refused(content: TreeContent, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(FolderTakenError, match="is not empty"):
        convert_tree(content, tmp_path, "coco")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_broken_annotation_leaves_out_only_its_image(release: Path, tmp_path: Path) -> None:
    import shutil

    tree = tmp_path / "VOC2026"
    shutil.copytree(release / "VOCdevkit" / "VOC2026", tree)
    (tree / "Annotations" / "2026_000001.xml").write_text("<annotation>")
    run = CliRunner().invoke(main, ["convert", str(tree), str(tmp_path / "out"), "--to", "coco"])
    assert run.exit_code == 0, run.output
    assert "Skipped image 2026_000001: its annotation file" in run.output
    assert "Wrote 8 images" in run.output


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("form", ["coco", "yolo"])
def test_a_label_map_with_a_byte_order_mark_gives_the_same_classes(
    tmp_path: Path, encoding: str, form: str
) -> None:
    root = make_tree(tmp_path / "VOC2012")
    for path in (root / "Annotations").iterdir():
        path.write_text(path.read_text().replace("<name>cat<", "<name>zebra<"))
    label_map, runner = root / "labelmap.txt", CliRunner()
    named = sorted({it.name for image in load_tree(root).images for it in image.objects})
    text = "background:0,0,0::\r\n" + "".join(f"{it}:1,1,1::\r\n" for it in reversed(named))
    converted = []
    for name, data in (("plain", text.encode()), ("marked", text.encode(encoding))):
        label_map.write_bytes(data)
        assert load_tree(root).classes == tuple(reversed(named))
        told = runner.invoke(main, ["convert", str(root), str(tmp_path / name), "--to", form])
        assert told.exit_code == 0, told.output
        files = (it for it in (tmp_path / name).rglob("*") if it.is_file())
        converted.append({it.relative_to(tmp_path / name): it.read_bytes() for it in files})
    assert converted[0] == converted[1]


def test_a_label_map_that_is_no_text_is_refused_in_one_sentence(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "VOC2012")
    for path in (root / "Annotations").iterdir():
        path.write_text(path.read_text().replace("<name>cat<", "<name>zebra<"))
    (root / "labelmap.txt").write_bytes(b"z\xebbra:\n")
    arguments = ["convert", str(root), str(tmp_path / "out"), "--to", "coco"]
    told = CliRunner().invoke(main, arguments)
    assert told.exit_code == 2
    assert "labelmap.txt gives the classes their labels, but it is not UTF-8" in told.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", ["coco", "yolo", "parquet"])
def test_images_whose_annotation_is_held_back_are_skipped_and_not_written_as_empty(
    release: Path, tmp_path: Path, form: str
) -> None:
    import shutil

    tree = tmp_path / "VOC2026"
    shutil.copytree(release / "VOCdevkit" / "VOC2026", tree)
    held_back = (tree / "ImageSets/Main/test.txt").read_text().split()
    for image_id in held_back:
        (tree / f"Annotations/{image_id}.xml").unlink()
    out = tmp_path / "out"
    run = CliRunner().invoke(main, ["convert", str(tree), str(out), "--to", form])
    assert run.exit_code == 0, run.output
    for image_id in held_back:
        assert f"Skipped image {image_id}: it is in test and has no annotation." in run.output
        assert not [it for it in out.rglob("*") if it.stem == image_id]
        assert not [it for it in out.rglob("*.json") if image_id in it.read_text()]
    count = len(held_back)
    assert f"Skipped {count} images: nothing of them is written" in run.output
    if form == "parquet":
        rows = pq.read_table(out / "objects.parquet")["image_id"].to_pylist()
        assert set(held_back).isdisjoint(rows)


def test_an_image_whose_mask_cannot_be_read_is_skipped_and_not_written_as_empty(
    tmp_path: Path,
) -> None:
    root = make_tree(tmp_path / "in")
    write(root / "SegmentationObject/2012_000001.png", b"no PNG")
    out = tmp_path / "out"
    run = CliRunner().invoke(main, ["convert", str(root), str(out), "--to", "yolo-seg"])
    assert run.exit_code == 1, run.output  # no other image has a mask
    assert "Skipped image 2012_000001: its mask cannot be read" in run.output
    assert [it for it in out.rglob("*.txt") if it.stem == "2012_000001"] == []
