"""check-results gives the verdict of evaluate without a label of the set."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from vockit.evaluate.curves import Rules
from vockit.evaluate.truth import open_truth
from vockit.foreign.identity import RELEASE_FILE
from vockit.format.release_digest import find_release_digest

from .entries import make_blind, make_png, make_valid, pack, run, tell
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


def test_faults_are_refused_in_the_words_of_the_evaluation(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", "2012_999999 0.9 1 1 9 9\n" + ROW + " 7\n")
    results = devkit / "results" / "VOC2012"
    said = run("check-results", results, status=1)
    assert "The results hold 2 problems; nothing was scored." in said
    assert said == run("evaluate", devkit, status=1)


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


def test_an_archive_of_the_finder_has_the_verdict_of_its_folder(devkit: Path) -> None:
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    archive = pack(results, ".zip")
    with zipfile.ZipFile(archive, "a") as zipped:
        zipped.writestr("__MACOSX/VOC2012/Main/._comp3_det_val_cat.txt", b"\0\5\x16\7")
    shown = run("check-results", archive, "--release", devkit)
    assert shown == run("check-results", results).replace(str(results), str(archive))
