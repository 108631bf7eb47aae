"""COCO's files are read as they are, and what is wrong with a row costs that row alone."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pycocotools import mask as coco_mask

from tests.party_rows import HEIGHT, WIDTH
from vockit.foreign.datasets.fitting import FittedObject, fit_image
from vockit.foreign.datasets.opening import open_dataset
from vockit.foreign.datasets.values import ForeignImage, Note
from vockit.format.records import VocBox
from vockit.format.rings import fill

from .cocos import LABELS, box, make_coco

SIZE = (WIDTH, HEIGHT)


def read(root: Path) -> tuple[list[ForeignImage], list[Note]]:
    dataset = open_dataset(root)
    try:
        return list(dataset.iterate_images()), dataset.notes
    finally:
        dataset.close()


def fit(root: Path) -> tuple[list[FittedObject], list[Note]]:
    images, notes = read(root)
    fitted = [fit_image(image, SIZE) for image in images]
    objects = [item for image in fitted for item in image.objects]
    return objects, [*notes, *(note for image in fitted for note in image.notes)]


def list_rules(notes: list[Note]) -> list[str]:
    return [f"{note.kind.value}: {note.rule}" for note in notes]


def test_boxes_flags_and_classes_are_those_of_the_file(tmp_path: Path) -> None:
    crowd = box(2, [1, 2, 3, 4], 2, 2, iscrowd=1)
    seen = box(3, [0, 0, 60, 40], 2, 1, attributes={"occluded": True, "pose": "Left", "hue": 3})
    root = make_coco(tmp_path, [box(1, [9, 4, 20, 10]), crowd, seen])
    dataset = open_dataset(root)
    assert dataset.form == "COCO"
    assert dataset.words == Counter(cat=2, dog=1)
    assert dataset.count_images() == 2
    dataset.close()
    objects, notes = fit(root)
    assert [item.box for item in objects] == [
        VocBox(10, 5, 29, 14),
        VocBox(2, 3, 4, 6),
        VocBox(1, 1, 60, 40),
    ]
    assert [item.source.class_name for item in objects] == ["cat", "dog", "cat"]
    assert [item.source.difficult for item in objects] == [False, True, False]
    assert (objects[2].source.occluded, objects[2].source.view) == (True, "Left")
    assert [item.source.place for item in objects][:1] == [f"{LABELS}, annotation 1"]
    assert [item.attributes for item in objects] == [{}, {}, {"hue": "3"}]
    assert notes == []


@pytest.mark.parametrize(
    ("given", "is_on", "stated"),
    [
        (True, True, True),
        ("Yes", True, True),
        ("1.0", True, True),
        (0, False, True),
        ("no", False, True),
        ("partly", False, False),
        (["a", "b"], False, False),
        (None, False, False),
    ],
)
def test_a_flag_is_yes_or_no_and_what_is_neither_stays_an_attribute(
    tmp_path: Path, given: object, is_on: bool, stated: bool
) -> None:
    rows = [box(1, [9, 4, 20, 10], attributes={"occluded": given})]
    (item,), _notes = fit(make_coco(tmp_path, rows))
    assert (item.source.occluded, "occluded" in item.source.stated) == (is_on, stated)
    assert ("occluded" in item.attributes) == (not stated and given is not None)


def test_attributes_whose_names_begin_alike_cost_no_others(tmp_path: Path) -> None:
    long = "n" * 100
    rows = [box(1, [9, 4, 20, 10], attributes={f"{long}a": "1", f"{long}b": "2", "hue": "red"})]
    (item,), notes = fit(make_coco(tmp_path, rows))
    assert item.attributes == {long: "1", "hue": "red"}
    assert notes[0].message == "it has 3 attributes, of which 2 with different names are kept"


def test_of_attributes_without_end_the_first_are_kept_and_the_rest_is_named(tmp_path: Path) -> None:
    many = {f"{number} {'n' * 200}": "v" * 2_000 for number in range(60)}
    nested = {"seen by": ["ann", "sam"], "wet": True}
    (first, second), notes = fit(
        make_coco(
            tmp_path,
            [box(1, [9, 4, 20, 10], attributes=many), box(2, [9, 4, 20, 10], attributes=nested)],
        )
    )
    assert len(first.attributes) == 50
    assert {(len(name), len(text)) for name, text in first.attributes.items()} == {(100, 1_000)}
    assert second.attributes == {"seen by": '["ann", "sam"]', "wet": "true"}
    assert list_rules(notes) == ["not kept: attributes", "changed: attributes cut"]
    assert notes[0].message == ("it has 60 attributes, of which 50 with different names are kept")


@pytest.mark.parametrize(
    ("bbox", "becomes", "rule"),
    [
        ([9.3, 4.4, 20.1, 10.2], VocBox(10, 5, 29, 15), "changed: rounded"),
        ([-1, -1, 65, 49], VocBox(1, 1, 60, 40), "changed: border"),
        ([39, 29, -34, -23], VocBox(6, 7, 39, 29), "changed: negative size"),
        ([4.1, 4.1, 0.2, 0.2], VocBox(5, 5, 5, 5), "changed: rounded"),
        ([100, 100, 5, 5], None, "object left out: box"),
        ([5, 5, 0, 5], None, "object left out: box"),
        ([float("nan"), 5, 5, 5], None, "object left out: box"),
        ([5, 5, float("inf"), 5], None, "object left out: box"),
        ([1e300, 5, 1e300, 5], None, "object left out: box"),
        ([5, 5, 5], None, "object left out: no box"),
        ([5, 5, 5, "x"], None, "object left out: no box"),
        (None, None, "object left out: no box"),
        ("1 2 3 4", None, "object left out: no box"),
    ],
)
def test_a_box_is_corrected_or_left_out_and_named(
    tmp_path: Path, bbox: object, becomes: VocBox | None, rule: str
) -> None:
    root = make_coco(tmp_path, [box(1, bbox), box(2, [1, 1, 5, 5])])
    objects, notes = fit(root)
    corrected = [becomes] if becomes else []
    assert [item.box for item in objects] == [*corrected, VocBox(2, 2, 6, 6)]
    assert list_rules(notes) == [rule]
    assert notes[0].place == f"{LABELS}, annotation 1"


def make_mask() -> NDArray[np.uint8]:
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mask[5:20, 10:30] = 1
    mask[8:12, 12:20] = 0
    mask[30:33, 40:44] = 1
    return mask


def pack(mask: NDArray[np.uint8]) -> dict[str, Any]:
    packed = coco_mask.encode(np.asfortranarray(mask))
    return {"size": list(packed["size"]), "counts": packed["counts"].decode()}


def unpack(mask: NDArray[np.uint8]) -> dict[str, Any]:
    flat = mask.ravel(order="F")
    ends = [0, *(np.flatnonzero(np.diff(flat)) + 1).tolist(), flat.size]
    counts = np.diff(ends).tolist()
    return {"size": list(mask.shape), "counts": counts}


@pytest.mark.parametrize("form", [pack, unpack])
def test_run_lengths_become_rings_of_the_same_pixels(tmp_path: Path, form: Any) -> None:
    row = box(1, [10, 5, 34, 28], iscrowd=1, segmentation=form(make_mask()))
    (item,), notes = fit(make_coco(tmp_path, [row]))
    assert notes == []
    assert (fill(item.rings, *SIZE) == make_mask().astype(bool)).all()


def test_polygons_that_overlap_are_joined(tmp_path: Path) -> None:
    parts = [[5, 5, 20, 5, 20, 20, 5, 20], [10, 10, 30, 10, 30, 30, 10, 30]]
    (item,), _notes = fit(make_coco(tmp_path, [box(1, [5, 5, 25, 25], segmentation=parts)]))
    expected = np.zeros((HEIGHT, WIDTH), bool)
    expected[5:20, 5:20] = True
    expected[10:30, 10:30] = True
    assert (fill(item.rings, *SIZE) == expected).all()


def test_a_polygon_alone_tells_its_box(tmp_path: Path) -> None:
    row = box(1, [], segmentation=[[5, 5, 20, 5, 20, 20]])
    (item,), _notes = fit(make_coco(tmp_path, [row]))
    assert item.box == VocBox(6, 6, 20, 20)


@pytest.mark.parametrize(
    ("segmentation", "rule"),
    [
        ([[5, 5, 20, 5]], "not kept: outline"),
        ([[5, 5, 20, 5, 20]], "not kept: outline"),
        ([[5, 5, 20, 5, float("nan"), 20]], "not kept: outline"),
        ([[500, 500, 520, 500, 520, 520]], "not kept: outline"),
        ([[5, 5, 20, 5, 20, 5]], "not kept: outline"),
        ([["a", "b", "c", "d", "e", "f"]], "not kept: outline"),
        ([[5, 5, 20, 5, None, 20]], "not kept: outline"),
        ([[5, 5, 20, 5, 10**400, 20]], "not kept: outline"),
        ({"size": [40, 61], "counts": [2440]}, "not kept: outline"),
        ({"size": [40, 60], "counts": [2, 3]}, "not kept: outline"),
        ({"size": [40, 60], "counts": "\x7f\x7f"}, "not kept: outline"),
        ({"size": "large"}, "not kept: outline"),
        (5, "not kept: outline"),
        ([[-5, 5, 20, 5, 20, 20]], "changed: outline"),
    ],
)
def test_an_outline_that_is_none_leaves_the_box(
    tmp_path: Path, segmentation: object, rule: str
) -> None:
    root = make_coco(tmp_path, [box(1, [5, 5, 15, 15], segmentation=segmentation)])
    (item,), notes = fit(root)
    assert item.box == VocBox(6, 6, 20, 20)
    assert list_rules(notes) == [rule]
    assert bool(item.rings) is rule.startswith("changed")


@pytest.mark.parametrize(
    ("categories", "words", "rules"),
    [
        ([{"id": 1}], {}, ["object left out: category without a name"]),
        ([{"id": 1, "name": " "}], {}, ["object left out: category without a name"]),
        ([], {}, []),
        (
            [{"id": 1, "name": "cat"}, {"id": 1, "name": "dog"}],
            {},
            ["object left out: two categories of one id"],
        ),
        (
            [{"id": 1, "name": "cat"}, {"id": 2, "name": "cat"}],
            {"cat": 1},
            ["changed: one name twice"],
        ),
        ([{"id": "1", "name": "cat"}], {"cat": 1}, []),
    ],
)
def test_categories_without_one_name_cost_their_objects(
    tmp_path: Path, categories: list[Any], words: dict[str, int], rules: list[str]
) -> None:
    root = make_coco(tmp_path, [box(1, [1, 1, 5, 5])], categories=categories)
    dataset = open_dataset(root)
    assert dataset.words == Counter(words)
    assert list_rules(dataset.notes) == rules
    dataset.close()
    assert len(fit(root)[0]) == sum(words.values())


def test_ids_as_text_are_the_same_as_numbers(tmp_path: Path) -> None:
    objects, notes = fit(make_coco(tmp_path, [box(1, [1, 1, 5, 5], "1", "2")]))
    assert [item.source.class_name for item in objects] == ["dog"]
    assert notes == []


def test_objects_of_one_id_get_names_of_their_own(tmp_path: Path) -> None:
    objects, notes = fit(make_coco(tmp_path, [box(1, [1, 1, 5, 5]), box(1, [2, 2, 5, 5])]))
    assert [item.source.key for item in objects] == ["coco-1", "coco-1-2"]
    assert list_rules(notes) == ["changed: id"]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"id": 1, "file_name": "gone.jpg"}], "its picture is not in the folder"),
        ([{"id": 1, "file_name": "../../outside.jpg"}], "its picture is not in the folder"),
        ([{"id": 1, "file_name": "/etc/passwd"}], "its picture is not in the folder"),
        (
            [{"id": 1, "file_name": "1.jpg"}, {"id": 1, "file_name": "2.jpg"}],
            "2 images of the file have its id",
        ),
        (
            [{"id": 2, "file_name": "1.jpg"}, {"id": 1, "file_name": "1.jpg"}],
            "its picture came already",
        ),
    ],
)
def test_an_image_that_is_not_one_picture_has_a_reason(
    tmp_path: Path, rows: list[Any], reason: str
) -> None:
    (tmp_path / "outside.jpg").write_bytes(b"")
    root = make_coco(tmp_path / "a" / "b", [box(1, [1, 1, 5, 5])], rows=rows)
    images, _notes = read(root)
    assert reason in (images[-1].reason or "")


def test_rows_that_are_none_are_named_and_the_rest_comes(tmp_path: Path) -> None:
    annotations = [box(1, [1, 1, 5, 5]), 7, {"id": 5}, box(2, [1, 1, 5, 5], 99)]
    root = make_coco(tmp_path, annotations)
    objects, notes = fit(root)
    assert len(objects) == 1
    assert list_rules(notes) == [
        "object left out: no object of JSON",
        "object left out: without an image",
        "object left out: without an image",
    ]


def test_a_cut_file_is_left_out_whole_and_another_one_comes(tmp_path: Path) -> None:
    root = make_coco(tmp_path, [box(1, [1, 1, 5, 5])])
    whole = (root / LABELS).read_text()
    (root / "annotations/instances_cut.json").write_text(whole[:-20])
    objects, notes = fit(root)
    assert len(objects) == 1
    assert list_rules(notes) == ["file left out: no whole JSON"]
    assert notes[0].place == "annotations/instances_cut.json"
    assert "it is cut off" in notes[0].message


def test_files_that_list_the_same_pictures_again_are_named_once(tmp_path: Path) -> None:
    """As the captions and keypoints of COCO do, and the masks that `convert` writes beside."""
    root = make_coco(tmp_path, [box(1, [1, 1, 5, 5])])
    captions = json.loads((root / LABELS).read_text())
    captions["annotations"] = [{"id": 1, "image_id": 1, "caption": "a cat"}]
    del captions["categories"]
    (root / "annotations/captions_train.json").write_text(json.dumps(captions))
    images, notes = read(root)
    assert [image.reason for image in images] == [None, None]
    assert list_rules(notes) == ["file left out: the same pictures"]
    assert notes[0].place == "annotations/captions_train.json"


@pytest.mark.parametrize(
    "layout", ["train/{}", "images/train/{}", "images/{}", "{}", "other/deep/{}"]
)
def test_pictures_are_found_where_tools_put_them(tmp_path: Path, layout: str) -> None:
    root = make_coco(tmp_path, [box(1, [1, 1, 5, 5])], images=1)
    place = root / layout.format("1.jpg")
    place.parent.mkdir(parents=True, exist_ok=True)
    (root / "train/1.jpg").rename(place)
    (image,), _notes = read(root)
    assert image.picture == place


def test_a_file_may_be_named_from_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_coco(tmp_path, [box(1, [1, 1, 5, 5])])
    monkeypatch.chdir((root / LABELS).parent)
    images, _notes = read(Path(Path(LABELS).name))
    assert [image.reason for image in images] == [None, None]
    assert images[0].place == f"{LABELS}, image 1"


def test_accents_may_be_composed_in_one_place_and_not_in_the_other(tmp_path: Path) -> None:
    rows = [{"id": 1, "file_name": "caf\u00e9.jpg"}]
    root = make_coco(tmp_path, [box(1, [1, 1, 5, 5])], images=1, rows=rows)
    (root / "train/1.jpg").rename(root / "train/cafe\u0301.jpg")
    (image,), _notes = read(root)
    assert image.reason is None


def test_a_file_that_supervision_writes_is_read_whole(tmp_path: Path) -> None:
    import supervision as sv

    root = make_coco(tmp_path / "in")
    paths = [str(root / "train/1.jpg"), str(root / "train/2.jpg")]
    corners = np.array([[9, 4, 29, 14], [1, 2, 5, 7]], np.float32)
    detections = sv.Detections(xyxy=corners, class_id=np.array([0, 1]))
    labels = {paths[0]: detections, paths[1]: sv.Detections.empty()}
    dataset = sv.DetectionDataset(["cat", "dog"], paths, labels)
    out = tmp_path / "out"
    dataset.as_coco(str(out / "images"), str(out / "labels.json"))
    objects, notes = fit(out)
    assert [item.box for item in objects] == [VocBox(10, 5, 29, 14), VocBox(2, 3, 5, 7)]
    assert [item.source.class_name for item in objects] == ["cat", "dog"]
    assert list_rules(notes) == []


def test_memory_does_not_grow_with_the_annotations(tmp_path: Path) -> None:
    """What is held is the images; 40,000 annotations of 1 kB each stay on the disk."""
    import tracemalloc

    padding = {"attributes": {"text": "x" * 1_000}}
    annotations = [box(number, [1, 1, 5, 5], **padding) for number in range(40_000)]
    root = make_coco(tmp_path, [])
    document = json.loads((root / LABELS).read_text())
    (root / LABELS).write_text(json.dumps(document | {"annotations": annotations}))
    del annotations
    tracemalloc.start()
    dataset = open_dataset(root)
    _held, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert dataset.words == Counter(cat=40_000)
    dataset.close()
    assert most < 20_000_000


def test_the_file_that_holds_masks_again_is_named_and_passed_over(tmp_path: Path) -> None:
    """`vocparty convert` writes it next to the other one, for pycocotools."""
    root = make_coco(tmp_path, [box(1, [9, 4, 20, 10])])
    (path,) = root.rglob("*.json")
    images, _notes = read(root)
    path.with_name(f"{path.stem}_masks.json").write_bytes(path.read_bytes())
    images_again, notes = read(root)
    assert images_again == images
    assert list_rules(notes) == ["file left out: the same pictures"]
    path.rename(path.with_name("other.json"))
    assert [image.reason for image in read(root)[0]].count(None) == len(images)


def test_numbers_and_names_that_no_database_takes_cost_nothing_else(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "file_name": "1.jpg", "width": 10**30, "height": 1e300},
        {"id": "\ud800", "file_name": "\udce9.jpg", "width": WIDTH, "height": HEIGHT},
        {"id": 2, "file_name": "2.jpg", "width": float(WIDTH), "height": float(HEIGHT)},
    ]
    root = make_coco(tmp_path, [box(1, [1, 1, 5, 5], 1), box(2, [1, 1, 5, 5], "\ud800")], rows=rows)
    images, _notes = read(root)
    assert [image.reason is None for image in images] == [True, False, True]
    assert [image.size_wh for image in images] == [None, None, (WIDTH, HEIGHT)]


def test_files_that_cannot_be_read_are_named_and_the_others_come(tmp_path: Path) -> None:
    """Editors leave links that lead to nothing beside the files that they have open."""
    root = make_coco(tmp_path, [box(1, [1, 1, 5, 5])])
    (root / "annotations/#instances.json").symlink_to("nobody@nowhere")
    os.mkfifo(root / "annotations/pipe.json")
    objects, notes = fit(root)
    assert len(objects) == 1
    assert list_rules(notes) == ["file left out: unreadable"]
