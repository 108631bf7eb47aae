"""A tree as Open Images' tables: boxes, flags, and what is known of whole images."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.trees import CAT, HARD_CAT, PERSON, annotation, make_tree, write
from vockit.command import main
from vockit.foreign.datasets.fitting import fit_image
from vockit.foreign.datasets.open_images import OpenImagesDataset
from vockit.foreign.datasets.opening import open_dataset
from vockit.foreign.tree_images import TreeContent, read_size

Row = dict[str, str]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "in")


def convert(tree: Path, out: Path, *options: str) -> str:
    words = ["convert", str(tree), str(out), "--to", "open-images", *options]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return done.output


def read_rows(out: Path, name: str) -> list[Row]:
    with (out / "annotations" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_our_reader_finds_the_boxes_flags_and_pictures_of_the_tree(
    content: TreeContent, open_images: Path
) -> None:
    dataset = open_dataset(open_images)
    assert isinstance(dataset, OpenImagesDataset)
    read = list(dataset.iterate_images())
    assert [image.reason for image in read] == [None] * len(read)
    read_objects = Counter(
        (Path(image.name).stem, item.source.class_name, item.box, item.source.occluded)
        for image in read
        for item in fit_image(image, read_size(open_images / image.name)).objects
    )
    drawn = Counter(
        (image.image_id, item.name, item.box, bool(item.occluded))
        for image in content.images
        for item in image.objects
    )
    assert read_objects == drawn
    assert {Path(image.name).parent.name for image in read} == {"train", "validation", "test"}
    assert [note.rule for note in dataset.notes] == ["another table"] * 3
    dataset.close()


def test_flags_are_those_of_the_file_and_unknown_where_nobody_was_asked(
    tree: Path, tmp_path: Path
) -> None:
    convert(tree, tmp_path / "out")
    row, *_ = read_rows(tmp_path / "out", "train-annotations-bbox.csv")
    flags = {name: row[name] for name in row if name.startswith("Is")}
    assert flags == {
        "IsOccluded": "0",
        "IsTruncated": "0",
        "IsGroupOf": "-1",
        "IsDepiction": "-1",
        "IsInside": "-1",
    }
    assert (row["ImageID"], row["LabelName"], row["Confidence"]) == ("2012_000001", "cat", "1")


def test_a_box_around_a_group_is_named_by_the_release_and_stays(tree: Path, tmp_path: Path) -> None:
    objects = [{"number": 1, "class": "cat", "group_of": True}, {"number": 2, "class": "person"}]
    images = [{"id": "2012_000002", "objects": objects}]
    write(tree.parents[1] / "release.json", json.dumps({"images": images}))
    output = convert(tree, tmp_path / "out")
    rows = read_rows(tmp_path / "out", "train-annotations-bbox.csv")
    of_group = [row for row in rows if row["ImageID"] == "2012_000002"]
    assert [(row["LabelName"], row["IsGroupOf"]) for row in of_group] == [
        ("cat", "1"),
        ("person", "0"),
    ]
    assert "difficult, for which Open Images has no flag" in output  # of another image


def test_difficult_objects_are_left_out_unless_they_are_wanted(tree: Path, tmp_path: Path) -> None:
    left_out = convert(tree, tmp_path / "out")
    assert "Left out 2 objects: difficult, for which Open Images has no flag" in left_out
    assert "Left out" not in convert(tree, tmp_path / "all", "--with-difficult")


def test_labels_of_whole_images_say_what_is_there_what_is_not_and_nothing_unasked(
    tree: Path, tmp_path: Path
) -> None:
    for image_id, objects in (
        ("2012_000001", (CAT,)),
        ("2012_000002", (HARD_CAT, PERSON)),
        ("2012_000003", (PERSON,)),
    ):
        write(tree / f"Annotations/{image_id}.xml", annotation(image_id, objects))
    path = tree / "ImageSets/Main/cat_val.txt"
    path.write_text("")
    write(
        tree / "ImageSets/Main/cat_trainval.txt",
        (tree / "ImageSets/Main/cat_train.txt").read_text(),
    )
    convert(tree, tmp_path / "out")
    labels = [
        (row["ImageID"][-1], row["LabelName"], row["Confidence"])
        for name in ("train", "validation")
        for row in read_rows(tmp_path / "out", f"{name}-annotations-human-imagelabels.csv")
        if row["ImageID"] != "2012_000005" and row["LabelName"] in ("cat", "person")
    ]
    assert labels == [
        ("1", "cat", "1"),
        ("1", "person", "0"),
        ("2", "person", "1"),  # its cat is difficult and left out
        ("3", "person", "1"),  # nobody asked about cats
    ]


def test_names_with_commas_and_quotes_come_back(tree: Path, tmp_path: Path) -> None:
    for path in (tree / "Annotations").iterdir():
        path.write_text(path.read_text().replace("<name>cat<", '<name>cat, "wild"<'))
    convert(tree, tmp_path / "out")
    dataset = open_dataset(tmp_path / "out")
    assert 'cat, "wild"' in dataset.words
    dataset.close()


def test_box_edges_are_shares_of_the_picture(tree: Path, tmp_path: Path) -> None:
    write(tree / "Annotations/2012_000001.xml", annotation("2012_000001", (CAT,)))
    convert(tree, tmp_path / "out")
    row, *_ = read_rows(tmp_path / "out", "train-annotations-bbox.csv")
    width, height = read_size(tree / "JPEGImages/2012_000001.jpg")
    edges = [float(row[name]) for name in ("XMin", "XMax", "YMin", "YMax")]
    box = CAT.box
    assert edges == pytest.approx(
        [(box.xmin - 1) / width, box.xmax / width, (box.ymin - 1) / height, box.ymax / height]
    )
