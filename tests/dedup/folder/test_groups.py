"""`vocparty dedup FOLDER`: what is listed, and why."""

from pathlib import Path

import pytest

from tests.dedup.folder.commands import invoke, invoke_json, make_folder
from tests.dedup.overlap.folders import write_files
from tests.dedup.photographs import jpeg, originals, save


def test_each_copy_is_listed_with_what_to_keep_and_why(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    result = invoke("-q", "dedup", folder)
    *rows, summary = result.stdout.splitlines()
    assert (result.exit_code, result.stderr) == (0, "")
    assert {tuple(row.split("\t")) for row in rows} == {
        ("old/coffee.png", "duplicate", "coffee.jpg", "has fewer real pixels"),
        ("rocket.jpg", "duplicate", "rocket again.jpg", "the same file"),
        ("old/rocket.webp", "duplicate", "rocket again.jpg", "shows less"),
        ("old/china.tif", "duplicate", "china.jpg", "has a margin"),
    }
    assert summary == "8 pictures: 4 need not be kept, since 3 others show the same."


def test_the_json_counts_what_it_lists(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    document = invoke_json("-q", "dedup", folder)
    copies = [copy for group in document["groups"] for copy in group["copies"]]
    kept = {group["kept"] for group in document["groups"]}
    on_disk = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert document["files"] == len(on_disk) == 8
    assert {copy["file"] for copy in copies} | kept | {"chelsea.jpg"} == on_disk
    assert all(0.9 < copy["similarity"] <= 1 for copy in copies)


def test_of_two_files_that_are_as_good_the_one_with_the_higher_quality_is_kept(
    tmp_path: Path,
) -> None:
    rocket = originals()["rocket"]
    files = {"a.jpg": jpeg(rocket, quality=40), "b.jpg": jpeg(rocket, quality=92)}
    folder = write_files(tmp_path / "holiday", files)
    (row, _summary) = invoke("-q", "dedup", folder).stdout.splitlines()
    assert row == "a.jpg\tduplicate\tb.jpg\tJPEG quality 40 against 92"


def test_different_photographs_are_all_kept(tmp_path: Path) -> None:
    photographs = originals()
    names = ("coffee", "rocket", "astronaut")
    files = {f"{name}.jpg": jpeg(photographs[name]) for name in names}
    result = invoke("-q", "dedup", write_files(tmp_path / "holiday", files))
    assert result.stdout == "3 pictures, no two of which show the same photograph.\n"
    assert result.exit_code == 0


def test_a_file_that_cannot_be_read_is_named_and_costs_no_other(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    write_files(folder, {"broken.jpg": jpeg(originals()["rocket"])[:900], "notes.txt": b"no"})
    result = invoke("-q", "dedup", folder)
    assert result.exit_code == 1
    assert result.stderr.startswith("broken.jpg: the image cannot be decoded: ")
    assert result.stdout.splitlines()[-1] == (
        "8 pictures: 4 need not be kept, since 3 others show the same; 1 file cannot be read."
    )


def test_plain_pictures_are_no_copies_of_one_another(tmp_path: Path) -> None:
    black, dark = (
        originals()["rocket"].point(lambda _level, shade=shade: shade) for shade in (0, 3)
    )
    files = {"black.png": save(black, "PNG"), "dark.png": save(dark, "PNG")}
    result = invoke("-q", "dedup", write_files(tmp_path / "holiday", files))
    assert result.stdout == (
        "2 pictures, no two of which show the same photograph; "
        "2 pictures are so plain that only the same file is told.\n"
    )


@pytest.mark.parametrize("pictures", [0, 1])
def test_too_few_pictures_to_compare_are_told(tmp_path: Path, pictures: int) -> None:
    rocket = jpeg(originals()["rocket"])
    files = {"broken.jpg": rocket[:900]} | ({"a.jpg": rocket} if pictures else {})
    result = invoke("-q", "dedup", write_files(tmp_path / "holiday", files))
    assert result.exit_code == 1
    counted = "1 picture" if pictures else "0 pictures"
    assert result.stdout == f"{counted}, too few to compare; 1 file cannot be read.\n"


def test_the_folder_of_a_party_is_no_folder_of_pictures(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "zoo")
    (folder / "party.toml").write_text("")
    result = invoke("dedup", folder)
    assert result.exit_code == 2
    assert "instead of FOLDER" in result.stderr.replace("\n", " ")


def test_a_folder_without_a_picture_is_refused(tmp_path: Path) -> None:
    result = invoke("dedup", write_files(tmp_path / "holiday", {"notes.txt": b"no"}))
    assert result.exit_code == 2
    assert "holds no picture" in result.stderr


def test_a_name_that_is_no_text_is_listed(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "holiday")
    odd = Path(f"{folder}/caf\udce9.jpg")
    odd.write_bytes(jpeg(originals()["rocket"]))
    page = tmp_path / "page.html"
    result = invoke("-q", "dedup", folder, "--html", page)
    assert result.exit_code == 0
    assert "need not be kept" in page.read_text()
    assert "rocket.jpg\tduplicate\tcaf\N{REPLACEMENT CHARACTER}.jpg\tthe same file" in result.stdout


def test_a_name_with_tabs_and_ends_of_lines_makes_no_row_of_its_own(tmp_path: Path) -> None:
    rocket = originals()["rocket"]
    files = {
        "a\nchelsea.jpg\tduplicate\tb.jpg\tthe same file\n.jpg": jpeg(rocket, quality=40),
        "b\u202fb.jpg": jpeg(rocket, quality=92),
    }
    result = invoke("-q", "dedup", write_files(tmp_path / "holiday", files))
    row, _summary = result.stdout.splitlines()
    assert [len(row.split("\t")), row.split("\t")[2]] == [4, "b\u202fb.jpg"]


def test_the_page_shows_both_pictures_and_escapes_hostile_names(tmp_path: Path) -> None:
    rocket = originals()["rocket"]
    name = "<script>alert(1)<.jpg"
    folder = write_files(
        tmp_path / "holiday", {name: jpeg(rocket), "b.jpg": jpeg(rocket, quality=40)}
    )
    page = tmp_path / "page.html"
    assert invoke("-q", "dedup", folder, "--html", page).exit_code == 0
    html = page.read_text()
    assert html.count("data:image/jpeg") == 2
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;.jpg" in html


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--party", "zoo"], "leave out --party"),
        (["--dask", "tcp://127.0.0.1:1"], "--dask works for a party only"),
    ],
)
def test_options_of_a_party_are_refused_with_a_folder(
    tmp_path: Path, options: list[str], sentence: str
) -> None:
    result = invoke("dedup", make_folder(tmp_path / "holiday"), *options)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_moving_is_refused_without_a_folder(tmp_path: Path) -> None:
    result = invoke("dedup", "--move", tmp_path / "moved")
    assert result.exit_code == 2
    assert "--move works for a FOLDER only" in result.stderr
