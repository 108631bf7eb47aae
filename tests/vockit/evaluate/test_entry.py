"""An entry: what is said where it holds no results of the set, or those of another release."""

from __future__ import annotations

from pathlib import Path

from vockit.foreign.identity import RELEASE_FILE
from vockit.format.release_digest import find_release_digest

from .entries import run as run_command
from .small_tree import IDS, ROW, run, write, write_result


def test_results_that_are_nowhere_are_told_without_an_option_that_the_command_lacks(
    devkit: Path,
) -> None:
    said = run_command("check-results", "nowhere", "--release", devkit, status=2)
    assert said == "Error: No results in nowhere; name the folder or file that holds them.\n"


def test_results_of_another_year_or_release_are_told_in_a_sentence(devkit: Path) -> None:
    tree = devkit / "VOC2012"
    other = devkit / "results" / "VOC2011"
    write(other / "Main/comp3_det_val_cat.txt", "2011_000001 0.9 1 1 9 9\n")
    said = run_command("check-results", other, "--release", tree, status=1)
    assert "The folder is named VOC2011, but the tree VOC2012" in said
    renamed = other.rename(devkit / "mine")
    said = run_command("check-results", renamed, "--release", tree, status=1)
    assert "No row names an image of the set val" in said
    write(renamed / RELEASE_FILE, f"VOC2011 {'0' * 64}\n")
    said = run_command("check-results", renamed, "--release", tree, status=1)
    assert "were made for VOC2011" in said
    assert said.count("\n") == 1
    write(renamed / RELEASE_FILE, f"VOC2012 {find_release_digest(tree)}\n")
    write(renamed / "Main/comp3_det_val_cat.txt", f"{ROW}\n")
    run_command("check-results", renamed, "--release", tree)


def test_result_files_of_unknown_classes_or_other_sets_are_reported(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_test_cat.txt", ROW)
    assert "There are files of test; choose with --set" in run(str(devkit), status=1)
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    write_result(devkit, "Main/comp3_det_val_zebra.txt", ROW)
    assert "comp3_det_val_zebra.txt was not scored: zebra is no class" in run(str(devkit))
    assert "Unknown class 'zebra'" in run(str(devkit), "--class", "zebra", status=2)
    assert "Unknown competition" in run(str(devkit), "--competition", "comp99", status=2)


def test_results_of_other_competitions_are_named(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 1")
    (devkit / "results/VOC2012/Segmentation/comp5_val_cls").mkdir(parents=True)
    expected = (
        "holds no results of comp9 for the set val. There are files of comp1, comp3, comp5; choose "
        "with --competition."
    )
    assert expected in run(str(devkit), "--competition", "comp9", status=1)
