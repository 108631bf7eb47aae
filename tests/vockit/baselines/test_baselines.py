"""A simple method for each task: valid submissions, better than chance where much is drawn."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.trees import make_tree
from vockit.baselines.detector import suppress
from vockit.baselines.layouts import lay_out, learn_layout
from vockit.baselines.painting import paint
from vockit.command import main
from vockit.evaluate.scores import Scores
from vockit.foreign.devkit import write_devkit
from vockit.foreign.given_persons import format_given
from vockit.format.given_persons import GivenPerson
from vockit.format.records import VocBox, VocObject, VocPart
from vockit.kit import open_release

from .made_release import make_release


def run(*words: object, status: int = 0) -> str:
    done = CliRunner().invoke(main, list(map(str, words)))
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    return done.output


def average_aps(scores: Scores, task: str, competition: str) -> float:
    return float(np.mean([s.curve.ap for s in scores.tasks[task][competition].values()]))


def test_each_task_has_a_valid_submission_that_is_better_than_chance(tmp_path: Path) -> None:
    root = make_release(tmp_path, images=24, size_wh=(160, 120))
    out = tmp_path / "results"
    shown = run("baselines", root, out)
    for method in ("baseline", "whole-image", "mean-box", "chance"):
        assert f"{out / method}: a valid submission" in shown
    release = open_release(root)
    ours, chance = (release.evaluate(out / name, "val") for name in ("baseline", "chance"))
    for task, competition in (
        ("classification", "comp1"),
        ("detection", "comp3"),
        ("action", "comp9"),
    ):
        better = average_aps(ours, task, competition) - average_aps(chance, task, competition)
        assert better > 0.1, task
    assert ours.segmentations["comp5"].mean_entered > chance.segmentations["comp5"].mean_entered
    assert average_aps(ours, "layout", "comp7") > average_aps(chance, "layout", "comp7") + 0.2
    assert "comp3 (detection): methods by mean over the 3 classes" in shown
    assert "behind, as a pair (95 %)" in shown


def test_the_same_release_gives_the_same_results(tmp_path: Path) -> None:
    root = make_release(tmp_path, images=6, size_wh=(96, 72))
    for name in ("first", "second"):
        run("baselines", root, tmp_path / name)
    files = [path for path in (tmp_path / "first").rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        other = tmp_path / "second" / path.relative_to(tmp_path / "first")
        assert path.read_bytes() == other.read_bytes(), path


def test_a_release_with_hardly_an_object_is_answered_all_the_same(tmp_path: Path) -> None:
    shown = run("baselines", make_tree(tmp_path), tmp_path / "results")
    assert f"{tmp_path / 'results' / 'baseline'}: a valid submission" in shown


def test_a_blind_set_is_answered_and_not_scored(tmp_path: Path) -> None:
    root = make_release(tmp_path, images=6, size_wh=(96, 72))
    release = open_release(root)
    for image in release.images("val"):
        for folder in ("Annotations", "SegmentationClass", "SegmentationObject"):
            for path in (root / folder).glob(f"{image.image_id}.*"):
                path.unlink()
    for path in (root / "ImageSets").glob("*/*_val.txt"):
        path.unlink()
    for name in ("Layout", "Action"):
        (root / f"ImageSets/{name}/val.txt").unlink()
    shown = run("baselines", root, tmp_path / "results")
    assert "Not scored:" in shown
    assert (tmp_path / "results/baseline/Main/comp3_det_val_person.txt").is_file()
    assert not (tmp_path / "results/baseline/Layout").exists()
    asked = [image.image_id for image in release.images("val")]
    for name in ("Layout", "Action"):
        persons = [GivenPerson(image_id, 1, VocBox(5, 5, 40, 60)) for image_id in asked]
        for name_of_list, text in format_given(f"ImageSets/{name}", "val", persons):
            (root / name_of_list).write_text(text)
    assert "Not scored:" in run("baselines", root, tmp_path / "given")
    run("check-results", tmp_path / "given/baseline", "--release", root, "--set", "val")
    layouts = (tmp_path / "given/baseline/Layout/comp7_layout_val.xml").read_text()
    rated = (tmp_path / "given/baseline/Action/comp9_action_val_walking.txt").read_text()
    for image_id in asked:
        assert f"<image>{image_id}</image>" in layouts
        assert f"{image_id} 1 " in rated


def test_a_kit_answers_the_test_set_and_leaves_its_score_to_the_organisers(tmp_path: Path) -> None:
    kit = tmp_path / "kit"
    write_devkit(make_tree(tmp_path / "release"), kit)
    command = re.search(r"vockit baselines \S+ (\S+)", (kit / "README.md").read_text())
    assert command is not None
    folder = command[1]
    assert f"OUT := {folder}\n" in (kit / "Makefile").read_text()
    root = kit / "VOCdevkit/VOC2012"
    run("baselines", root, kit / folder)
    shown = run("baselines", root, kit / folder, "--train", "trainval", "--set", "test")
    assert f"Not scored: {root} holds no labels of test, which stay with the organisers." in shown
    assert "held back or lost" not in shown
    submission = kit / folder / "baseline"
    for image_set in ("val", "test"):
        run("check-results", submission, "--release", root, "--set", image_set)


def unlist(path: Path, image_id: str) -> None:
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if line.split()[0] != image_id))


def test_an_image_that_was_not_asked_about_a_class_is_no_negative_of_it(tmp_path: Path) -> None:
    answers: list[bytes] = []
    for pattern in ("cat_train.txt", "*train.txt"):  # not asked about cats; not in the set at all
        folder = tmp_path / str(len(answers))
        root = make_release(folder, images=8, size_wh=(96, 72))
        images = open_release(root).images("train")
        without = [i.image_id for i in images if "cat" not in {item.name for item in i.objects}]
        for path in (root / "ImageSets/Main").glob(pattern):
            unlist(path, without[0])
        run("baselines", root, folder / "results")
        results = folder / "results" / "baseline" / "Main"
        answers.append((results / "comp3_det_val_cat.txt").read_bytes())
    assert answers[0] == answers[1]


def test_nothing_to_learn_from_is_told_in_a_sentence(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    for path in (root / "Annotations").glob("*.xml"):
        path.unlink()
    said = run("baselines", root, tmp_path / "results", status=1)
    assert "no annotated image in the set train" in said
    assert not (tmp_path / "results").exists()


def test_of_boxes_that_overlap_by_half_the_best_is_kept() -> None:
    boxes = np.array([[1.0, 1, 10, 10], [1, 1, 10, 11], [50, 50, 60, 60]])
    kept, confidences = suppress(boxes, np.array([0.5, 0.9, 0.1]))
    assert kept.tolist() == [[1, 1, 10, 11], [50, 50, 60, 60]]
    assert confidences.tolist() == [0.9, 0.1]


def test_the_mean_layout_is_laid_into_the_box_of_a_person() -> None:
    def stand(left: int, head: int) -> VocObject:
        part = VocPart("head", VocBox(left + head, 1, left + head + 10, 10))
        return VocObject("person", VocBox(left, 1, left + 99, 200), parts=(part,))

    layout = learn_layout([stand(1, 40), stand(101, 60)])
    result = lay_out(stand(201, 0), ("2012_000001", 1), layout)
    ((name, box),) = result.parts
    assert name == "head"
    assert box == pytest.approx((251, 1, 261, 10))
    assert learn_layout([]) == []


def test_a_box_is_cut_out_of_its_surroundings() -> None:
    pixels = np.full((80, 100, 3), 30, np.uint8)
    pixels[20:60, 30:70] = (250, 200, 40)
    mask = paint(pixels, [7], np.array([[21.0, 11, 80, 70]]))
    assert set(np.unique(mask)) == {0, 7}
    assert np.mean(mask[20:60, 30:70] == 7) > 0.9
    assert np.mean(mask[11:19, 21:29] == 7) < 0.1
    whole = paint(pixels, [7], np.array([[-5.0, 1, 500, 80]]))
    assert (whole == 7).all()
    assert not paint(pixels, [7], np.array([[90.0, 1, 10, 80]])).any()
