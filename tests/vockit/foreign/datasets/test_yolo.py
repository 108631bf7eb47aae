"""YOLO's labels are read as Ultralytics reads them, and a bad line costs that line alone."""

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests import trees
from tests.party_rows import HEIGHT, WIDTH, jpeg_bytes
from vockit.foreign.convert import convert_tree
from vockit.foreign.datasets.fitting import FittedObject, fit_image
from vockit.foreign.datasets.opening import open_dataset
from vockit.foreign.datasets.values import DatasetError, ForeignImage, Note
from vockit.foreign.regions import find_regions
from vockit.foreign.tree_images import load_tree
from vockit.format.records import VocBox
from vockit.format.rings import fill

NAMES = "names:\n  0: cat\n  1: dog\n"
LABEL = "labels/train/1.txt"
SIZE = (WIDTH, HEIGHT)
WHOLE = "0 0.5 0.5 0.5 0.5\n"


def make_yolo(root: Path, labels: str = WHOLE, data: str = f"train: images/train\n{NAMES}") -> Path:
    (root / "images/train").mkdir(parents=True, exist_ok=True)
    (root / "labels/train").mkdir(parents=True, exist_ok=True)
    for number in (1, 2):
        (root / f"images/train/{number}.jpg").write_bytes(jpeg_bytes(number))
    (root / LABEL).write_text(labels)
    (root / "data.yaml").write_text(data)
    return root


def read(path: Path, form: str | None = None) -> tuple[list[ForeignImage], list[Note]]:
    dataset = open_dataset(path, form)
    assert dataset.form == "YOLO"
    images = list(dataset.iterate_images())
    assert dataset.count_images() == len(images)
    counts = Counter(item.class_name for image in images for item in image.objects)
    assert counts <= dataset.words  # of lines that are none the classes are counted, too
    return images, dataset.notes


def fit(path: Path) -> tuple[list[FittedObject], list[Note]]:
    images, notes = read(path)
    fitted = [fit_image(image, image.size_wh or SIZE) for image in images]
    objects = [item for image in fitted for item in image.objects]
    return objects, [*notes, *(note for image in fitted for note in image.notes)]


def list_rules(notes: list[Note]) -> list[str]:
    return [f"{note.kind.value}: {note.rule}" for note in notes]


def test_boxes_and_outlines_are_those_of_the_lines(tmp_path: Path) -> None:
    labels = f"{WHOLE}\n1 0.1 0.1 0.5 0.1 0.5 0.5\n"
    objects, notes = fit(make_yolo(tmp_path, labels))
    assert [item.box for item in objects] == [VocBox(16, 11, 45, 30), VocBox(7, 5, 30, 20)]
    assert [item.source.class_name for item in objects] == ["cat", "dog"]
    assert [item.rings for item in objects] == [(), ([(6, 4), (30, 4), (30, 20)],)]
    assert [item.source.place for item in objects] == [f"{LABEL}, line 1", f"{LABEL}, line 3"]
    assert notes == []


@pytest.mark.parametrize("form", ["yolo", "yolo-seg"])
def test_a_converted_tree_comes_back_without_a_difference(tmp_path: Path, form: str) -> None:
    """Eight digits of a share are whole pixels again."""
    content = load_tree(trees.make_tree(tmp_path / "in"))
    out = tmp_path / "out"
    convert_tree(content, out, form, with_difficult=True)
    images, notes = read(out)
    assert notes == []
    by_name = {image.name: image for image in images}
    assert len(by_name) == len(content.images)
    for image in content.images:
        foreign = by_name[f"images/{image.set_name}/{image.picture.name}"]
        fitted = fit_image(foreign, SIZE)
        assert fitted.notes == ()
        regions = find_regions(image)
        kept = [
            (item, region)
            for item, region in zip(image.objects, regions, strict=True)
            if form == "yolo" or region is not None
        ]
        for read_item, (item, region) in zip(fitted.objects, kept, strict=True):
            assert read_item.source.class_name == item.name
            if form == "yolo":
                assert read_item.box == item.box
            elif region is not None:
                assert (fill(read_item.rings, *SIZE) == region).all()


@pytest.mark.parametrize(
    ("line", "becomes", "rule"),
    [
        ("80 0.5 0.5 0.5 0.5", None, "object left out: class"),
        ("-1 0.5 0.5 0.5 0.5", None, "object left out: class"),
        ("cat 0.5 0.5 0.5 0.5", None, "object left out: class"),
        ("0.5 0.5 0.5 0.5 0.5", None, "object left out: class"),
        ("nan 0.5 0.5 0.5 0.5", None, "object left out: class"),
        ("0 0.5 0.5 0.5", None, "object left out: line"),
        ("0 0.5 0.5 0.5 0.5 0.9", None, "object left out: line"),
        ("0 0.5 0.5 0.5 x", None, "object left out: line"),
        ("0 0.5,0.5 0.5 0.5", None, "object left out: line"),
        ("0", None, "object left out: line"),
        ("0 nan 0.5 0.5 0.5", None, "object left out: box"),
        ("0 0.5 0.5 0 0.5", None, "object left out: box"),
        ("0 30 20 10 10", None, "object left out: box"),
        ("0 0.5 0.5 1.5 0.5", VocBox(1, 11, 60, 30), "changed: border"),
        ("0 0.5 0.5 -0.5 0.5", VocBox(16, 11, 45, 30), "changed: negative size"),
        ("0 0.503 0.5 0.5 0.5", VocBox(16, 11, 45, 30), "changed: rounded"),
        ("0.0 0.5 0.5 0.5 0.5", VocBox(16, 11, 45, 30), ""),
        ("0 0.50000001 0.5 0.5 0.5", VocBox(16, 11, 45, 30), ""),
    ],
)
def test_a_line_is_corrected_or_left_out_and_the_others_come(
    tmp_path: Path, line: str, becomes: VocBox | None, rule: str
) -> None:
    objects, notes = fit(make_yolo(tmp_path, f"{line}\n{WHOLE}"))
    boxes = [item.box for item in objects]
    assert boxes == list(filter(None, (becomes, VocBox(16, 11, 45, 30))))
    assert list_rules(notes) == ([rule] if rule else [])
    assert all(note.place == f"{LABEL}, line 1" for note in notes)


@pytest.mark.parametrize(
    "data",
    [
        f"path: .\ntrain: images/train\n{NAMES}",
        f"path: ../datasets/none\ntrain: images/train\n{NAMES}",
        f"path: /none/at/all\ntrain: images/train\n{NAMES}",
        f"path: /\ntrain: images/train\n{NAMES}",
        f"train: ../images/train\n{NAMES}",
        f"train: [images/train]\nval: images/train\n{NAMES}",
        f"train: train.txt\n{NAMES}",
        NAMES,
        "train: images/train\nnc: 2\nnames: ['cat', 'dog']\n",
        "train: images/train\nnames: {1: dog, 0: cat}\n",
    ],
)
def test_data_yaml_may_say_in_many_ways_where_the_pictures_are(tmp_path: Path, data: str) -> None:
    root = make_yolo(tmp_path / "a", data=data)
    (root / "train.txt").write_text("./images/train/1.jpg\nimages/train/2.jpg\n")
    for path in (root, root / "data.yaml"):
        images, notes = read(path)
        assert [image.name for image in images] == ["images/train/1.jpg", "images/train/2.jpg"]
        assert [len(image.objects) for image in images] == [1, 0]
        assert notes == []


def test_data_yaml_may_lie_outside_of_the_dataset(tmp_path: Path) -> None:
    root = make_yolo(tmp_path / "data")
    moved = tmp_path / "yamls" / "data.yaml"
    moved.parent.mkdir()
    (root / "data.yaml").rename(moved)
    moved.write_text(f"path: ../data\ntrain: images/train\n{NAMES}")
    images, _notes = read(moved)
    assert [image.name for image in images] == ["images/train/1.jpg", "images/train/2.jpg"]


def test_labels_beside_the_pictures_and_a_list_of_classes_are_read(tmp_path: Path) -> None:
    """As labelImg writes them."""
    (tmp_path / "1.jpg").write_bytes(jpeg_bytes(1))
    (tmp_path / "1.txt").write_text(WHOLE)
    (tmp_path / "classes.txt").write_text("cat\ndog\n")
    (item,), notes = fit(tmp_path)
    assert (item.source.class_name, notes) == ("cat", [])


def test_labels_without_a_picture_and_sets_without_pictures_are_named(tmp_path: Path) -> None:
    root = make_yolo(tmp_path, data=f"train: images/train\nval: images/val\n{NAMES}")
    (root / "labels/train/9.txt").write_text(WHOLE)
    _images, notes = read(root)
    assert list_rules(notes) == [
        "file left out: set without pictures",
        "file left out: labels without a picture",
    ]
    assert notes[1].place == "labels/train/9.txt"


def test_shares_are_of_the_picture_as_it_is_seen(tmp_path: Path) -> None:
    root = make_yolo(tmp_path, "0 0.5 0.25 1 0.5\n")
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (60, 40)).save(root / "images/train/1.jpg", exif=exif)
    images, _notes = read(root)
    assert images[0].size_wh == (40, 60)
    assert fit_image(images[0], (40, 60)).objects[0].box == VocBox(1, 1, 40, 30)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"data.yaml": "names: [cat\ntrain: x"}, "cannot be read"),
        ({"data.yaml": "names: 5\n"}, "expected names with a class for each number"),
        ({"data.yaml": "names:\n  a: cat\n"}, "expected names with a class for each number"),
        ({"data.yaml": "names:\n  a: cat\n\x00"}, "cannot be read"),
    ],
)
def test_classes_that_cannot_be_read_are_one_sentence(
    tmp_path: Path, files: Mapping[str, str], says: str
) -> None:
    root = make_yolo(tmp_path)
    for name, text in files.items():
        (root / name).write_text(text)
    with pytest.raises(DatasetError, match=says):
        open_dataset(root)


def test_a_label_file_that_is_no_text_costs_its_image(tmp_path: Path) -> None:
    root = make_yolo(tmp_path)
    (root / LABEL).write_bytes(b"\xff\xfe\x00")
    images, _notes = read(root)
    assert images[0].reason == "1.txt is no text in UTF-8"
    assert images[1].reason is None


def test_a_mixture_of_forms_is_named(tmp_path: Path) -> None:
    root = make_yolo(tmp_path)
    (root / "a.json").write_text('{"images": [], "annotations": [], "categories": []}')
    dataset = open_dataset(root)
    assert dataset.form == "COCO"
    assert "files of YOLO are there, too, such as data.yaml" in dataset.notes[-1].message
    dataset.close()
    images, notes = read(root, "yolo")
    assert len(images) == 2
    assert "files of COCO are there" in notes[-1].message


def test_files_that_supervision_writes_are_read_whole(tmp_path: Path) -> None:
    import supervision as sv

    root = make_yolo(tmp_path / "in")
    path = str(root / "images/train/1.jpg")
    corners = np.array([[9, 4, 29, 14], [1, 2, 5, 7]], np.float32)
    detections = sv.Detections(xyxy=corners, class_id=np.array([0, 1]))
    dataset = sv.DetectionDataset(["cat", "dog"], [path], {path: detections})
    out = tmp_path / "out"
    dataset.as_yolo(str(out / "images"), str(out / "labels"), str(out / "data.yaml"))
    objects, notes = fit(out)
    assert [item.box for item in objects] == [VocBox(10, 5, 29, 14), VocBox(2, 3, 5, 7)]
    assert [item.source.class_name for item in objects] == ["cat", "dog"]
    assert notes == []


def test_keypoints_are_kept_as_text_and_are_no_outline(tmp_path: Path) -> None:
    data = f"train: images/train\nkpt_shape: [4, 2]\n{NAMES}"
    line = f"{WHOLE.strip()} 0.1 0.1 0.2 0.1 0.9 0.9 0.1 0.2\n"
    (item,), notes = fit(make_yolo(tmp_path, line, data))
    assert (item.box, item.rings) == (VocBox(16, 11, 45, 30), ())
    assert item.attributes == {"keypoints": "0.1 0.1 0.2 0.1 0.9 0.9 0.1 0.2"}
    assert notes == []


def test_shares_of_a_tiff_are_of_the_picture_as_it_is_seen(tmp_path: Path) -> None:
    root = make_yolo(tmp_path, "0 0.5 0.25 1 0.5\n")
    exif = Image.Exif()
    exif[0x0112] = 6
    (root / "images/train/1.jpg").unlink()
    Image.new("RGB", (60, 40)).save(root / "images/train/1.tif", exif=exif)
    images, _notes = read(root)
    assert [image.size_wh for image in images if image.objects] == [(40, 60)]


def test_a_picture_that_is_none_costs_its_image(tmp_path: Path) -> None:
    root = make_yolo(tmp_path)
    (root / "images/train/1.jpg").unlink()
    os.mkfifo(root / "images/train/1.jpg")
    images, _notes = read(root)
    assert "it is something else" in (images[0].reason or "")
    assert images[1].reason is None


def test_names_that_are_lists_of_lists_are_no_classes(tmp_path: Path) -> None:
    """Aliases in lists of lists stand for more text than any memory holds."""
    nested = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    data = f"a0: &a0 [x]\n{nested}train: [*a29, images/train]\nnames: [cat, *a29]\n"
    images, notes = read(make_yolo(tmp_path, data=data))
    assert [item.class_name for image in images for item in image.objects] == ["cat"]
    assert list_rules(notes) == ["file left out: set without pictures"]
