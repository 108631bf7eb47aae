"""`vocparty dedup FOLDER --move DIR`."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from catalog.image_store import MARK_FILE
from dedup.executors import Workforce
from dedup.folder.groups import group_files
from dedup.folder.kept_hashes import open_kept_hashes
from dedup.folder.moving import move_copies
from dedup.folder.reading import read_files
from tests.dedup.folder.commands import invoke, make_folder
from tests.dedup.overlap.folders import write_files
from tests.dedup.photographs import jpeg, originals

MOVED = {"old/coffee.png", "rocket.jpg", "old/rocket.webp", "old/china.tif"}


def list_files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_copies_are_moved_whole_under_their_paths_and_the_rest_stays(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    before = list_files(folder)
    result = invoke("-q", "dedup", folder, "--move", tmp_path / "moved")
    assert result.exit_code == 0
    assert f"Moved 4 files to {tmp_path / 'moved'}, under the same paths." in result.stdout
    moved = list_files(tmp_path / "moved")
    assert moved.keys() == MOVED
    assert list_files(folder) | moved == before


def test_a_second_run_moves_nothing_more(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    invoke("dedup", folder, "--move", tmp_path / "moved")
    result = invoke("-q", "dedup", folder, "--move", tmp_path / "moved")
    assert "4 pictures, no two of which show the same photograph." in result.stdout
    assert list_files(tmp_path / "moved").keys() == MOVED


def test_nothing_is_moved_where_a_file_is_in_the_way(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    before = list_files(folder)
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved/rocket.jpg").write_bytes(b"mine")
    result = invoke("-q", "dedup", folder, "--move", tmp_path / "moved")
    assert result.exit_code == 1
    assert "is there already, so nothing was moved" in result.stderr
    assert list_files(folder) == before
    assert list_files(tmp_path / "moved") == {"rocket.jpg": b"mine"}


@pytest.mark.parametrize("place", ["holiday", "holiday/moved", "holiday/../holiday/x"])
def test_a_place_within_the_folder_is_refused_before_anything_is_read(
    tmp_path: Path, place: str
) -> None:
    folder = make_folder(tmp_path / "holiday")
    result = invoke("dedup", folder, "--move", tmp_path / place)
    assert result.exit_code == 2
    assert "name a folder elsewhere" in result.stderr.replace("\n", " ")
    assert "Hashing" not in result.stderr


@pytest.mark.parametrize("changed", ["rocket.jpg", "rocket again.jpg"])
def test_a_copy_stays_where_it_or_what_is_kept_changed_meanwhile(
    tmp_path: Path, changed: str
) -> None:
    folder = make_folder(tmp_path / "holiday")
    force = Workforce(2)
    with open_kept_hashes(folder) as kept:
        files = read_files(folder, kept, force)
        report = group_files(files, kept, force)
    before = (folder / changed).stat()
    (folder / changed).write_bytes(bytes(before.st_size))
    os.utime(folder / changed, ns=(before.st_atime_ns, before.st_mtime_ns))
    moved, passed_over = move_copies(report, files, tmp_path / "moved")
    passed = {"rocket.jpg"}
    if changed == "rocket again.jpg":
        passed.add("old/rocket.webp")
    assert set(passed_over) == passed
    assert moved == len(MOVED - passed)
    assert list_files(tmp_path / "moved").keys() == MOVED - passed


def test_a_link_is_moved_and_the_file_that_it_leads_to_stays(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "holiday", {"b.jpg": jpeg(originals()["rocket"])})
    (folder / "a.jpg").symlink_to("b.jpg")
    before = (folder / "b.jpg").read_bytes()
    assert invoke("-q", "dedup", folder, "--move", tmp_path / "moved").exit_code == 0
    assert list_files(folder) == {"b.jpg": before}
    assert (tmp_path / "moved/a.jpg").is_symlink()


def test_a_copy_is_moved_together_with_the_links_to_it(tmp_path: Path) -> None:
    rocket = originals()["rocket"]
    files = {"a.jpg": jpeg(rocket, quality=40), "b.jpg": jpeg(rocket, quality=92)}
    folder = write_files(tmp_path / "holiday", files)
    (folder / "c.jpg").symlink_to("a.jpg")
    result = invoke("-q", "dedup", folder, "--move", tmp_path / "moved")
    assert (result.exit_code, result.stderr) == (0, "")
    assert list_files(folder) == {"b.jpg": files["b.jpg"]}
    assert list_files(tmp_path / "moved") == {"a.jpg": files["a.jpg"], "c.jpg": files["a.jpg"]}


def test_no_file_takes_the_place_of_one_that_was_moved_before(tmp_path: Path) -> None:
    """As two names that differ in case on a disk that does not tell them apart."""
    rocket = originals()["rocket"]
    files = {
        "a/1.jpg": jpeg(rocket, quality=40),
        "b/1.jpg": jpeg(rocket, quality=50),
        "c.jpg": jpeg(rocket, quality=92),
    }
    folder = write_files(tmp_path / "holiday", files)
    moved = tmp_path / "moved"
    (moved / "a").mkdir(parents=True)
    (moved / "b").symlink_to("a")
    result = invoke("-q", "dedup", folder, "--move", moved)
    assert result.exit_code == 1
    assert "File exists" in result.stderr
    assert list_files(moved)["a/1.jpg"] == files["a/1.jpg"]
    assert list_files(folder) == {name: files[name] for name in ("b/1.jpg", "c.jpg")}


@pytest.mark.parametrize("store", ["holiday", "moved"])
def test_nothing_leaves_or_enters_the_image_store_of_a_party(tmp_path: Path, store: str) -> None:
    folder = make_folder(tmp_path / "holiday")
    (tmp_path / "moved").mkdir()
    (tmp_path / store / MARK_FILE).write_bytes(b"{}")
    before = list_files(tmp_path)
    result = invoke("-q", "dedup", folder, "--move", tmp_path / "moved/copies")
    assert result.exit_code == 1
    assert "is the image store of a party" in result.stderr.replace("\n", " ")
    assert before.items() <= list_files(tmp_path).items()


def test_files_are_moved_to_another_disk_too(tmp_path: Path) -> None:
    places = (Path("/dev/shm"), Path("/tmp"), Path("/var/tmp"))
    here = tmp_path.stat().st_dev
    others = [place for place in places if place.is_dir() and place.stat().st_dev != here]
    if not others:
        pytest.skip("There is no second disk to move files to.")
    folder = make_folder(tmp_path / "holiday")
    before = list_files(folder)
    with TemporaryDirectory(dir=others[0]) as destination:
        assert invoke("dedup", folder, "--move", destination).exit_code == 0
        assert list_files(folder) | list_files(Path(destination)) == before
        assert list_files(Path(destination)).keys() == MOVED
