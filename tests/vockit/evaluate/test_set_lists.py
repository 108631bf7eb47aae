"""What the lists of a tree say of a set: images, classes and labels, each task by its own lists."""

import shutil
from pathlib import Path

import pytest

from tests.kit_reader import read_record
from vockit.evaluate.truth import open_truth
from vockit.foreign.tree_images import load_tree

from .small_tree import (
    IDS,
    ROW,
    run,
    score,
    write,
    write_cats,
    write_masks,
    write_result,
)

SAMPLES = Path(__file__).parents[4] / "shared" / "samples" / "voc2012"
MAIN = ("2007_000027", "2007_000032", "2008_002045")
SEGMENTED = ("2007_000032", "2007_000063", "2007_000129")
"""Of these, Main lists one; VOC2012 has more such images."""
PERFORMING = "2011_003353"
"""In Action alone: one person was annotated, with an action and a point."""
PARTED = "2007_000027"


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A folder with the tree and with detections of people in all its images."""
    if not SAMPLES.is_dir():
        pytest.skip(
            "The samples of real VOC releases are not here; they are not in the repository."
        )
    root = tmp_path / "VOC2012"
    shutil.copytree(SAMPLES, root)
    lists = root / "ImageSets"
    write(lists / "Main/val.txt", "".join(f"{name}\n" for name in MAIN))
    write(
        lists / "Main/person_val.txt",
        "".join(f"{MAIN[at]}  {1 if at < 2 else -1}\n" for at in (0, 1, 2)),
    )
    write(lists / "Layout/val.txt", f"{PARTED}  1\n")
    write(lists / "Action/val.txt", f"{PERFORMING}  1\n")
    for name in ("phoning", "walking"):
        write(
            lists / f"Action/{name}_val.txt", f"{PERFORMING}  1  {1 if name == 'phoning' else -1}\n"
        )
    write(lists / "Segmentation/val.txt", "".join(f"{name}\n" for name in SEGMENTED))
    rows = [f"{name} 0.5 174 101 349 351\n" for name in (PARTED, PERFORMING, SEGMENTED[1])]
    write_result(tmp_path, "Main/comp3_det_val_person.txt", "".join(rows))
    write_result(tmp_path, "Action/comp9_action_val_phoning.txt", f"{PERFORMING} 1 0.9\n")
    return tmp_path


def test_each_task_asks_for_the_images_of_its_own_lists(real: Path) -> None:
    truth = open_truth(real, "val")
    assert tuple(truth.images) == MAIN
    assert truth.layout_persons == {(PARTED, 1)}
    assert {*truth.action_labels("phoning")[0]} == {(PERFORMING, 1)}
    assert truth.segmented == SEGMENTED
    assert truth.tasters == {PERFORMING, *SEGMENTED} - {*MAIN}


def test_detections_are_scored_on_main_and_actions_on_their_person(real: Path) -> None:
    tasks = score(real)
    person = tasks["detection"]["comp3"]["classes"]["person"]
    assert (person["npos"], person["left_out"], len(person["recall"])) == (3, 2, 1)
    assert tasks["action"]["comp9"]["classes"]["phoning"]["ap"] == 1.0
    assert "comp3: 2 rows of what was not asked count neither way (person 2)." in run(str(real))


def test_other_formats_have_the_images_of_main_in_sets(real: Path) -> None:
    content = load_tree(real / "VOC2012")
    set_of = {image.image_id: image.set_name for image in content.images}
    assert {name for name, set_name in set_of.items() if set_name == "val"} == {*MAIN}
    (taster,) = [image for image in content.images if image.is_taster]
    assert (taster.image_id, taster.lists) == (PERFORMING, ("Action",))


def test_the_kits_reader_has_what_each_task_reads(real: Path) -> None:
    folder = real / "VOC2012/Annotations"
    performing, parted = (
        read_record((folder / f"{name}.xml").read_bytes()) for name in (PERFORMING, PARTED)
    )
    assert all(item.actions and item.point for item in performing.objects)
    assert all(item.parts and item.point is None for item in parted.objects)


def test_a_label_map_that_is_no_text_is_refused_in_one_sentence(devkit: Path) -> None:
    write_masks(devkit, 1, 2)
    (devkit / "VOC2012" / "labelmap.txt").write_bytes("cat:\nperson:\n".encode("utf-16-le"))
    printed = run(str(devkit), status=1)
    assert "labelmap.txt is not text: it has a zero byte in line 1; save it as UTF-8." in printed


def test_a_label_file_of_another_set_is_refused(devkit: Path) -> None:
    write(devkit / "VOC2012/ImageSets/Main/cat_val.txt", "2012_000001 -1\n2012_000009  1\n")
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 1")
    expected = "cat_val.txt:2: expected an image of val.txt and 1, 0 or -1, got 2012_000009 1"
    assert expected in run(str(devkit), status=1)


def test_an_image_set_that_lists_an_image_twice_is_refused(devkit: Path) -> None:
    write(devkit / "VOC2012/ImageSets/Main/val.txt", f"{IDS[0]}\n{IDS[0]}\n")
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    assert "val.txt:2: expected 2012_000001 once" in run(str(devkit), status=1)


def test_label_files_alone_are_scored_each_on_its_own_images(devkit: Path) -> None:
    shutil.rmtree(devkit / "VOC2012/ImageSets")
    shutil.rmtree(devkit / "VOC2012/Annotations")
    write_labels(devkit, "cat", 1, -1)
    write(devkit / "VOC2012/ImageSets/Main/person_val.txt", f"{IDS[2]}  1\n{IDS[1]} -1\n")
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 0.1\n{IDS[1]} 0.9\n")
    write_result(devkit, "Main/comp1_cls_val_person.txt", f"{IDS[2]} 0.9\n{IDS[1]} 0.1\n")
    classes = score(devkit)["classification"]["comp1"]["classes"]
    assert {name: entry["ap"] for name, entry in classes.items()} == {"cat": 0.5, "person": 1.0}


@pytest.mark.parametrize("labels", [(0, 0, 0), ()])
def test_a_class_whose_labels_say_nothing_has_no_number(
    devkit: Path, labels: tuple[int, ...]
) -> None:
    write_labels(devkit, "cat", *labels)
    for name in ("cat", "person"):
        rows = "".join(f"{image_id} 0.5\n" for image_id in IDS[: len(labels) or 3])
        write_result(devkit, f"Main/comp1_cls_val_{name}.txt", rows if labels else "")
    entry = score(devkit)["classification"]["comp1"]["classes"]["cat"]
    assert [entry[key] for key in ("ap", "auc", "eer")] == ["NaN", "NaN", "NaN"]
    assert "over 1 of 2 classes; without a number: cat" in run(str(devkit))


def test_a_list_with_three_labels_of_one_image_is_refused(devkit: Path) -> None:
    write(devkit / "VOC2012/ImageSets/Main/cat_val.txt", f"{IDS[0]}  1\n{IDS[0]} -1\n{IDS[0]}  0\n")
    write_cats(devkit)
    assert f"cat_val.txt:2: expected {IDS[0]} once" in run(str(devkit), status=1)


def write_labels(devkit: Path, name: str, *labels: int) -> None:
    rows = "".join(f"{image_id} {label:2d}\n" for image_id, label in zip(IDS, labels, strict=False))
    write(devkit / f"VOC2012/ImageSets/Main/{name}_val.txt", rows)
