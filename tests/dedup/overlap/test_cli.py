"""`vocparty hashes` and `vocparty overlap` as typed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import Party
from dedup.overlap.hash_file import format_hashes
from tests.dedup.images import add_file
from tests.dedup.photographs import jpeg, originals
from vockit.format.image_sets import Split
from vocparty import main

from .folders import COPIES, hold_originals, make_theirs, release, write_files


def invoke(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_hash_file_needs_no_party_and_finds_the_same_overlap(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = hold_originals(party)
    release(party, "VOC2026", dict.fromkeys(ids.values(), Split.TEST))
    folder = make_theirs(tmp_path / "theirs")
    monkeypatch.chdir(tmp_path)
    status, text, errors = invoke("hashes", folder)
    assert (status, "Hashing: 8 of 8 images" in errors) == (0, True)
    (tmp_path / "hashes.txt").write_text(text)
    results = [
        invoke("overlap", source, "--party", party.folder) for source in (folder, "hashes.txt")
    ]
    for status, output, _errors in results:
        *lines, summary = output.splitlines()
        assert status == 1
        assert [line.split("\t") for line in lines] == [
            [name, "duplicate", f"2026_{ids[COPIES[name]]:06d} (VOC2026, test)"]
            for name in sorted(COPIES)
        ]
        assert summary == "5 of 8 images are near-duplicates of 7 images (test)."


def test_a_folder_without_overlap_exits_with_0(party: Party, tmp_path: Path) -> None:
    hold_originals(party, ("rocket",))
    folder = write_files(tmp_path / "theirs", {"a.jpg": jpeg(originals()["coffee"])})
    assert invoke("overlap", folder, "--against", "all", "--party", party.folder)[:2] == (
        0,
        "0 of 1 images are near-duplicates of 1 images (all).\n",
    )


def test_the_json_lists_overlapping_images_and_broken_files(party: Party, tmp_path: Path) -> None:
    ids = hold_originals(party, ("rocket",))
    files = {"a.jpg": jpeg(originals()["rocket"], quality=40), "b.jpg": b"no picture"}
    folder = write_files(tmp_path / "theirs", files)
    status, output, _errors = invoke(
        "overlap", folder, "--against", "all", "--json", "--party", party.folder
    )
    document = json.loads(output)
    (overlap,) = document["overlaps"]
    (broken,) = document["broken"]
    assert status == 1
    assert (overlap["file"], overlap["relation"]) == ("a.jpg", "duplicate")
    assert overlap["image"]["id"] == ids["rocket"]
    assert overlap["similarity"] > 0.9
    assert broken["file"] == "b.jpg"
    assert (document["ours"], document["theirs"], document["against"]) == (1, 1, "all")


def test_the_page_has_both_pictures_and_escapes_hostile_names(party: Party, tmp_path: Path) -> None:
    hold_originals(party, ("rocket",))
    with (party.folder / "party.toml").open("a") as settings:
        settings.write('\n[serve]\nurl = "https://zoo.example"\n')
    name = "<script>alert(1)</script>.jpg".replace("/", "")
    folder = write_files(tmp_path / "theirs", {name: jpeg(originals()["rocket"], quality=40)})
    page = tmp_path / "page.html"
    status, output, _errors = invoke(
        "overlap", folder, "--against", "all", "--html", page, "--party", party.folder
    )
    html = page.read_text()
    assert status == 1
    assert output.endswith(f"Wrote {page}.\n")
    assert html.count("data:image/jpeg;base64,") == 2
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert '<a href="https://zoo.example/images?id=1">image 1</a>' in html


def test_the_page_of_a_hash_file_shows_only_our_pictures(party: Party, tmp_path: Path) -> None:
    hold_originals(party, ("rocket",))
    folder = write_files(tmp_path / "theirs", {"a.jpg": jpeg(originals()["rocket"], quality=40)})
    (tmp_path / "hashes.txt").write_text(invoke("hashes", folder)[1])
    page = tmp_path / "page.html"
    source = tmp_path / "hashes.txt"
    invoke("overlap", source, "--against", "all", "--html", page, "--party", party.folder)
    html = page.read_text()
    assert html.count("data:image/jpeg;base64,") == 1
    assert "only its hashes are here" in html


def test_broken_files_are_named_and_the_others_are_hashed(tmp_path: Path) -> None:
    picture = jpeg(originals()["rocket"])
    files = {"cut.jpg": picture[:2000], "empty.png": b"", "fine.jpg": picture}
    status, text, errors = invoke("hashes", write_files(tmp_path, files))
    assert status == 1
    assert "2 broken files without hashes" in errors
    kinds = [line.split("\t")[0] for line in text.splitlines()]
    assert kinds == ["vocparty-hashes 4", "recipe", "broken", "broken", "image", "end"]


@pytest.mark.parametrize("command", ["hashes", "overlap"])
def test_a_folder_without_images_is_refused(party: Party, tmp_path: Path, command: str) -> None:
    hold_originals(party, ("rocket",))
    folder = write_files(tmp_path / "theirs", {"notes.txt": b"nothing"})
    more = () if command == "hashes" else ("--against", "all", "--party", party.folder)
    status, output, errors = invoke(command, folder, *more)
    assert (status, output) == (2, "")
    (sentence,) = errors.splitlines()
    assert sentence.startswith(f"Error: {folder} holds no image; expected files such as ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("vocparty-hashes 7\nrecipe\tx\n", "is of version 7"), ("", "is no file of hashes")],
)
def test_a_bad_hash_file_is_refused(party: Party, tmp_path: Path, text: str, sentence: str) -> None:
    hold_originals(party, ("rocket",))
    (tmp_path / "hashes.txt").write_text(text)
    status, output, errors = invoke(
        "overlap", tmp_path / "hashes.txt", "--against", "all", "--party", party.folder
    )
    assert (status, output) == (2, "")
    (line,) = errors.splitlines()
    assert line.startswith("Error: ")
    assert sentence in line


def test_a_hash_file_without_images_is_no_clean_result(party: Party, tmp_path: Path) -> None:
    hold_originals(party, ("rocket",))
    (tmp_path / "hashes.txt").write_text("".join(format_hashes([])))
    status, output, _errors = invoke(
        "overlap", tmp_path / "hashes.txt", "--against", "all", "--party", party.folder
    )
    assert status == 1
    assert "There are no images; nothing was compared" in output


def test_both_copies_of_one_photograph_in_a_folder_are_found(party: Party, tmp_path: Path) -> None:
    hold_originals(party, ("rocket",))
    copy = jpeg(originals()["rocket"], quality=60)
    folder = write_files(tmp_path / "theirs", {"a.jpg": copy, "b.jpg": copy, "c.jpg": copy})
    status, output, _errors = invoke(
        "overlap", folder, "--against", "all", "--json", "--party", party.folder
    )
    document = json.loads(output)
    assert status == 1
    assert [overlap["file"] for overlap in document["overlaps"]] == ["a.jpg", "b.jpg", "c.jpg"]
    assert document["compared"]["different"] == ["a.jpg", "b.jpg", "c.jpg"]


def test_a_missing_folder_is_wrong_usage(party: Party, tmp_path: Path) -> None:
    assert invoke("overlap", tmp_path / "gone", "--party", party.folder)[0] == 2
    assert invoke("hashes", tmp_path / "gone")[0] == 2


def test_our_unhashed_images_make_the_check_incomplete(party: Party, tmp_path: Path) -> None:
    hold_originals(party, ("rocket",))
    add_file(party, jpeg(originals()["china"]))
    folder = write_files(tmp_path / "theirs", {"a.jpg": jpeg(originals()["coffee"])})
    status, output, errors = invoke("overlap", folder, "--against", "all", "--party", party.folder)
    assert status == 1
    assert "1 of our images is not hashed yet and compared with nothing" in errors
    assert output == "0 of 1 images are near-duplicates of 2 images (all).\n"
