"""The tar archives hold the tree's files as VOC shipped them, with the same bytes every time."""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.exporting import contents, verify_tree
from tests.warm import Warm
from vockit.errors import FolderTakenError, WriteError
from vockit.foreign.archives import write_archives
from vockit.foreign.tree_images import load_tree

from . import cut_off


@pytest.fixture
def out(stocked_release: Path, tmp_path: Path) -> Path:
    """A release that a test may change."""
    return Path(shutil.copytree(stocked_release, tmp_path / "out"))


def test_unpacking_both_archives_gives_the_tree(out: Path, tmp_path: Path) -> None:
    paths = write_archives(out, tmp_path / "tars")
    assert [path.name for path in paths] == ["VOC2026trainval.tar", "VOC2026test.tar"]
    for path in paths:
        subprocess.run(["tar", "-xf", path, "-C", _made(tmp_path / "unpacked")], check=True)
    assert contents(tmp_path / "unpacked" / "VOCdevkit") == contents(out / "VOCdevkit")
    assert verify_tree(tmp_path / "unpacked") == []
    check = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    assert subprocess.run(check, cwd=tmp_path / "tars", check=False).returncode == 0


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def test_the_trainval_archive_names_no_test_image(out: Path, tmp_path: Path) -> None:
    trainval, test = write_archives(out, tmp_path / "tars")
    with tarfile.open(trainval) as archive:
        names = [member.name for member in archive if member.isfile()]
    main = out / "VOCdevkit" / "VOC2026" / "ImageSets" / "Main"
    hidden = (main / "test.txt").read_text().split()
    assert not [name for name in names if any(public_id in name for public_id in hidden)]
    assert not [name for name in names if name.endswith("test.txt")]
    with tarfile.open(test) as archive:
        pictures = [member.name for member in archive if member.name.endswith(".jpg")]
    assert [Path(name).stem for name in pictures] == hidden


def test_archives_have_the_same_bytes_at_any_time_and_place(out: Path, tmp_path: Path) -> None:
    write_archives(out, tmp_path / "first")
    shutil.copytree(out, tmp_path / "elsewhere" / "copy")
    for path in (tmp_path / "elsewhere").rglob("*"):
        path.chmod(0o700)
        os.utime(path, (1, 1))
    write_archives(tmp_path / "elsewhere" / "copy", tmp_path / "second")
    assert contents(tmp_path / "second") == contents(tmp_path / "first")


def test_a_link_out_of_the_tree_is_not_packed(out: Path, tmp_path: Path) -> None:
    pictures = out / "VOCdevkit" / "VOC2026" / "JPEGImages"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.jpg").write_text("secret")
    for link, target in (
        (pictures / "a.jpg", tmp_path / "elsewhere" / "secret.jpg"),
        (pictures.with_name("more"), tmp_path / "elsewhere"),
        (pictures / "b.jpg", tmp_path / "nothing"),
    ):
        link.symlink_to(target)
        with pytest.raises(WriteError, match=f"{link} is a link"):
            write_archives(out, tmp_path / "tars")
        link.unlink()
        assert not (tmp_path / "tars").exists()


def test_a_link_inside_the_tree_is_packed_as_its_file(out: Path, tmp_path: Path) -> None:
    picture = min((out / "VOCdevkit" / "VOC2026" / "JPEGImages").iterdir())
    picture.rename(picture.parents[1] / "kept.bin")
    picture.symlink_to("../kept.bin")
    for path in write_archives(out, tmp_path / "tars"):
        subprocess.run(["tar", "-xf", path, "-C", _made(tmp_path / "unpacked")], check=True)
    unpacked = tmp_path / "unpacked" / picture.relative_to(out)
    assert not unpacked.is_symlink()
    assert unpacked.read_bytes() == picture.read_bytes()


def test_a_folder_that_is_not_empty_is_refused(out: Path, tmp_path: Path) -> None:
    with pytest.raises(FolderTakenError):
        write_archives(out, out)


@pytest.mark.parametrize("command", [["archive"], ["convert", "--to", "yolo"]])
def test_a_full_disk_leaves_no_half_file(out: Path, tmp_path: Path, command: list[str]) -> None:
    if command[0] == "convert":  # pictures are linked, so that a label has to be the long one
        tree = load_tree(out)
        path = out / "VOCdevkit" / "VOC2026" / "Annotations" / f"{tree.images[0].image_id}.xml"
        text = path.read_text()
        head, item, _ = text.partition("\t<object>")
        first = text.partition(item)[2].partition("\t</object>\n")[0]
        objects = (item + first + "\t</object>\n") * 200
        path.write_text(head + objects + text.rpartition("\t</object>\n")[2])
    arguments = [*command, str(out), str(tmp_path / "target" / "new")]
    run = Warm(arguments, main=cut_off.run_onto_full_disk)
    _out, err = run.communicate()
    assert run.returncode == 1
    assert "cannot be written: File too large; nothing of it was kept." in err
    assert list((tmp_path / "target").iterdir()) == []
