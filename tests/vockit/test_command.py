"""The command `vockit`: each subcommand has help, and works on a tree without a party."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.trees import make_tree
from vockit.command import SUBCOMMANDS, main
from vockit.format import tree as places


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path)


def run(*args: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in args])


def test_the_help_names_each_subcommand() -> None:
    shown = run("--help").output
    for name, (_, text) in SUBCOMMANDS.items():
        assert name in shown
        assert text in shown


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_each_subcommand_has_help_with_an_example(name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0, result.output
    assert re.search(rf"Example:\n +vockit {name}\b", result.output)
    assert not re.search(r"^ *vocparty\b", result.output, re.MULTILINE)


def test_verify_says_that_every_rule_holds(tree: Path) -> None:
    result = run("verify", tree)
    assert result.exit_code == 0, result.output
    assert "every rule of the format holds" in result.output


def test_verify_ends_with_1_and_names_the_file_of_a_violation(tree: Path) -> None:
    (tree / "notes.txt").write_text("not of the format")
    result = run("verify", tree)
    assert result.exit_code == 1
    assert "notes.txt" in result.output


def test_verify_prints_one_json_document(tree: Path) -> None:
    result = run("verify", tree, "--json")
    (report,) = json.loads(result.stdout)["trees"]
    assert report["tree"] == str(tree)
    assert report["violations"] == []


def test_verify_says_in_a_sentence_that_a_folder_is_no_blind_release(tree: Path) -> None:
    result = run("verify", tree, "--opens", tree)
    assert result.exit_code == 2
    assert "release.json" in result.output
    assert "Traceback" not in result.output


def test_evaluate_scores_results(tree: Path, tmp_path: Path) -> None:
    lines = (tree / places.set_path(places.MAIN, "val")).read_text().split()
    results = tmp_path / "results" / places.MAIN
    results.mkdir(parents=True)
    entry = results / "comp1_cls_val_person.txt"
    entry.write_text("".join(f"{image_id} 0.5\n" for image_id in lines))
    result = run("evaluate", tree, "--results", results.parent, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)


@pytest.mark.parametrize("form", ["coco", "yolo", "parquet"])
def test_convert_writes_each_format(form: str, tree: Path, tmp_path: Path) -> None:
    result = run("convert", tree, tmp_path / "out", "--to", form)
    assert result.exit_code == 0, result.output
    assert any((tmp_path / "out").rglob("*"))


def test_archive_writes_tar_files(tree: Path, tmp_path: Path) -> None:
    result = run("archive", tree, tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert list((tmp_path / "out").glob("*.tar"))


def test_browse_serves_the_tree_until_it_is_interrupted(tree: Path) -> None:
    command = [sys.executable, "-c", "from vockit.command import main; main()"]
    with subprocess.Popen(
        [*command, "browse", str(tree), "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+/", process.stdout.readline())
            assert address
            with urllib.request.urlopen(address[0], timeout=60) as answer:
                assert "2012_000001" in answer.read().decode()
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) in (0, 130)


def test_an_error_is_one_sentence_and_a_status(tmp_path: Path) -> None:
    for name in ("verify", "evaluate", "browse"):
        result = run(name, tmp_path)
        assert result.exit_code != 0
        assert "Traceback" not in result.output
        assert str(tmp_path) in result.output
