"""Every command that writes to a place of the user leaves what it did not write there."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import make_party
from tests.trees import make_tree
from vocparty import main

PAGES = [["dedup", "--report"], ["collected", "--html"], ["qa", "--html"]]


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert not isinstance(result.exception, OSError)
    return result.exit_code, result.output


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    folder = tmp_path / "zoo"
    make_party(folder, name="Zoo", preset="voc2012")
    return folder


@pytest.mark.parametrize("command", PAGES)
def test_a_page_is_not_written_over_another_file(
    zoo: Path, tmp_path: Path, command: list[str]
) -> None:
    thesis = tmp_path / "thesis.html"
    link = tmp_path / "link.html"
    page = tmp_path / "page.html"
    thesis.write_text("text")
    link.symlink_to(thesis)
    for path in (thesis, link):
        status, output = run(*command, path, "--party", zoo)
        assert (status, f"{path} is not what vocparty wrote there" in output) == (1, True)
    assert link.is_symlink()
    assert thesis.read_text() == "text"
    for _ in range(2):
        assert run(*command, page, "--party", zoo)[0] == 0
    page.write_bytes(page.read_bytes() + b"a note of mine")
    assert run(*command, page, "--party", zoo)[0] == 1
    assert page.read_bytes().endswith(b"a note of mine")


def test_tables_leave_other_files_and_stop_at_a_changed_one(zoo: Path, tmp_path: Path) -> None:
    out = tmp_path / "paper"
    out.mkdir()
    (out / "paper.tex").write_text("text")
    for _ in range(2):
        assert run("tables", "--out", out, "--party", zoo)[0] == 0
    changed = next(path for path in sorted(out.iterdir()) if path.suffix == ".csv")
    changed.write_text("mine")
    status, output = run("tables", "--out", out, "--party", zoo)
    assert (status, f"{changed} is not what vocparty wrote there" in output) == (1, True)
    assert changed.read_text() == "mine"
    assert (out / "paper.tex").read_text() == "text"


def test_init_does_not_overwrite_a_preset_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "zoo"
    folder.mkdir()
    (folder / "preset.toml").write_text("# hours of work")
    status, output = run("init", folder, "--classes", "zebra,lion")
    assert (status, "holds another preset.toml, which was not overwritten" in output) == (2, True)
    assert [path.name for path in folder.iterdir()] == ["preset.toml"]
    assert (folder / "preset.toml").read_text() == "# hours of work"


@pytest.mark.parametrize("target", ["thesis", "dangling", "folder"])
def test_new_files_and_folders_take_no_other_ones_place(
    zoo: Path, tmp_path: Path, target: str
) -> None:
    tree = make_tree(tmp_path / "VOC2012")
    (tmp_path / "thesis").write_text("text")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.tex").write_text("text")
    place = tmp_path / target
    assert run("preset", "new", place)[0] != 0
    assert run("backup", place, "--party", zoo)[0] != 0
    if target != "dangling":  # a folder is made where such a link leads
        for command in (["convert", tree, place, "--to", "coco"], ["archive", tree, place]):
            assert run(*command)[0] != 0
        assert run("init", place)[0] != 0
        assert run("demo", place, "--once")[0] != 0
    assert (tmp_path / "thesis").read_text() == "text"
    assert (tmp_path / "dangling").is_symlink()
    assert not (tmp_path / "nowhere").exists()
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["thesis.tex"]
