"""The picture that a label file means by a name."""

import unicodedata
from pathlib import Path

import pytest

from vockit.foreign.datasets.picture_files import PictureFiles


def make_pictures(root: Path, *paths: str) -> PictureFiles:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return PictureFiles(root)


def test_pictures_are_found_by_their_ending_in_folders_that_are_not_hidden(tmp_path: Path) -> None:
    pictures = make_pictures(
        tmp_path,
        "a.jpg",
        "train/B.JPEG",
        "train/deep/c.png",
        "train/d.heic",
        "train/._a.jpg",  # macOS keeps it beside a.jpg on another file system
        ".cache/e.jpg",
        "train/.thumbnails/f.jpg",
        "train/labels.txt",
        "train/jpg",
    )
    assert pictures.list_below("") == ["a.jpg", "train/B.JPEG", "train/d.heic", "train/deep/c.png"]
    assert len(pictures) == 4


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a.jpg", "train/images/a.jpg"),
        ("./a.jpg", "train/images/a.jpg"),
        ("images/a.jpg", "train/images/a.jpg"),
        ("images\\a.jpg", "train/images/a.jpg"),
        ("/data/of/others/a.jpg", "train/images/a.jpg"),
        ("C:\\data\\a.jpg", "train/images/a.jpg"),
        ("../b.jpg", "b.jpg"),
        ("A.jpg", None),
        ("missing.jpg", None),
        ("", None),
    ],
)
def test_a_name_means_the_file_from_a_folder_or_the_only_one_called_so(
    tmp_path: Path, name: str, path: str | None
) -> None:
    pictures = make_pictures(tmp_path, "train/images/a.jpg", "b.jpg")
    assert pictures.find(name, ["train"]) == path


def test_of_several_files_with_one_name_only_a_folder_says_which(tmp_path: Path) -> None:
    pictures = make_pictures(tmp_path, "train/a.jpg", "val/a.jpg", "test/a.jpg")
    assert pictures.find("a.jpg", []) is None
    assert pictures.find("elsewhere/a.jpg", ["train"]) is None
    assert pictures.find("a.jpg", ["val"]) == "val/a.jpg"
    assert pictures.find("a.jpg", ["none", "test", "val"]) == "test/a.jpg"
    assert pictures.find("train/a.jpg", ["", "val"]) == "train/a.jpg"


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.jpg").touch()
    pictures = make_pictures(tmp_path / "dataset", "a.jpg")
    for name in ("../secret.jpg", "images/../../secret.jpg", str(tmp_path / "secret.jpg")):
        assert pictures.find(name, ["", "images"]) is None


@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
@pytest.mark.parametrize("in_label", ["NFC", "NFD"])
def test_accents_may_be_written_in_either_way(tmp_path: Path, on_disk: str, in_label: str) -> None:
    path = unicodedata.normalize(on_disk, "Bäume/Käfer.jpg")  # type: ignore[arg-type]
    name = unicodedata.normalize(in_label, "Käfer.jpg")  # type: ignore[arg-type]
    folder = unicodedata.normalize(in_label, "Bäume")  # type: ignore[arg-type]
    pictures = make_pictures(tmp_path, path)
    assert pictures.find(name, []) == path
    assert pictures.list_below(folder) == [path]
    assert pictures.list_below("Bäum") == []
