"""Results as COCO's JSON: read by names or ids, scored as the kit's text files are."""

import json
from pathlib import Path
from typing import Any

import pytest

from .small_tree import IDS, ROW, run, write, write_result

CAT_BOX = [9, 9, 51, 51]
"""The cat's box, 10 to 60 inclusive, from pixel edges."""


def detect(image: Any = IDS[0], category: Any = "cat", **fields: Any) -> dict[str, Any]:
    return {"image_id": image, "category_id": category, "bbox": CAT_BOX, "score": 0.9} | fields


def write_json(folder: Path, document: Any) -> str:
    path = folder / "detections.json"
    path.write_text(json.dumps(document))
    return str(path)


def evaluate(devkit: Path, results: str, *words: str) -> Any:
    return json.loads(run(str(devkit / "VOC2012"), "--results", results, "--json", *words))


def write_instances(folder: Path) -> str:
    path = folder / "instances_val.json"
    images = [
        {"id": 7 + number, "file_name": f"val/{image_id}.jpg"}
        for number, image_id in enumerate(IDS)
    ]
    categories = [{"id": 3, "name": "cat"}, {"id": 5, "name": "person"}]
    path.write_text(json.dumps({"images": images, "categories": categories, "annotations": []}))
    return str(path)


@pytest.mark.parametrize("image", [IDS[0], f"{IDS[0]}.jpg", f"images\\val\\{IDS[0]}.jpg"])
def test_images_are_known_by_the_names_of_their_files(devkit: Path, image: str) -> None:
    document = evaluate(devkit, write_json(devkit, [detect(image)]))
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{ROW}\n")
    text = evaluate(devkit, str(devkit / "results" / "VOC2012"))
    scored = document["tasks"]["detection"]["comp3"]
    assert scored == text["tasks"]["detection"]["comp3"]
    assert scored["missing"] == ["person"]
    assert scored["classes"]["cat"]["ap"] == 0.5


def test_numbers_are_those_of_the_instances_file(devkit: Path) -> None:
    instances = write_instances(devkit)
    by_number = write_json(devkit, [detect(7, 3), detect(8, 5, bbox=[0, 0, 50, 80])])
    document = evaluate(devkit, by_number, "--coco-ids", instances)
    by_name = write_json(devkit, [detect(), detect(IDS[1], "person", bbox=[0, 0, 50, 80])])
    assert document["tasks"] == evaluate(devkit, by_name)["tasks"]
    assert [
        document["tasks"]["detection"]["comp3"]["classes"][name]["ap"] for name in ("cat", "person")
    ] == [0.5, 0.5]


def test_cocos_ap_is_printed_next_to_vocs(devkit: Path) -> None:
    output = run(str(devkit / "VOC2012"), "--results", write_json(devkit, [detect()]))
    assert (
        "COCO's AP 0.5050, at 0.5 0.5050, at 0.75 0.5050, over 1 class; "
        "difficult objects count as crowds"
    ) in output
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{ROW}\n")
    assert "COCO's AP 0.5050" in run(str(devkit / "VOC2012"), "--coco")
    assert "COCO's AP" not in run(str(devkit / "VOC2012"))


def test_a_file_is_a_method_among_others(devkit: Path) -> None:
    good = write_json(devkit, [detect(), detect(IDS[2])])
    write(devkit / "base/Main/comp3_det_val_cat.txt", f"{ROW}\n")
    output = run(str(devkit / "VOC2012"), f"--method=ours={good}", f"--method=base={devkit}/base")
    assert "ours, comp3: COCO's AP 1.0000" in output
    assert "base, comp3: COCO's AP 0.5050" in output


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (detect("2012_999999"), "expected an image of the set val, got '2012_999999'"),
        (detect(7), "image_id 7 is unknown; name the instances file"),
        (detect(category=3), "category_id 3 is unknown; name the instances file"),
        (detect(category="zebra"), "expected a class of the tree, got 'zebra'"),
        (detect(score="0.9"), "expected a score and a bbox"),
        (detect(score=float("nan")), "expected a score and a bbox"),
        (detect(score=10**400), "expected a score and a bbox"),
        (detect(bbox=[1, 2, 10**400, 4]), "expected a score and a bbox"),
        (detect(bbox=[1, 2, 3]), "expected a score and a bbox"),
        (detect(bbox="1234"), "expected a score and a bbox"),
        (detect(bbox=[1, 2, -3, 4]), "expected a box with an area, got -3 x 4"),
        (detect(image=True), "image_id True is unknown"),
        (detect(image=[1]), "image_id [1] is unknown"),
        ({"image_id": 1}, "expected image_id, category_id, bbox and score"),
        ("text", "expected image_id, category_id, bbox and score"),
    ],
)
def test_a_detection_that_cannot_be_scored_is_named(
    devkit: Path, wrong: Any, sentence: str
) -> None:
    results = write_json(devkit, [detect(), wrong])
    output = run(str(devkit / "VOC2012"), "--results", results, status=1)
    assert f"{results}: detection 2: {sentence}" in output


def test_a_class_of_which_no_detection_can_be_scored_is_named_too(devkit: Path) -> None:
    results = write_json(devkit, [detect("2012_999999")])
    output = run(str(devkit / "VOC2012"), "--results", results, status=1)
    assert f"{results}: detection 1: expected an image of the set val" in output


def test_whole_numbers_with_a_point_are_ids_too(devkit: Path) -> None:
    instances = write_instances(devkit)
    expected = evaluate(devkit, write_json(devkit, [detect(7, 3)]), "--coco-ids", instances)
    results = write_json(devkit, [detect(7.0, 3.0)])
    assert evaluate(devkit, results, "--coco-ids", instances) == expected


@pytest.mark.parametrize("image", [6, 7.5, float("nan"), float("inf")])
def test_an_id_that_the_instances_file_lacks_is_named(devkit: Path, image: float) -> None:
    results = write_json(devkit, [detect(image, 3)])
    words = (str(devkit / "VOC2012"), "--results", results, "--coco-ids", write_instances(devkit))
    assert "is unknown; the file of --coco-ids has no such id" in run(*words, status=1)


@pytest.mark.parametrize(
    ("images", "sentence"),
    [
        ([{"id": 7, "file_name": 7}], "is no instances file of COCO"),
        ([{"id": [7], "file_name": "a.jpg"}], "is no instances file of COCO"),
        (["a.jpg"], "is no instances file of COCO"),
        (
            [{"id": 7, "file_name": "a.jpg"}, {"id": 7, "file_name": "b.jpg"}],
            "gives the id 7 twice, to 'a.jpg' and 'b.jpg'",
        ),
    ],
)
def test_an_instances_file_whose_ids_tell_nothing_is_refused(
    devkit: Path, images: Any, sentence: str
) -> None:
    instances = devkit / "instances.json"
    instances.write_text(json.dumps({"images": images, "categories": []}))
    results = write_json(devkit, [detect()])
    words = (str(devkit / "VOC2012"), "--results", results, "--coco-ids", str(instances))
    assert sentence in run(*words, status=1)


def test_detections_of_two_files_in_one_folder_are_painted_apart(devkit: Path) -> None:
    names = ("a", "b", "run.a", "run.b")
    for name in names:
        (devkit / f"{name}.json").write_text(json.dumps([detect()]))
    methods = [f"--method={name}={devkit / name}.json" for name in names]
    run(str(devkit / "VOC2012"), *methods, "--paint", "comp3")
    for name in names:
        assert list((devkit / name / "Segmentation" / "comp3_val_cls").glob("*.png"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"annotations": []}', "is no results file of COCO: expected a list"),
        ("[{", "is no JSON: "),
        ("[]", "holds no detection of the classes that were asked for"),
        ("[" * 100_000, "is no JSON"),
    ],
)
def test_a_file_that_holds_no_results_is_refused(devkit: Path, text: str, sentence: str) -> None:
    path = devkit / "detections.json"
    path.write_text(text)
    assert sentence in run(str(devkit / "VOC2012"), "--results", str(path), status=1)


def test_an_instances_file_without_images_is_refused(devkit: Path) -> None:
    results = write_json(devkit, [detect()])
    words = (str(devkit / "VOC2012"), "--results", results, "--coco-ids", results)
    assert "is no instances file of COCO" in run(*words, status=1)


def test_detections_are_no_other_competition(devkit: Path) -> None:
    results = write_json(devkit, [detect()])
    words = (str(devkit / "VOC2012"), "--results", results, "--competition", "comp1")
    assert "leave out --competition" in run(*words, status=2)
    comp4 = evaluate(devkit, results, "--competition", "comp4")
    assert set(comp4["tasks"]["detection"]) == {"comp4"}
