"""Files of detectors in the forms that are read: COCO, VOC and YOLO."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import SuggestionKind
from catalog.tables import Suggestion

from .loads import (
    add_image,
    boxed,
    entry,
    load,
    name_of,
    read_blanks,
    read_rows,
    read_sets,
    run,
    write_coco,
    write_voc,
)


def test_results_of_coco_are_loaded_with_their_model(any_party: Party, tmp_path: Path) -> None:
    image = add_image(any_party)
    path = write_coco(tmp_path / "r.json", [entry(image), entry(image, category_id="cat")])
    result = load(any_party, path, "--licence", "MIT", "--min-confidence", "0.25")
    assert result.exit_code == 0, result.output
    assert "Loaded set 1: 2 suggestions for 1 photograph." in result.output
    box = (48, 240, 195, 371)
    assert read_rows(any_party) == [
        (image.id, "person", box, 0.9),
        (image.id, "cat", box, 0.9),
    ]
    [group] = read_sets(any_party)
    assert (group.model, group.version, group.licence) == ("net", "1", "MIT")
    assert (group.kind, group.min_confidence) == (SuggestionKind.FILE, 0.25)
    assert (group.suggestions, group.images, group.left_out) == (2, 1, {})
    assert group.sha256 == digest_of(path.read_bytes())
    assert group.is_shown


def test_numbers_of_coco_need_the_file_that_has_them(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    path = write_coco(tmp_path / "r.json", [entry(image, image_id=7, category_id=3)])
    asked = load(party, path)
    assert asked.exit_code == 2
    assert "--coco-ids" in asked.output
    assert read_sets(party) == []
    ids = tmp_path / "ids.json"
    images = [{"id": 7, "file_name": name_of(image)}]
    ids.write_text(json.dumps({"images": images, "categories": [{"id": 3, "name": "dog"}]}))
    assert load(party, path, "--coco-ids", str(ids)).exit_code == 0
    assert [row[:2] for row in read_rows(party)] == [(image.id, "dog")]


def test_voc_results_are_loaded_by_class(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    folder = tmp_path / "results"
    folder.mkdir()
    stem = name_of(image).removesuffix(".jpg")
    for name, row in (("cat", "0.8 48 240 195 371"), ("dog", "0.7 1 1 500 375.2")):
        (folder / f"comp3_det_test_{name}.txt").write_text(f"{stem} {row}\n")
    (folder / "comp3_det_test_cow.txt").write_text("")
    assert load(party, folder).exit_code == 0
    assert read_rows(party) == [
        (image.id, "cat", (48, 240, 195, 371), 0.8),
        (image.id, "dog", (1, 1, 500, 375), 0.7),
    ]


def test_corners_that_may_be_counted_from_0_are_asked(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    stem = name_of(image).removesuffix(".jpg")
    path = tmp_path / "comp3_det_val_cat.txt"
    path.write_text(f"{stem} 0.8 0 0 99 99\n{stem} 0.7 0 5 99 99\n{stem} 0.6 1 5 99 99\n")
    asked = load(party, path)
    assert asked.exit_code == 2
    assert "2 boxes begin at pixel 0 and 1 at pixel 1" in asked.output
    assert (read_sets(party), read_rows(party)) == ([], [])
    warned = load(party, path, "--first-pixel", "1")
    assert "were taken as VOC's" in warned.output
    assert read_rows(party)[0][2] == (1, 1, 99, 99)
    assert run(party, "withdraw", "2").exit_code == 0
    quiet = load(party, path, "--first-pixel", "0")
    assert "begin at pixel" not in quiet.output
    assert [row[2] for row in read_rows(party)][3:] == [
        (1, 1, 100, 100),
        (1, 6, 100, 100),
        (2, 6, 100, 100),
    ]


def test_yolo_text_is_loaded_with_the_list_of_its_classes(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    stem = name_of(image).removesuffix(".jpg")
    folder = tmp_path / "labels"
    folder.mkdir()
    (folder / f"{stem}.txt").write_text(
        "1 0.5 0.5 0.2 0.4 0.83\n0 0.5 0.5 0.2 0.4\n7 .5 .5 .1 .1 .9\n1 .1 .2 .3\n\n"
    )
    asked = load(party, folder)
    assert asked.exit_code == 2
    assert "--classes" in asked.output
    (folder / "classes.txt").write_text("cat\ndog\n")
    result = load(party, folder)
    assert result.exit_code == 0, result.output
    box = (201, 114, 300, 263)
    assert read_rows(party) == [(image.id, "dog", box, 0.83), (image.id, "cat", box, 1.0)]
    assert read_sets(party)[0].left_out == {
        "a number of a class that the list does not have": 1,
        "a line that is no box": 1,
    }


def test_annotations_of_voc_are_loaded_as_sure(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    folder = tmp_path / "results"
    folder.mkdir()
    stem = name_of(image).removesuffix(".jpg")
    box = "<xmin>48</xmin><ymin>240</ymin><xmax>195</xmax><ymax>371</ymax>"
    thing = f"<object><name>cat</name><bndbox>{box}</bndbox></object>"
    (folder / f"{stem}.xml").write_text(
        f"<annotation><filename>{stem}.jpg</filename>{thing}<object><name>dog</name></object>"
        "</annotation>"
    )
    assert load(party, folder).exit_code == 0
    assert read_rows(party) == [(image.id, "cat", (48, 240, 195, 371), 1.0)]
    assert read_sets(party)[0].left_out == {"a line or an entry that cannot be read": 1}


def test_parts_are_counted_from_0_as_their_objects_are(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    head = boxed("part", "head", (0, 0, 19, 19))
    person = boxed("object", "person", (0, 0, 49, 59), head)
    folder = write_voc(tmp_path / "tree", image, [person])
    assert load(party, folder, "--first-pixel", "0").exit_code == 0
    assert read_rows(party) == [(image.id, "person", (1, 1, 50, 60), 1.0)]
    with party.catalogue.reading() as session:
        stored = session.scalars(select(Suggestion.parts)).one()
    assert stored == [{"part": "head", "box": [1, 1, 20, 20]}]


def test_an_empty_file_of_yolo_says_that_nothing_was_found(party: Party, tmp_path: Path) -> None:
    images = [add_image(party, number) for number in range(2)]
    folder = tmp_path / "labels"
    folder.mkdir()
    (folder / "classes.txt").write_text("person\n")
    for image, text in zip(images, ("0 0.5 0.5 0.2 0.2 0.9\n", ""), strict=True):
        (folder / name_of(image)).with_suffix(".txt").write_text(text)
    (folder / "notes.txt").write_text("")
    result = load(party, folder)
    assert result.exit_code == 0, result.output
    assert read_blanks(party) == [images[1].id]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("model.onnx", "no model", "vocparty suggest run"),
        ("r.json", "{}", "is no results file of COCO"),
        ("r.json", "[]", "holds no detection"),
        ("notes.md", "# Notes", "no detections in a form that is known"),
        ("comp3_det_val_cat.txt", "one two\n", "cannot be read"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_sentence(
    party: Party, tmp_path: Path, name: str, text: str, sentence: str
) -> None:
    (tmp_path / name).write_text(text)
    result = load(party, tmp_path / name)
    assert result.exit_code == 2
    assert sentence in result.output
    assert "Traceback" not in result.output
    assert read_sets(party) == []


def test_true_and_words_are_no_numbers(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    fine = entry(image)
    mask = {"size": [375, 500], "counts": [True, 375 * 500 - 1]}
    entries = [
        fine,
        fine | {"bbox": [True, 239, 148, 132]},
        fine | {"bbox": ["47", 239, 148, 132]},
        fine | {"bbox": "4791"},
        fine | {"score": True},
        fine | {"score": "0.9"},
        fine | {"segmentation": mask},
    ]
    path = write_coco(tmp_path / "r.json", entries)
    assert load(party, path).exit_code == 0
    assert read_rows(party) == [(image.id, "person", (48, 240, 195, 371), 0.9)]
    [group] = read_sets(party)
    assert sum(group.left_out.values()) == 6
