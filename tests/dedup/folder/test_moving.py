"""`vocparty dedup FOLDER --move DIR`."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from dedup.executors import Workforce
from dedup.folder.groups import group_files
from dedup.folder.kept_hashes import open_kept_hashes
from dedup.folder.moving import move_copies
from dedup.folder.reading import read_files
from tests.dedup.folder.commands import invoke, make_folder

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
        report = group_files(read_files(folder, kept, force), kept, force)
        (folder / changed).write_bytes(b"something else")
        moved, passed_over = move_copies(report, kept, tmp_path / "moved")
    passed = {"rocket.jpg"}
    if changed == "rocket again.jpg":
        passed.add("old/rocket.webp")
    assert set(passed_over) == passed
    assert moved == len(MOVED - passed)
    assert list_files(tmp_path / "moved").keys() == MOVED - passed


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
