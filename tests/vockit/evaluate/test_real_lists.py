"""Annotation files of VOC2012 in lists as that release has them: each task asks for its own images.

The files are not part of the repository; without them these tests are skipped.
"""

import shutil
from pathlib import Path

import pytest

from tests.kit_reader import read_record
from vockit.evaluate.truth import open_truth
from vockit.foreign.tree_images import load_tree

from .small_tree import run, score, write, write_result

SAMPLES = Path(__file__).parents[4] / "shared" / "samples" / "voc2012"
pytestmark = pytest.mark.skipif(
    not SAMPLES.is_dir(),
    reason="The samples of real VOC releases are not part of the repository, and are not here.",
)
MAIN = ("2007_000027", "2007_000032", "2008_002045")
SEGMENTED = ("2007_000032", "2007_000063", "2007_000129")
"""Of these, Main lists one; VOC2012 has more such images."""
PERFORMING = "2011_003353"
"""In Action alone: one person was annotated, with an action and a point."""
PARTED = "2007_000027"


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A folder with the tree and with detections of people in all its images."""
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
    assert {name for name, of in set_of.items() if of == "val"} == {*MAIN}
    (taster,) = [image for image in content.images if image.is_taster]
    assert (taster.image_id, taster.lists) == (PERFORMING, ("Action",))


def test_the_kits_reader_has_what_each_task_reads(real: Path) -> None:
    folder = real / "VOC2012/Annotations"
    performing, parted = (
        read_record((folder / f"{name}.xml").read_bytes()) for name in (PERFORMING, PARTED)
    )
    assert all(item.actions and item.point for item in performing.objects)
    assert all(item.parts and item.point is None for item in parted.objects)
