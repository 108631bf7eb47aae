"""Whole trees: how they are found and checked, and what does not belong into them."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.exporting import run, verify_tree
from tests.trees import OBJECTS, Damage, annotation, put, write
from vockit.errors import TreeNotFoundError
from vockit.verify.check import check_folder

from .planted import (
    MAIN,
    PICTURE,
    STRAY,
    THREE,
    Planted,
    check_damage,
    in_file,
    list_planted,
)

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"


def test_a_valid_tree_has_no_violation(tree: Path) -> None:
    assert list_planted(tree) == []
    (report,) = check_folder(tree)
    assert (report.images, report.objects) == (6, 10)


def test_worker_processes_give_the_same_report(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "JPEGImages" / "broken.jpg").write_bytes(b"no picture")
    alone = check_folder(tree)
    monkeypatch.setattr("vockit.verify.trees.PROCESSES_FROM_IMAGES", 1)
    assert check_folder(tree) == alone
    assert alone[0].errors


def end(*_: object) -> None:
    os._exit(9)


def test_a_killed_process_changes_no_report(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = check_folder(tree)
    monkeypatch.setattr("vockit.verify.trees.PROCESSES_FROM_IMAGES", 1)
    monkeypatch.setattr("vockit.verify.trees.signal.signal", end)
    assert check_folder(tree) == alone


@pytest.mark.parametrize("above", [0, 1, 2])
def test_the_tree_is_found_from_the_folders_above_it(tree: Path, above: int) -> None:
    folder = [tree, *tree.parents][above]
    assert [report.root for report in check_folder(folder)] == [tree]


def test_the_tree_is_found_in_the_archive_of_2011(tree: Path, tmp_path: Path) -> None:
    shutil.move(tmp_path / "VOCdevkit", tmp_path / "TrainVal" / "VOCdevkit")
    assert len(check_folder(tmp_path)) == 1


def test_all_releases_of_a_devkit_are_checked(tree: Path, tmp_path: Path) -> None:
    shutil.copytree(tree, tmp_path / "VOCdevkit" / "VOC2011")
    assert [report.root.name for report in check_folder(tmp_path)] == ["VOC2011", "VOC2012"]


def test_a_folder_without_a_tree_is_reported(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(TreeNotFoundError):
            verify_tree(folder)


PLANTED: list[tuple[Damage, list[Planted]]] = [
    # what the format does not have
    *((put(path, "anything\n"), in_file(path, "stray")) for path in STRAY),
    (put("SegmentationClassAug/2012_000001.png", b""), [("SegmentationClassAug", 1, "stray")]),
]


@pytest.mark.parametrize(("damage", "planted"), PLANTED)
def test_each_fault_alone_is_found(tree: Path, damage: Damage, planted: list[Planted]) -> None:
    check_damage(tree, damage, planted)


def test_an_annotation_under_two_ids_is_named_but_not_one_by_chance(tree: Path) -> None:
    write(tree / THREE, annotation("2012_000003", OBJECTS["2012_000005"]))
    violations = {(violation.rule, Path(violation.file).stem) for violation in verify_tree(tree)}
    assert ("annotation-twice", "2012_000005") in violations
    write(tree / THREE, annotation("2012_000003", OBJECTS["2012_000006"]))
    assert "annotation-twice" not in {violation.rule for violation in verify_tree(tree)}


def test_a_copy_of_an_image_in_another_set_is_named(tree: Path) -> None:
    shutil.copyfile(tree / PICTURE, tree / "JPEGImages/2012_000004.jpg")
    (violation,) = verify_tree(tree)
    assert violation.rule == "image-twice"
    assert "2012_000001 in train has the same as this one in test" in violation.message


def test_a_link_inside_the_tree_is_read(tree: Path) -> None:
    (tree / MAIN / "cat_val.txt").rename(tree / MAIN / "cat_test.txt.orig")
    (tree / MAIN / "cat_val.txt").symlink_to("cat_test.txt.orig")
    assert list_planted(tree) == [(f"{MAIN}/cat_test.txt.orig", 1, "stray")]


def test_a_tree_with_another_name_is_checked_and_the_name_reported(tree: Path) -> None:
    other = tree.rename(tree.with_name("cats"))
    assert [violation for violation in list_planted(other) if violation[2] != "folder"] == [
        (".", 1, "tree-name")
    ]


@pytest.mark.skipif(
    not SAMPLES.is_dir(),
    reason="The samples of real VOC releases are not part of the repository, and are not here.",
)
def test_real_voc_files_of_2007_and_2012_break_no_rule(tmp_path: Path) -> None:
    for year in ("2007", "2012"):
        root = tmp_path / f"VOC{year}"
        sample = SAMPLES / f"voc{year}"
        ids = [path.stem for path in (sample / "JPEGImages").iterdir()]
        ids = sorted(
            image_id for image_id in ids if (sample / "Annotations" / f"{image_id}.xml").exists()
        )
        for image_id in ids:
            for path in (f"Annotations/{image_id}.xml", f"JPEGImages/{image_id}.jpg"):
                write(root / path, (sample / path).read_bytes())
        for name, listed in (("train", ids[:2]), ("val", ids[2:]), ("trainval", ids)):
            write(root / MAIN / f"{name}.txt", "".join(f"{image_id}\n" for image_id in listed))
        violations = [
            violation for violation in verify_tree(root) if violation.rule != "class-file-missing"
        ]
        assert {(Path(violation.file).name, violation.rule) for violation in violations} <= {
            ("2011_003353.xml", "integer")
        }
        assert len(ids) >= 6


def test_a_tree_without_images_is_no_good_tree(tmp_path: Path) -> None:
    root = tmp_path / "VOC2012"
    for folder in ("Annotations", "JPEGImages", "ImageSets/Main"):
        (root / folder).mkdir(parents=True)
    for name in ("train", "val", "trainval"):
        (root / f"ImageSets/Main/{name}.txt").touch()
    result = run("verify", root)
    assert result.exit_code == 1
    assert "0 images, 0 objects; nothing was compared, so the check has failed." in result.stderr
    assert json.loads(run("verify", root, "--json").stdout)["trees"][0]["compared"]["compared"] == 0


def test_a_report_says_which_images_and_lists_hold_to_the_rules(tree: Path) -> None:
    assert check_folder(tree)[0].compared.is_passed
    (tree / "JPEGImages/2012_000001.jpg").unlink()
    (tree / "JPEGImages/2012_000002.jpg").write_bytes(b"no picture")
    compared = check_folder(tree)[0].compared
    assert {"2012_000002", "ImageSets/Main/train.txt"} <= set(compared.different)
    assert compared.equal == compared.total - len(compared.different)
