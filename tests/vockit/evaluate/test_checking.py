"""check-results gives the verdict of evaluate without a label of the set."""

from __future__ import annotations

import errno
import gzip
import io
import json
import lzma
import random
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from vockit.evaluate.checking import check_results
from vockit.evaluate.curves import Rules
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.members import Caps
from vockit.evaluate.scoring import score
from vockit.evaluate.truth import open_truth
from vockit.foreign.identity import RELEASE_FILE
from vockit.format.release_digest import find_release_digest
from vocparty import main

from .small_tree import HEAD, IDS, ROW, write, write_masks, write_person, write_result

BAD_TEXTS = [
    b"",
    b"\n\n\n",
    b"\xff\x00",
    b"\x00" * 64,
    b"\xef\xbb\xbf",
    "\u202e 0.5 1 2 3 4\n".encode(),
    b"nowhere",
    b"nowhere 1\n" * 30,
    b"nowhere 1 2 3 4 5\n" * 30,
    f"{IDS[0]}\n".encode(),
    f"{IDS[0]} 0.5\n".encode(),
    f"{IDS[0]} 0,5\n".encode(),
    f"{IDS[0]} half\n".encode(),
    f"{IDS[0]} 1_0\n".encode(),
    f"{IDS[0]} nan\n{IDS[1]} inf\n".encode(),
    f"{IDS[0]} 0.5\n{IDS[0]} 0.7\n".encode(),
    f"{IDS[0]}.jpg 0.5\n".encode(),
    f"{IDS[1]} 1 0.5\n".encode(),
    f"{IDS[1]} 7 0.5\n".encode(),
    f"{IDS[1]} 1.5 0.5\n".encode(),
    f"{IDS[1]} nan 0.5\n".encode(),
    f"{IDS[1]} 1 0.5\n{IDS[1]} 1 0.6\n".encode(),
    ROW.encode(),
    f"{ROW} 7\n".encode(),
    f"{ROW}\r\n\r\n{ROW}".encode(),
    f"{IDS[0]} 0.9 60 60 10 10\n".encode(),
    f"{IDS[0]} 0.9 nan inf -inf 1e309\n".encode(),
    f"{IDS[0]}\t0.5\n".encode("utf-16"),
    b"{}",
    b"PK\x03\x04",
    "2012_00000\u0661 0.5\n".encode(),
    b"a" * 100_000,
]
TEXT_FILES = [
    "Main/comp1_cls_val_cat.txt",
    "Main/comp3_det_val_cat.txt",
    "Action/comp9_action_val_running.txt",
]
BAD_LAYOUTS = [
    "",
    "<results/>",
    "<results></results>",
    "<results><layout></layout></results>",
    "<!DOCTYPE x [<!ENTITY a 'b'>]><results/>",
    "<a>" * 2000,
    f"<results>{write_person(IDS[1], 1, 0.5, '')}</results>",
    f"<results>{write_person(IDS[1], 9, 0.5, HEAD)}</results>",
    f"<results>{write_person('nowhere', 1, 0.5, HEAD)}</results>",
    f"<results>{write_person(IDS[1], 1, 0.5, HEAD) * 2}</results>",
    f"<results>{write_person(IDS[1], 1, 0.5, HEAD.replace('head', 'nose'))}</results>",
    f"<results>{write_person(IDS[1], 1, float('nan'), HEAD)}</results>",
    f"<results>{write_person(IDS[1], 1, 0.5, HEAD.replace('bndbox', 'box'))}</results>",
    f"<results>{write_person(IDS[1], 1, 0.5, HEAD.replace('>5<', '>five<'))}</results>",
    f"<results>{write_person(IDS[1], 1, 0.5, HEAD)}",
    f"<results>{write_person(IDS[1], 1, 0.5, HEAD)}</results>".replace("<image>", "<image x='1'>"),
]


def make_png(mode: str, size: tuple[int, int], fill: int = 0) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size, fill).save(buffer, "PNG")
    return buffer.getvalue()


BAD_MASKS = [
    b"",
    b"GIF89a",
    b"\x89PNG\r\n\x1a\n",
    make_png("L", (100, 80))[:60],
    make_png("L", (100, 80))[:-8],
    make_png("L", (80, 100)),
    make_png("L", (100, 80), 3),
    make_png("L", (100, 80), 255),
    make_png("P", (100, 80), 9),
    make_png("RGB", (100, 80)),
    make_png("RGBA", (100, 80)),
    make_png("LA", (100, 80)),
    make_png("I;16", (100, 80), 300),
    b"a large mask",  # made only in the test
]
ODD_FILES = [
    "Main/comp1_cls_val_zebra.txt",
    "Main/comp3_det_val_zebra.txt",
    "Main/comp3_det_test_cat.txt",
    "Main/comp3_det_val_.txt",
    "Main/comp13_det_val_cat.txt",
    "Main/COMP3_det_val_cat.txt",
    "Main/comp3_det_val_cat.TXT",
    "Action/comp9_action_val_flying.txt",
    "Action/comp9_action_test_running.txt",
    "Layout/comp7_layout_test.xml",
    "Layout/comp9_layout_val.xml",
    "comp3_det_val_cat.txt",
    "VOC2012/Main/comp3_det_val_cat.txt",
    "notes.txt",
    "Segmentation/comp5_test_cls/x.png",
    f"Segmentation/comp5_val_cls/{IDS[2]}.png",
]


def list_cases() -> Iterator[tuple[str, bytes]]:
    for name in TEXT_FILES:
        yield from ((name, data) for data in BAD_TEXTS)
    yield from (("Layout/comp7_layout_val.xml", text.encode()) for text in BAD_LAYOUTS)
    yield from ((f"Segmentation/comp5_val_cls/{IDS[0]}.png", data) for data in BAD_MASKS)
    yield from ((name, ROW.encode()) for name in ODD_FILES)
    yield from ((name, b"a folder") for name in (*TEXT_FILES, "Layout/comp7_layout_val.xml"))
    yield from ((name, b"a link") for name in (*TEXT_FILES, "Layout/comp7_layout_val.xml"))
    other = f"VOC2012 {'0' * 64}"
    names = (IDS[0], other, "VOC2011 " + "0" * 64, "", "\xff", "VOC2012", f"\n{other}\n", "\0")
    for name in (*names, f"{other} {IDS[0]}", f"{other}\nwithdrawn {IDS[0]}"):
        yield RELEASE_FILE, name.encode("latin-1")


def put(folder: Path, name: str, data: bytes) -> None:
    """Write a hostile file; or a folder, a link that leads nowhere, or a large mask."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if data == b"a folder":
        path.mkdir()
    elif data == b"a link":
        path.symlink_to("nowhere")
    elif data == b"a large mask":
        path.write_bytes(make_png("1", (12_000, 12_000)))
    else:
        path.write_bytes(data)


def make_valid(folder: Path) -> None:
    """A valid entry in all five tasks."""
    rated = "".join(f"{image_id} 0.{place}\n" for place, image_id in enumerate(IDS))
    write(folder / "Main/comp1_cls_val_cat.txt", rated)
    write(folder / "Main/comp3_det_val_cat.txt", f"{ROW}\n")
    write(folder / "Action/comp9_action_val_running.txt", f"{IDS[1]} 1 0.9\n{IDS[2]} 2 0.1\n")
    layouts = write_person(IDS[1], 1, 0.5, HEAD)
    write(folder / "Layout/comp7_layout_val.xml", f"<results>{layouts}</results>")
    for image_id in IDS[:2]:
        path = folder / f"Segmentation/comp5_val_cls/{image_id}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make_png("L", (100, 80), 1))


def make_blind(devkit: Path) -> Path:
    """The tree without a label: lists of images and persons, and pictures alone."""
    root = devkit / "VOC2012"
    write(root / "ImageSets/Action/val.txt", f"{IDS[1]}  1\n{IDS[2]}  2\n")
    write(root / "ImageSets/Action/running_train.txt", "")
    (root / "JPEGImages").mkdir()
    for image_id in IDS:
        Image.new("RGB", (100, 80)).save(root / f"JPEGImages/{image_id}.jpg")
    blind = shutil.copytree(root, devkit / "blind" / "VOC2012")
    shutil.rmtree(blind / "Annotations")
    shutil.rmtree(blind / "SegmentationClass")
    for path in (blind / "ImageSets").glob("*/*_val.txt"):
        path.unlink()
    return blind


def tell(what: str, tree: Path, results: Path, rules: Rules | None = None) -> tuple[str, list[str]]:
    """What is refused, or what can be scored, and the notes."""
    truth = open_truth(tree, "val", rules)
    try:
        if what == "evaluate":
            scores = score(truth, results)
            masks = {name for name, entry in scores.segmentations.items() if not entry.is_painted}
            return " ".join(sorted(masks.union(*scores.tasks.values()))), list(scores.notes)
        entry = check_results(truth, results)
        return " ".join(sorted({name for _, name in entry.competitions})), list(entry.notes)
    except EvaluateError as error:
        return str(error).replace(str(tree), "TREE"), []


def test_the_verdict_on_hostile_results_is_that_of_the_evaluation(devkit: Path) -> None:
    blind = make_blind(devkit)
    results = devkit / "results" / "VOC2012"
    cases = list(list_cases())
    assert len(cases) >= 160
    refused = 0
    for base in ("alone", "in a valid entry"):
        for name, data in cases:
            shutil.rmtree(results, ignore_errors=True)
            results.mkdir(parents=True)
            if base != "alone":
                make_valid(results)
            put(results, name, data)
            expected = tell("evaluate", devkit / "VOC2012", results)
            assert tell("check", blind, results) == expected, (base, name, data)
            assert tell("check", devkit / "VOC2012", results) == expected, (base, name, data)
            refused += "comp" not in expected[0].split("\n")[0][:5]
    assert refused > 150


@pytest.mark.parametrize("rules", [Rules.VOC2007, Rules.VOC2008])
def test_the_verdict_is_that_of_the_evaluation_by_other_rules(devkit: Path, rules: Rules) -> None:
    blind = make_blind(devkit)
    for root in (blind, devkit / "VOC2012"):
        if rules is Rules.VOC2007:
            write(root / "ImageSets/Layout/val.txt", f"{IDS[1]}\n{IDS[2]}\n")
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>50</xmax><ymax>80</ymax></bndbox>"
    for image_id in (IDS[1], "nowhere"):
        layout = f"<layout><image>{image_id}</image><confidence>1</confidence>{box}{HEAD}</layout>"
        write(results / "Layout/comp6_layout_val_person.xml", f"<results>{layout}</results>")
        expected = tell("evaluate", devkit / "VOC2012", results, rules)
        assert tell("check", blind, results, rules) == expected


def test_layouts_and_masks_of_one_competition_are_both_in_the_document(devkit: Path) -> None:
    blind = make_blind(devkit)
    write(blind / "ImageSets/Layout/val.txt", f"{IDS[1]}\n")
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    folder = results / "Segmentation"
    (folder / "comp5_val_cls").rename(folder / "comp6_val_cls")
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>50</xmax><ymax>80</ymax></bndbox>"
    layout = f"<layout><image>{IDS[1]}</image><confidence>1</confidence>{box}{HEAD}</layout>"
    write(results / "Layout/comp6_layout_val_person.xml", f"<results>{layout}</results>")
    words = ("--release", blind, "--rules", "2007", "--json")
    tasks = json.loads(run("check-results", results, *words))["tasks"]
    assert "comp6" in tasks["layout"]
    assert "comp6" in tasks["segmentation"]


def test_a_person_that_the_list_of_action_has_twice_is_one(devkit: Path) -> None:
    blind = make_blind(devkit)
    write(blind / "ImageSets/Action/val.txt", f"{IDS[1]}  1\n{IDS[1]}  1\n{IDS[2]}  2\n")
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    assert "comp9 (action): 1 of" in run("check-results", results, "--release", blind)


def run(*words: object, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["-q", *map(str, words)])
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    return done.output


def test_without_a_label_map_a_blind_set_has_the_classes_of_the_other_sets(devkit: Path) -> None:
    root = devkit / "VOC2012"
    (root / "labelmap.txt").unlink()
    labels = f"{IDS[0]}  1\n{IDS[1]} -1\n{IDS[2]}  1\n"
    for image_set in ("train", "val"):
        for name in ("cat", "person", "zebra"):
            write(root / f"ImageSets/Main/{name}_{image_set}.txt", labels)
    blind = make_blind(devkit)
    results = devkit / "results" / "VOC2012"
    write(results / "Main/comp1_cls_val_zebra.txt", "".join(f"{name} 0.5\n" for name in IDS))
    expected = tell("evaluate", root, results)
    assert expected[0] == "comp1"
    assert tell("check", blind, results) == expected
    assert open_truth(blind, "val").classes == ("cat", "person", "zebra")


def test_a_valid_entry_is_listed_and_lacks_what_it_lacks(devkit: Path) -> None:
    make_blind(devkit)
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    shown = run("check-results", results)
    assert f"{results} can be scored on VOC2012 val by the rules of 2012." in shown
    assert "comp3 (detection): 1 of 2 classes; missing: person" in shown
    assert "comp7 (layout): 1 layout" in shown
    assert "comp5 (segmentation): 2 masks" in shown
    document = json.loads(run("check-results", results, "--json"))
    assert document["tasks"]["classification"]["comp1"]["missing"] == ["person"]


@pytest.mark.parametrize(
    ("task", "folder"),
    [("segmentation", "Segmentation"), ("classification", "Main"), ("layout", "Layout")],
)
def test_a_list_that_names_no_image_is_no_list_to_check_against(
    devkit: Path, task: str, folder: str
) -> None:
    blind = make_blind(devkit)
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    for unused in {"Main", "Segmentation", "Layout", "Action"} - {folder}:
        shutil.rmtree(results / unused)
    write(blind / f"ImageSets/{folder}/val.txt", "\n")
    said = run("check-results", results, "--release", blind, status=1)
    assert f"{folder}/val.txt names no image, so that no {task} can be checked." in said


def test_items_without_a_row_and_files_without_a_detection_are_noted(devkit: Path) -> None:
    blind = make_blind(devkit)
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    write(results / "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 0.5\n{IDS[0]} 0.6\n")
    write(results / "Main/comp3_det_val_cat.txt", "")
    write(results / "Action/comp9_action_val_running.txt", f"{IDS[1]} 1 0.9\n")
    notes = [
        "comp1_cls_val_cat.txt: 1 rows repeat an item; of each, the last row counts.",
        "comp1_cls_val_cat.txt: 2 of 3 items have no row and rank last.",
        "comp3_det_val_cat.txt holds no detection.",
        "comp9_action_val_running.txt: 1 of 2 items have no row and rank last.",
    ]
    assert tell("check", blind, results)[1] == notes
    assert tell("evaluate", devkit / "VOC2012", results)[1] == notes


def test_results_that_are_nowhere_are_told_without_an_option_that_the_command_lacks(
    devkit: Path,
) -> None:
    said = run("check-results", "nowhere", "--release", devkit, status=2)
    assert said == "Error: No results in nowhere; name the folder or file that holds them.\n"


def test_a_folder_too_deep_or_too_high_and_other_files_are_told_from_results(
    devkit: Path,
) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{ROW}\n")
    results = devkit / "results" / "VOC2012"
    above = run("check-results", results.parent, "--release", devkit, status=1)
    assert f"There are results in {results}; name that folder." in above
    below = run("check-results", results / "Main", "--release", devkit, status=2)
    assert f"name the one above it, {results}." in below
    other = devkit / "entry.7z"
    other.write_bytes(b"7z")
    assert "expected a folder with Main" in run(
        "check-results", other, "--release", devkit, status=2
    )


def test_faults_are_refused_in_the_words_of_the_evaluation(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", "2012_999999 0.9 1 1 9 9\n" + ROW + " 7\n")
    results = devkit / "results" / "VOC2012"
    said = run("check-results", results, status=1)
    assert "The results hold 2 problems; nothing was scored." in said
    assert said == run("evaluate", devkit, status=1)


def test_results_of_another_year_or_release_are_told_in_a_sentence(devkit: Path) -> None:
    tree = devkit / "VOC2012"
    other = devkit / "results" / "VOC2011"
    write(other / "Main/comp3_det_val_cat.txt", "2011_000001 0.9 1 1 9 9\n")
    said = run("check-results", other, "--release", tree, status=1)
    assert "The folder is named VOC2011, but the tree VOC2012" in said
    renamed = other.rename(devkit / "mine")
    said = run("check-results", renamed, "--release", tree, status=1)
    assert "No row names an image of the set val" in said
    write(renamed / RELEASE_FILE, f"VOC2011 {'0' * 64}\n")
    said = run("check-results", renamed, "--release", tree, status=1)
    assert "were made for VOC2011" in said
    assert said.count("\n") == 1
    write(renamed / RELEASE_FILE, f"VOC2012 {find_release_digest(tree)}\n")
    write(renamed / "Main/comp3_det_val_cat.txt", f"{ROW}\n")
    run("check-results", renamed, "--release", tree)


def test_a_tree_that_is_not_there_is_wrong_usage(devkit: Path) -> None:
    write_masks(devkit, 1, 1)
    (devkit / "VOC2012").rename(devkit / "elsewhere")
    said = run("check-results", devkit / "results" / "VOC2012", status=2)
    assert "name the release's tree with --release" in said


def test_a_blind_release_and_the_one_that_opens_it_have_one_digest(devkit: Path) -> None:
    blind = make_blind(devkit)
    digest = find_release_digest(blind)
    assert digest == find_release_digest(devkit / "VOC2012")
    write(blind / "ImageSets/Main/val.txt", f"{IDS[0]}\n")
    assert find_release_digest(blind) != digest


def pack(folder: Path, ending: str) -> Path:
    """An archive of the folder under a folder of its own, next to it."""
    form = {".zip": "zip", ".tar": "tar", ".tar.gz": "gztar"}[ending]
    place = folder.parent.parent / "packed"
    return Path(shutil.make_archive(str(place), form, folder.parent, folder.name))


@pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz"])
def test_an_archive_has_the_verdict_and_the_scores_of_its_folder(devkit: Path, ending: str) -> None:
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    archive = pack(results, ending)
    shown = run("check-results", archive, "--release", devkit)
    assert shown == run("check-results", results).replace(str(results), str(archive))
    scored = run("evaluate", devkit, "--results", archive, "--json")
    assert scored == run("evaluate", devkit, "--json")


def test_faults_in_an_archive_are_named_by_its_name(devkit: Path) -> None:
    results = devkit / "results" / "VOC2012"
    write(results / "Main/comp3_det_val_cat.txt", "nowhere 0.9 1 1 9 9\n")
    archive = pack(results, ".tar.gz")
    said = run("check-results", archive, "--release", devkit, status=1)
    assert f"{archive}/Main/comp3_det_val_cat.txt:1: expected an image of the set val" in said
    assert said == run("evaluate", devkit, "--results", archive, status=1)


@pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz"])
@pytest.mark.parametrize("left", [0, 10, 0.5, 0.99])
def test_an_archive_that_is_cut_off_is_refused_in_a_sentence(
    devkit: Path, ending: str, left: float
) -> None:
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    write(results / "Main/comp4_det_val_cat.txt", f"{ROW}\n" * 1000)
    archive = pack(results, ending)
    data = archive.read_bytes()
    archive.write_bytes(data[: int(left if left > 1 else left * len(data))])
    if (ending, left) == (".tar", 0.99):  # of which only the end mark is lost
        return
    said = run("check-results", archive, "--release", devkit, status=1)
    assert said.startswith(f"Error: {archive} is no whole archive (")
    assert said.count("\n") == 1


def test_an_archive_writes_nothing_outside_of_itself(devkit: Path) -> None:
    archive = devkit / "entry.tar"
    outside = devkit / "outside.txt"
    with tarfile.open(archive, "w") as packed:
        for name in ("../../../outside.txt", str(outside)):
            packed.addfile(tarfile.TarInfo(name))
        link = tarfile.TarInfo("Main")
        link.type = tarfile.SYMTYPE
        link.linkname = str(devkit)
        packed.addfile(link)
    said = run("check-results", archive, "--release", devkit, status=1)
    assert "names a file outside of itself, '../../../outside.txt'" in said
    assert not outside.exists()
    with zipfile.ZipFile(devkit / "entry.zip", "w") as zipped:
        zipped.writestr("../../../outside.txt", "x")
    run("check-results", devkit / "entry.zip", "--release", devkit, status=1)
    assert not outside.exists()


def test_an_archive_of_more_than_anyone_sends_is_not_unpacked(
    devkit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    monkeypatch.setattr("vockit.evaluate.packed.CAPS", Caps(total_bytes=100))
    said = run("check-results", pack(results, ".zip"), "--release", devkit, status=1)
    assert "expected at most 100,000 files" in said


def test_an_archive_is_refused_at_the_first_file_that_is_too_large(devkit: Path) -> None:
    """Nothing behind that is listed, which could take minutes of a small archive."""
    huge = tarfile.TarInfo("Main/comp3_det_val_cat.txt")
    huge.size = 9_000_000_000
    archive = devkit / "entry.tar.gz"
    archive.write_bytes(gzip.compress(huge.tobuf()))
    said = run("check-results", archive, "--release", devkit, status=1)
    assert "expected at most 100,000 files and 8 GB" in said


def test_an_archive_of_the_finder_has_the_verdict_of_its_folder(devkit: Path) -> None:
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    archive = pack(results, ".zip")
    with zipfile.ZipFile(archive, "a") as zipped:
        zipped.writestr("__MACOSX/VOC2012/Main/._comp3_det_val_cat.txt", b"\0\5\x16\7")
    shown = run("check-results", archive, "--release", devkit)
    assert shown == run("check-results", results).replace(str(results), str(archive))


def make_damaged_archives() -> Iterator[tuple[str, bytes]]:
    """Archives at which unpacking raises errors of many kinds, most of them not tarfile's own."""
    entry = tarfile.TarInfo("Main/comp3_det_val_cat.txt")
    entry.size = 100_000
    packed = bytearray(lzma.compress(entry.tobuf() + random.Random(0).randbytes(101_376)))
    packed[len(packed) // 2 : len(packed) // 2 + 200] = bytes(200)
    yield "entry.tar.gz", bytes(packed)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("Main/comp3_det_val_cat.txt", f"{ROW}\n" * 1000)
    data = bytearray(file.getvalue())
    start = data.index(b"comp3_det_val_cat.txt") + len(b"comp3_det_val_cat.txt")
    data[start + 12 : start + 60] = b"\xff" * 48
    yield "entry.zip", bytes(data)
    long = tarfile.TarInfo("Main/comp3_det_val_cat.txt")
    long.type = tarfile.GNUTYPE_LONGNAME
    long.size = 7_000_000_000
    yield "entry.tar.gz", gzip.compress(long.tobuf())


# The archives hold the time at which they were made: no name, where several processes list tests.
@pytest.mark.parametrize(
    ("name", "data"), list(make_damaged_archives()), ids=("xz", "deflate", "long name")
)
def test_a_damaged_archive_is_refused_in_a_sentence(devkit: Path, name: str, data: bytes) -> None:
    archive = devkit / name
    archive.write_bytes(data)
    said = run("check-results", archive, "--release", devkit, status=1)
    assert said.startswith(f"Error: {archive} is no whole archive (")
    assert said.count("\n") == 1
    assert "Errno" not in said


def test_a_full_disk_is_not_called_a_fault_of_the_archive(
    devkit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = devkit / "results" / "VOC2012"
    make_valid(results)

    def fail(*_words: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    archive = pack(results, ".zip")
    monkeypatch.setattr(zipfile.ZipFile, "open", fail)
    said = run("check-results", archive, "--release", devkit, status=1)
    assert "has no room for it; make room, or set TMPDIR" in said
