"""`vocparty overlap FOLDER --against FOLDER`."""

from pathlib import Path

import pytest

from tests.dedup.folder.commands import invoke, invoke_json, make_folder
from tests.dedup.overlap.folders import crop, write_files
from tests.dedup.photographs import jpeg, originals


def make_test_set(folder: Path) -> Path:
    photographs = originals()
    return write_files(
        folder,
        {
            "1.jpg": jpeg(photographs["coffee"], quality=60),
            "2.jpg": jpeg(crop(photographs["chelsea"], 0.1)),
            "3.jpg": jpeg(photographs["astronaut"]),
            "4.jpg": jpeg(photographs["rocket"]),
        },
    )


def test_files_that_are_in_the_other_folder_are_listed_with_theirs(tmp_path: Path) -> None:
    train = make_folder(tmp_path / "train")
    test = make_test_set(tmp_path / "test")
    result = invoke("-q", "overlap", test, "--against", train)
    *rows, summary = result.stdout.splitlines()
    assert result.exit_code == 1
    names = {row.split("\t")[0] for row in rows if row.split("\t")[1] == "duplicate"}
    assert names == {"1.jpg", "2.jpg", "4.jpg"}
    assert "4.jpg\tduplicate\trocket again.jpg" in rows
    assert summary == f"3 of 4 pictures are near-duplicates of 8 pictures in {train}."


def test_nothing_shared_exits_with_0(tmp_path: Path) -> None:
    photographs = originals()
    test = write_files(tmp_path / "a", {"1.jpg": jpeg(photographs["astronaut"])})
    train = write_files(tmp_path / "b", {"2.jpg": jpeg(photographs["rocket"])})
    result = invoke("-q", "overlap", test, "--against", train)
    assert result.exit_code == 0
    assert result.stdout == f"0 of 1 picture are near-duplicates of 1 picture in {train}.\n"


def test_an_unreadable_file_of_either_folder_fails_the_check(tmp_path: Path) -> None:
    photographs = originals()
    for broken in ("a", "b"):
        folders = {
            name: write_files(
                tmp_path / broken / name,
                {"1.jpg": jpeg(photographs[photograph])}
                | ({"x.jpg": b"\xff\xd8\xff no"} if name == broken else {}),
            )
            for name, photograph in (("a", "astronaut"), ("b", "rocket"))
        }
        result = invoke("-q", "overlap", folders["a"], "--against", folders["b"])
        assert result.exit_code == 1
        assert result.stderr.startswith(f"{folders[broken] / 'x.jpg'}: ")


@pytest.mark.parametrize("broken", ["a", "b"])
def test_a_folder_of_which_nothing_can_be_read_fails_the_check(tmp_path: Path, broken: str) -> None:
    rocket = jpeg(originals()["rocket"])
    folders = [
        write_files(tmp_path / name, {"1.jpg": rocket[:900] if name == broken else rocket})
        for name in ("a", "b")
    ]
    result = invoke("-q", "overlap", folders[0], "--against", folders[1])
    assert result.exit_code == 1
    assert result.stdout.startswith("0 of ")
    assert "1 unreadable" in result.stdout


def test_the_json_and_the_page_list_the_same(tmp_path: Path) -> None:
    train = make_folder(tmp_path / "train")
    test = make_test_set(tmp_path / "test")
    page = tmp_path / "page.html"
    document = invoke_json("-q", "overlap", test, "--against", train, "--html", page)
    assert (document["files"], document["against_files"]) == (4, 8)
    assert document["compared"]["different"] == ["1.jpg", "2.jpg", "4.jpg"]
    names = {shared["file"] for shared in document["overlaps"]}
    assert all(f"<b>{name}</b>" in page.read_text() for name in names)


def test_a_folder_called_test_needs_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_folder(tmp_path / "test")
    result = invoke("-q", "overlap", "test", "--against", "./test")
    assert result.stdout.splitlines()[-1] == (
        "8 of 8 pictures are near-duplicates of 8 pictures in test."
    )
    assert "party" in invoke("-q", "overlap", "test", "--against", "test").stderr


def test_hashes_are_not_compared_with_a_folder(tmp_path: Path) -> None:
    hashes = tmp_path / "hashes.txt"
    hashes.write_text("")
    result = invoke("overlap", hashes, "--against", make_folder(tmp_path / "train"))
    assert result.exit_code == 2
    assert "give the folder of pictures" in result.stderr
