"""The options of the command."""

import json
import re
from pathlib import Path

import pytest

from .small_tree import IDS, ROW, run, write, write_result


def test_an_unwritable_report_is_reported_in_one_sentence(devkit: Path, tmp_path: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    (tmp_path / "file").write_text("")
    output = run(str(devkit), "--report", str(tmp_path / "file" / "report"), status=1)
    assert ": Not a directory. Nothing after that was written; run it again." in output


def test_the_command_compares_methods(devkit: Path, tmp_path: Path) -> None:
    for name, confidences in {"good": (0.9, 0.1, 0.8), "bad": (0.1, 0.9, 0.2)}.items():
        rows = [f"{image_id} {value}" for image_id, value in zip(IDS, confidences, strict=True)]
        write(tmp_path / name / "Main" / "comp1_cls_val_cat.txt", "\n".join(rows) + "\n")
    words = [f"--method={name}={tmp_path / name}" for name in ("good", "bad")]
    assert re.search(r"good +\* 1\.0000", run(str(devkit), *words))
    document = json.loads(run(str(devkit), *words, "--json"))
    [comparison] = document["comparison"]
    assert comparison["mean"]["good"]["score"] == 1
    assert comparison["mean"]["bad"]["score"] < 1
    assert set(document["methods"]["bad"]["tasks"]["classification"]) == {"comp1"}


def test_a_method_option_without_a_folder_is_wrong_usage(devkit: Path) -> None:
    assert "must be NAME=DIR" in run(str(devkit), "--method", "a=nowhere", status=2)


def test_the_folder_of_the_moment_takes_a_report(
    devkit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for _ in range(2):
        run(str(devkit), "--report", ".")
        assert (here / "index.html").is_file()
    (here / "mine.txt").touch()
    (here / "index.html").write_text("mine")
    assert "index.html is not what vocparty wrote" in run(str(devkit), "--report", ".", status=1)
