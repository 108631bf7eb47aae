"""Only what vocparty wrote into a folder of the user, unchanged since, is replaced or deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vockit.format import own_files
from vockit.format.own_files import ForeignFileError, name_list, write_own_files, write_own_page

KIND = "report"
FIRST = {"index.html": b"one", "tables/a.csv": b"1", "tables/b.csv": b"2"}
SECOND = {"index.html": b"two", "figures/a.svg": b"3"}


def write(folder: Path, files: dict[str, bytes]) -> None:
    write_own_files(folder, files, kind=KIND)


def read(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    return {name: data for name, data in files.items() if name != name_list(KIND)}


def test_files_of_the_last_call_replace_those_of_the_one_before(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "report"
    write(folder, FIRST)
    assert read(folder) == FIRST
    write(folder, SECOND)
    assert read(folder) == SECOND
    assert not (folder / "tables").exists()


def test_other_files_stay(tmp_path: Path) -> None:
    write(tmp_path, FIRST)
    (tmp_path / "tables" / "mine.csv").write_bytes(b"mine")
    write_own_files(tmp_path, {"statistics.csv": b"4"}, kind="tables")
    write(tmp_path, SECOND)
    assert read(tmp_path) == SECOND | {
        "tables/mine.csv": b"mine",
        "statistics.csv": b"4",
        name_list("tables"): (tmp_path / name_list("tables")).read_bytes(),
    }


@pytest.mark.parametrize("name", ["index.html", "figures/a.svg", "tables/b.csv", "figures"])
@pytest.mark.parametrize("content", [b"", b"changed"])
def test_a_file_that_is_in_the_way_stops_it_before_anything_is_written(
    tmp_path: Path, name: str, content: bytes
) -> None:
    """One that is to be written, one to be deleted, one where a folder is to be; also empty."""
    write(tmp_path, FIRST)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(content)
    before = read(tmp_path)
    with pytest.raises(ForeignFileError, match=f"{name} is not what vocparty wrote there"):
        write(tmp_path, SECOND)
    assert read(tmp_path) == before


@pytest.mark.parametrize("name", ["index.html", "tables"])
def test_a_link_is_not_followed(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "report"
    elsewhere = tmp_path / "elsewhere"
    write(folder, FIRST)
    (folder / name).rename(elsewhere)
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(ForeignFileError, match=f"{name} is not what vocparty wrote there"):
        write(folder, SECOND)
    assert elsewhere.exists()


def test_a_call_that_was_cut_off_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, FIRST)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", _fail)  # after the new files are written
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path, SECOND)
    assert read(tmp_path) == FIRST | SECOND
    write(tmp_path, SECOND)
    assert read(tmp_path) == SECOND


@pytest.mark.parametrize("name", ["../thesis.tex", "/tmp/thesis.tex", ""])
def test_a_list_that_leads_out_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "report"
    thesis = tmp_path / "thesis.tex"
    thesis.write_bytes(b"text")
    write(folder, FIRST)
    listed = {"files": {name: [own_files._digest(b"text")]}}
    (folder / name_list(KIND)).write_text(json.dumps(listed))
    with pytest.raises(ForeignFileError, match="is no list of what vocparty wrote"):
        write(folder, SECOND)
    assert thesis.read_bytes() == b"text"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 3}', '{"files": {"a": null}}'])
def test_a_damaged_list_is_refused(tmp_path: Path, text: str) -> None:
    write(tmp_path, FIRST)
    (tmp_path / name_list(KIND)).write_text(text)
    with pytest.raises(ForeignFileError, match="is no list"):
        write(tmp_path, SECOND)
    assert read(tmp_path) == FIRST


def test_a_page_is_written_over_a_page_of_ours_alone(tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    write_own_page(page, b"<p>one</p>")
    write_own_page(page, b"<p>two</p>")
    written = page.read_bytes()
    assert written.startswith(b"<p>two</p>")
    for data in (written.replace(b"two", b"2"), written + b"<p>note</p>", b"thesis", b""):
        page.write_bytes(data)
        with pytest.raises(ForeignFileError, match=r"out\.html is not what vocparty wrote there"):
            write_own_page(page, b"<p>three</p>")
        assert page.read_bytes() == data
    page.unlink()
    page.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ForeignFileError):
        write_own_page(page, b"<p>three</p>")
    assert page.is_symlink()


def _fail(*_args: object, **_options: object) -> None:
    raise KeyboardInterrupt
