"""What is kept between two runs over one folder."""

import os
from pathlib import Path

import pytest

from dedup.errors import DedupError
from dedup.executors import Workforce
from dedup.folder.groups import group_files
from dedup.folder.kept_hashes import name_kept_file, open_kept_hashes
from dedup.folder.reading import read_files
from tests.dedup.folder.commands import invoke, make_folder
from tests.dedup.overlap.folders import write_files
from tests.dedup.photographs import jpeg, originals, save


def test_a_second_run_says_the_same_and_hashes_nothing(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    first, second = (invoke("dedup", folder) for _ in range(2))
    assert "Hashing: 8 of 8 images" in first.stderr
    assert "Hashing" not in second.stderr
    assert second.stdout == first.stdout


def test_a_changed_a_new_and_a_deleted_file_count_in_the_next_run(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    invoke("dedup", folder)
    (folder / "coffee.jpg").unlink()
    write_files(
        folder,
        {
            "rocket again.jpg": jpeg(originals()["astronaut"]),
            "new.jpg": jpeg(originals()["chelsea"], quality=50),
        },
    )
    result = invoke("dedup", folder)
    *rows, summary = result.stdout.splitlines()
    assert "Hashing: 2 of 2 images" in result.stderr
    assert {row.split("\t")[0] for row in rows} == {"new.jpg", "old/china.tif", "old/rocket.webp"}
    assert summary == "8 pictures: 3 need not be kept, since 3 others show the same."


def test_other_bytes_of_the_same_size_and_time_are_hashed_again(tmp_path: Path) -> None:
    photographs = originals()
    first, second = (
        save(photographs[name].resize((320, 240)), "BMP") for name in ("rocket", "coffee")
    )
    assert len(first) == len(second)
    folder = write_files(tmp_path / "holiday", {"a.bmp": first, "b.bmp": first})
    assert "1 need not be kept" in invoke("dedup", folder).stdout
    before = (folder / "b.bmp").stat()
    (folder / "b.bmp").write_bytes(second)
    os.utime(folder / "b.bmp", ns=(before.st_atime_ns, before.st_mtime_ns))
    result = invoke("dedup", folder)
    assert "Hashing: 1 of 1 images" in result.stderr
    assert "no two of which show the same" in result.stdout


def test_hashes_that_another_run_forgot_meanwhile_are_told(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    force = Workforce(2)
    with open_kept_hashes(folder) as kept:
        files = read_files(folder, kept, force)
        kept.forget(["coffee.jpg"])
        with pytest.raises(DedupError, match="Another run over this folder"):
            group_files(files, kept, force)


def test_nothing_is_written_into_the_folder(tmp_path: Path, cache: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    before = sorted(folder.rglob("*"))
    invoke("dedup", folder)
    assert sorted(folder.rglob("*")) == before
    assert name_kept_file(folder).is_relative_to(cache)


def test_hashes_that_were_deleted_or_spoiled_are_made_or_told(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    first = invoke("dedup", folder)
    place = name_kept_file(folder)
    place.unlink()
    assert invoke("dedup", folder).stdout == first.stdout
    for path in place.parent.glob(f"{place.name}*"):
        path.unlink()
    place.write_bytes(b"no database, " * 100)
    spoiled = invoke("dedup", folder)
    assert spoiled.exit_code == 1
    assert f"cannot be kept in {place}" in spoiled.stderr.replace("\n", " ")


def test_a_cache_that_takes_nothing_is_told(tmp_path: Path, cache: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    cache.write_bytes(b"a file, no folder")
    result = invoke("dedup", folder)
    assert result.exit_code == 1
    assert "set XDG_CACHE_HOME to another folder" in result.stderr


def test_two_folders_of_one_name_have_hashes_of_their_own(tmp_path: Path) -> None:
    places = [name_kept_file(tmp_path / name / "holiday") for name in ("a", "b")]
    assert places[0] != places[1]
    assert all(place.name.startswith("holiday-") for place in places)
    odd = Path(os.fsdecode(b"/tmp/caf\xe9 \n/"))
    assert name_kept_file(odd).name.isprintable()
