"""The participants' kit: no label of a test set, the same bytes, a wheel that works, its manual."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.kit_reader import read_record
from tests.trees import OBJECTS, SETS, make_tree
from vockit.command import SUBCOMMANDS
from vockit.command import main as vockit
from vockit.foreign.own_wheel import ROOT, pack_wheel
from vockit.format.release_digest import find_release_digest
from vocparty import main

MANUAL = ROOT / "manual"
TEST_ID = SETS["test"][0]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A release with credits, a class map, masks of a test image, and lists of test everywhere."""
    root = make_tree(tmp_path / "release")
    (root.parent.parent / "CREDITS.csv").write_text("id,owner\n")
    (root.parent.parent / "splits.json").write_text("{}")
    for folder in ("SegmentationClass", "SegmentationObject"):
        mask = (root / folder / "2012_000001.png").read_bytes()
        (root / folder / f"{TEST_ID}.png").write_bytes(mask)
    (root / "ImageSets/Segmentation/test.txt").write_text(f"{TEST_ID}\n")
    (root / "ImageSets/Layout/test.txt").write_text(f"{TEST_ID}  1\n")
    (root / "ImageSets/Action/walking_test.txt").write_text("2012_000005  1  1\n")
    return root


def test_the_paths_and_files_that_the_official_kit_reads_are_there(
    tree: Path, tmp_path: Path
) -> None:
    """As its VOCinit.m makes them; annotations are read by a model of its reader."""
    run("devkit", tmp_path / "kit", "--release", tree)
    devkit = tmp_path / "kit/VOCdevkit"
    root = devkit / tree.name
    for place in ("local", "results"):
        assert (devkit / place / tree.name).is_dir()
    for task in ("Main", "Layout", "Segmentation", "Action"):
        assert (devkit / "results" / tree.name / task).is_dir()
    for image_set in ("train", "val", "trainval", "test"):
        for image_id in (root / f"ImageSets/Main/{image_set}.txt").read_text().split():
            assert (root / f"JPEGImages/{image_id}.jpg").is_file()
            if image_set != "test":
                record = read_record((root / f"Annotations/{image_id}.xml").read_bytes())
                assert record.objects
    for image_set in ("train", "val"):
        for image_id in (root / f"ImageSets/Segmentation/{image_set}.txt").read_text().split():
            assert (root / f"SegmentationClass/{image_id}.png").is_file()
            assert (root / f"SegmentationObject/{image_id}.png").is_file()


def test_a_kit_tells_how_far_it_is(tree: Path, tmp_path: Path) -> None:
    words = ["devkit", str(tmp_path / "kit"), "--release", str(tree)]
    lines = CliRunner().invoke(main, words).stderr.splitlines()
    written = sum(path.is_file() for path in (tmp_path / "kit/VOCdevkit/VOC2012").rglob("*"))
    packed = sum(path.is_file() for path in (tmp_path / "kit").rglob("*"))
    assert lines == [
        f"Writing: {written} of {written} files",
        f"Packing: {packed} of {packed} files",
    ]


def run(*words: object, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["-q", *map(str, words)])
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    return done.output


def list_files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_the_kit_has_all_pictures_and_no_label_of_a_test_image(tree: Path, tmp_path: Path) -> None:
    said = run("devkit", tmp_path / "kit", "--release", tree.parent.parent)
    assert "6 images, 2 of them without labels." in said
    files = list_files(tmp_path / "kit")
    inside = {path.partition("/VOC2012/")[2] for path in files if "/VOC2012/" in path}
    assert {f"JPEGImages/{image_id}.jpg" for image_id in OBJECTS} <= inside
    labels = {path for path in inside if path.startswith(("Annotations", "Segmentation"))}
    assert not [path for path in labels if TEST_ID in path or "2012_000005" in path]
    assert "Annotations/2012_000001.xml" in labels
    lists = {path for path in inside if path.startswith("ImageSets/")}
    assert {path for path in lists if path.endswith("test.txt")} == {
        "ImageSets/Action/test.txt",
        "ImageSets/Main/test.txt",
        "ImageSets/Segmentation/test.txt",
    }
    assert files["VOCdevkit/VOC2012/ImageSets/Action/test.txt"] == b"2012_000005  1\n"
    boxes = files["VOCdevkit/VOC2012/ImageSets/Action/test_boxes.csv"].decode().splitlines()
    assert [line.split(",")[:2] for line in boxes[1:]] == [["2012_000005", "1"]]
    assert "ImageSets/Main/cat_train.txt" in lists
    assert "CREDITS.csv" in files
    assert "splits.json" not in files
    name, digest = files["release.txt"].decode().split()
    assert (name, digest) == ("VOC2012", find_release_digest(tree))
    assert digest == find_release_digest(tmp_path / "kit/VOCdevkit/VOC2012")
    assert {"Main/.keep", "Action/.keep"} < inside  # below results
    assert "@" not in files["Makefile"].decode().replace("\t@", "")
    for line in files["SHA256SUMS"].decode().splitlines():
        expected, path = line.split("  ")
        assert hashlib.sha256(files[path]).hexdigest() == expected


def test_only_pictures_of_the_kit_count_as_without_labels(tree: Path, tmp_path: Path) -> None:
    with (tree / "ImageSets/Main/test.txt").open("a") as file:
        file.write("2012_999999\n")
    said = run("devkit", tmp_path / "kit", "--release", tree.parent.parent)
    assert "6 images, 2 of them without labels." in said


def test_the_kit_has_no_label_of_a_second_test_set(tree: Path, tmp_path: Path) -> None:
    for path in sorted((tree / "ImageSets").rglob("*test.txt")):
        path.rename(path.with_name(path.name.replace("test.txt", "test2.txt")))
    run("devkit", tmp_path / "kit", "--release", tree.parent.parent)
    files = list_files(tmp_path / "kit")
    inside = {path.partition("/VOC2012/")[2] for path in files if "/VOC2012/" in path}
    labels = {path for path in inside if path.startswith(("Annotations", "Segmentation"))}
    assert not [path for path in labels if TEST_ID in path]
    assert {path for path in inside if path.endswith("test2.txt")} == {
        "ImageSets/Action/test2.txt",
        "ImageSets/Main/test2.txt",
        "ImageSets/Segmentation/test2.txt",
    }


def test_the_same_release_gives_the_same_archive(tree: Path, tmp_path: Path) -> None:
    for place in ("first", "second"):
        (tmp_path / place).mkdir()
        run("devkit", tmp_path / place / "kit", "--release", tree)
    first, second = (tmp_path / place / "kit.tar.gz" for place in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        entries = archive.getmembers()
    assert {entry.mtime for entry in entries} == {0}
    assert {entry.uid for entry in entries} == {0}
    packed = {entry.name.partition("/")[2] for entry in entries if entry.isfile()}
    assert packed == set(list_files(tmp_path / "first/kit"))


def test_what_other_tools_left_in_the_release_does_not_come_into_the_kit(
    tree: Path, tmp_path: Path
) -> None:
    run("devkit", tmp_path / "before", "--release", tree)
    annotation = (tree / f"Annotations/{TEST_ID}.xml").read_bytes()
    labels = (tree / "ImageSets/Main/cat_test.txt").read_bytes()
    for path in (
        f"Annotations/{TEST_ID}.xml.bak",
        f"Annotations/{TEST_ID} (copy).xml",
        f"JPEGImages/{TEST_ID}.xml",  # where labelImg writes it unless told otherwise
        f"JPEGImages/{TEST_ID}.json",
        f"SegmentationClass/{TEST_ID} (1).png",
    ):
        (tree / path).write_bytes(annotation)
    for name in ("cat_test.txt.bak", "cat_test.old.txt", "cat_Test.txt", "test.csv"):
        (tree / "ImageSets/Main" / name).write_bytes(labels)
    run("devkit", tmp_path / "after", "--release", tree)
    assert list_files(tmp_path / "after") == list_files(tmp_path / "before")


def test_photographs_of_test_are_not_credited_as_their_pages_would_tell_what_they_show(
    tree: Path, tmp_path: Path
) -> None:
    beside = tree.parent.parent
    rows = [
        "id,owner,title",
        f'{TEST_ID},Ann,"A cat, asleep"',
        '2012_000001,Zoë,"Said ""cat"""',
    ]
    (beside / "CREDITS.csv").write_text("\n".join([*rows, ""]))
    (beside / "CREDITS.html").write_text(f"<tr><td>{TEST_ID}<td>A cat, asleep")
    run("devkit", tmp_path / "opened", "--release", beside)
    files = list_files(tmp_path / "opened")
    assert files["CREDITS.csv"].decode().splitlines() == [rows[0], rows[2]]
    assert not [path for path, data in files.items() if b"asleep" in data]
    assert "CREDITS.html" not in files
    (beside / "CREDITS.csv").write_text("\n".join([rows[0], rows[2], ""]))  # as a blind one has it
    run("devkit", tmp_path / "blind", "--release", beside)
    assert "CREDITS.html" in list_files(tmp_path / "blind")


def test_a_licence_above_a_tree_outside_of_a_devkit_is_not_the_licence_of_the_release(
    tree: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / "data").mkdir(parents=True)
    (project / "LICENSE").write_text("of the project")
    run("devkit", tmp_path / "kit", "--release", tree.rename(project / "data" / tree.name))
    assert "LICENSE" not in list_files(tmp_path / "kit")


def test_a_long_name_is_packed(tree: Path, tmp_path: Path) -> None:
    name = "photograph_" + "x" * 150
    for folder, suffix in (("JPEGImages", ".jpg"), ("Annotations", ".xml")):
        path = tree / folder / f"2012_000001{suffix}"
        (tree / folder / f"{name}{suffix}").write_bytes(path.read_bytes())
    run("devkit", tmp_path / "kit", "--release", tree)
    with tarfile.open(tmp_path / "kit.tar.gz") as archive:
        assert f"kit/VOCdevkit/VOC2012/JPEGImages/{name}.jpg" in archive.getnames()


FULL_DISK = """
import resource, sys
from vocparty import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
main(sys.argv[2:])
"""


def test_a_disk_that_is_full_before_the_archive_is_whole_leaves_no_kit(
    tree: Path, tmp_path: Path
) -> None:
    most_bytes = len(pack_wheel()[1]) + 1000  # more than each file of the folder has
    out = tmp_path / "new" / "kit"
    command = [sys.executable, "-c", FULL_DISK, str(most_bytes), "devkit", str(out)]
    done = subprocess.run(
        [*command, "--release", str(tree)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "cannot be written: File too large; nothing of it was kept." in done.stderr
    assert list(out.parent.iterdir()) == []
    run("devkit", out, "--release", tree)


@pytest.mark.parametrize("fault", ["folder", "archive", "no pictures", "link", "no release"])
def test_what_hinders_a_kit_is_told_and_nothing_is_written(
    tree: Path, tmp_path: Path, fault: str
) -> None:
    out = tmp_path / "kit"
    if fault == "folder":
        (out / "mine").mkdir(parents=True)
    elif fault == "archive":
        (tmp_path / "kit.tar.gz").write_text("mine")
    elif fault == "no pictures":
        for path in (tree / "JPEGImages").iterdir():
            path.unlink()
    elif fault == "link":
        (tree / "JPEGImages/x.jpg").symlink_to("/etc/hostname")
    else:
        tree = tmp_path / "nowhere"
    status = 1 if fault in ("no pictures", "link") else 2
    before = sorted(tmp_path.iterdir())
    said = run("devkit", out, "--release", tree, status=status)
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_a_stranger_checks_an_entry_with_the_kit_alone(tree: Path, tmp_path: Path) -> None:
    run("devkit", tmp_path / "kit", "--release", tree)
    place = tmp_path / "site"
    (wheel,) = (tmp_path / "kit").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-index", "--target"]
    environment = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PATH": "/usr/bin:/bin"}
    subprocess.run([*pip, str(place), str(wheel)], check=True, env=environment)
    code = (
        f"import sys; sys.path.insert(0, {str(place)!r})\n"
        "import vockit; assert vockit.__file__.startswith(sys.path[0]), vockit.__file__\n"
        "release = vockit.open_release('VOCdevkit/VOC2012')\n"
        "results = release.write_results('VOCdevkit/results/VOC2012', 'test')\n"
        "ids = [image.image_id for image in release.images('test')]\n"
        "results.detection('comp3', 'cat', ids, [1.0] * len(ids), [[1, 1, 9, 9]] * len(ids))\n"
        "from vockit.command import main\n"
        "main(['check-results', 'VOCdevkit/results/VOC2012', '--set', 'test'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path / "kit",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "comp3 (detection): 1 of 20 classes" in done.stdout
    scored = run(
        "evaluate", tree, "--results", tmp_path / "kit/VOCdevkit/results/VOC2012", "--set", "test"
    )
    assert "comp3 (detection)" in scored


PAGES = sorted(MANUAL.rglob("*.md*"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_commands_of_the_manual_exist(page: Path) -> None:
    text = page.read_text()
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        place = link.removeprefix("manual/")
        assert (page.parent / link).exists() or (MANUAL / place).exists(), link
    for name, rest in re.findall(r"vockit ([a-z]+(?:-[a-z]+)?)\b([^`\n]*)", text):
        if name not in SUBCOMMANDS:
            assert name in ("does", "the"), name  # a sentence about vockit
            continue
        command = vockit.get_command(click.Context(vockit), name)
        assert command is not None
        options = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= options | {"--help"}
