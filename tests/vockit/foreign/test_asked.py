"""What was asked of a tree's images, and images of tasters alone, in each other form."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tests.trees import make_tree, write
from vockit.foreign.tree_images import load_tree
from vockit.format import tree
from vocparty import main


@pytest.fixture
def asked_in_part(tmp_path: Path) -> Path:
    """A tree of which nobody was asked whether the third image shows a cat, the fourth a person.

    Its fifth image, in training, and its sixth, in validation, are of Action alone.
    """
    root = make_tree(tmp_path)
    for name in ("val", "trainval"):
        path = root / "ImageSets/Main" / f"cat_{name}.txt"
        lines = [line for line in path.read_text().splitlines() if "000003" not in line]
        path.write_text("".join(f"{line}\n" for line in lines))
    write(root / "ImageSets/Main/person_test.txt", "")
    return root


def convert(root: Path, out: Path, form: str, *options: str, status: int = 0) -> str:
    words = ["convert", str(root), str(out), "--to", form, *options]
    run = CliRunner().invoke(main, words)
    assert run.exit_code == status, run.output
    return run.output


def read_coco(out: Path, set_name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        (out / f"annotations/instances_{set_name}.json").read_text()
    )
    return document


def list_files(out: Path, folder: str) -> list[str]:
    return sorted(path.stem[-1] for path in (out / "labels" / folder).iterdir())


def test_a_loaded_image_has_its_lists_and_the_classes_that_were_not_asked(
    asked_in_part: Path,
) -> None:
    content = load_tree(asked_in_part)
    by_number = {image.image_id[-1]: image for image in content.images}
    sets = " ".join(by_number[number].set_name for number in "123456")
    assert sets == "train train val test unlisted unlisted"
    assert by_number["1"].lists == ("Main", "Segmentation")
    assert (by_number["5"].lists, by_number["5"].is_taster) == (("Action",), True)
    assert [sorted(by_number[number].unasked) for number in "1234"] == [[], [], ["cat"], ["person"]]
    assert by_number["5"].unasked == set(content.classes)
    assert not content.is_whole


def test_images_of_a_taster_get_its_sets_where_they_are_wanted(asked_in_part: Path) -> None:
    content = load_tree(asked_in_part, [tree.ACTION])
    assert [image.set_name for image in content.images[4:]] == ["train", "val"]


def test_a_tree_without_lists_in_main_has_the_sets_of_its_other_folders(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    for path in (root / "ImageSets/Main").iterdir():
        path.unlink()
    content = load_tree(root)
    assert [image.set_name for image in content.images][:3] == ["train", "train", "val"]
    assert content.images[3].set_name == "unlisted"


def test_coco_says_as_lvis_what_was_asked(asked_in_part: Path, tmp_path: Path) -> None:
    convert(asked_in_part, tmp_path / "coco", "coco")
    train, val, test, unlisted = (
        read_coco(tmp_path / "coco", name) for name in ("train", "val", "test", "unlisted")
    )
    cat, person = (
        next(entry["id"] for entry in val["categories"] if entry["name"] == name)
        for name in ("cat", "person")
    )
    everything = {entry["id"] for entry in val["categories"]}

    def answers(document: dict[str, Any]) -> Sequence[tuple[set[int], list[int]]]:
        return [
            (everything - set(image["neg_category_ids"]), image["not_exhaustive_category_ids"])
            for image in document["images"]
        ]

    assert answers(train) == [({cat}, []), ({cat, person}, [])]
    assert answers(val) == [({cat, person}, [])]  # a person, and perhaps a cat
    assert answers(test) == [({cat, person}, [])]
    assert answers(unlisted) == [(everything, [person])] * 2


def test_coco_of_a_tree_of_which_all_was_asked_has_no_fields_of_lvis(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    for path in (root / "ImageSets/Action").iterdir():
        path.unlink()
    convert(root, tmp_path / "coco", "coco")
    assert "neg_category_ids" not in read_coco(tmp_path / "coco", "train")["images"][0]


def test_yolo_leaves_out_images_that_were_not_asked_about_every_class(
    asked_in_part: Path, tmp_path: Path
) -> None:
    said = convert(asked_in_part, tmp_path / "yolo", "yolo")
    assert "not asked about every class, and --with-unasked is not given" in said
    assert "Skipped 2 images" in said
    assert list_files(tmp_path / "yolo", "train") == ["1", "2"]
    assert list_files(tmp_path / "yolo", "unlisted") == ["5", "6"]
    assert not (tmp_path / "yolo/labels/val").exists()
    convert(asked_in_part, tmp_path / "all", "yolo", "--with-unasked", "--also", "Action")
    assert list_files(tmp_path / "all", "train") == ["1", "2", "5"]
    assert list_files(tmp_path / "all", "val") == ["3", "6"]


def test_columns_of_the_table_say_which_lists_an_image_is_in_and_what_was_not_asked(
    asked_in_part: Path, tmp_path: Path
) -> None:
    convert(asked_in_part, tmp_path / "table", "parquet")
    rows = pq.read_table(tmp_path / "table/objects.parquet").to_pylist()
    row_of = {row["image_id"][-1]: row for row in rows}
    assert (row_of["1"]["lists"], row_of["1"]["not_asked"]) == (["Main", "Segmentation"], [])
    assert (row_of["3"]["lists"], row_of["3"]["not_asked"]) == (["Main", "Layout"], ["cat"])
    assert (row_of["5"]["set"], row_of["5"]["lists"]) == ("unlisted", ["Action"])
    assert len(row_of["5"]["not_asked"]) == 20
