"""Every planted violation is named with file, line and rule; with a party, more are found."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image as Picture

from tests.exporting import run, verify_tree
from tests.party_rows import jpeg_bytes
from tests.trees import (
    CAT,
    CAT_LABEL,
    OBJECTS,
    PERSON,
    SETS,
    WALKER,
    Damage,
    annotation,
    draw,
    drop,
    drop_folder,
    edit,
    make_tree,
    mask_bytes,
    put,
    write,
)
from vockit.errors import TreeNotFoundError
from vockit.format.records import VocAction, VocBox, VocPoint
from vockit.verify.check import check_folder

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"
Planted = tuple[str, int, str]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path)


def found(root: Path) -> list[Planted]:
    return [(str(Path(it.file).relative_to(root)), it.line, it.rule) for it in verify_tree(root)]


def test_a_valid_tree_has_no_violation(tree: Path) -> None:
    assert found(tree) == []
    (report,) = check_folder(tree)
    assert (report.images, report.objects) == (6, 10)


def test_worker_processes_give_the_same_report(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "JPEGImages" / "broken.jpg").write_bytes(b"no picture")
    alone = check_folder(tree)
    monkeypatch.setattr("vockit.verify.trees.PROCESSES_FROM_IMAGES", 1)
    assert check_folder(tree) == alone
    assert alone[0].errors


def end(*_: object) -> None:
    os._exit(9)


def test_a_killed_process_changes_no_report(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = check_folder(tree)
    monkeypatch.setattr("vockit.verify.trees.PROCESSES_FROM_IMAGES", 1)
    monkeypatch.setattr("vockit.verify.trees.signal.signal", end)
    assert check_folder(tree) == alone


@pytest.mark.parametrize("above", [0, 1, 2])
def test_the_tree_is_found_from_the_folders_above_it(tree: Path, above: int) -> None:
    folder = [tree, *tree.parents][above]
    assert [report.root for report in check_folder(folder)] == [tree]


def test_the_tree_is_found_in_the_archive_of_2011(tree: Path, tmp_path: Path) -> None:
    shutil.move(tmp_path / "VOCdevkit", tmp_path / "TrainVal" / "VOCdevkit")
    assert len(check_folder(tmp_path)) == 1


def test_all_releases_of_a_devkit_are_checked(tree: Path, tmp_path: Path) -> None:
    shutil.copytree(tree, tmp_path / "VOCdevkit" / "VOC2011")
    assert [report.root.name for report in check_folder(tmp_path)] == ["VOC2011", "VOC2012"]


def test_a_folder_without_a_tree_is_reported(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(TreeNotFoundError):
            verify_tree(folder)


def rename(path: str, name: str) -> Damage:
    return lambda root: (root / path).rename((root / path).with_name(name))


def turned(data: bytes, orientation: int) -> bytes:
    """The picture with an EXIF orientation."""
    told = Picture.Exif()
    told[0x0112] = orientation
    exif = told.tobytes()
    return data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2) + exif + data[2:]


def damage_pixels(png: bytes) -> bytes:
    """The PNG with changed bytes in its pixel data."""
    place = png.index(b"IDAT") + 6
    return png[:place] + bytes(8) + png[place + 8 :]


ONE = "Annotations/2012_000001.xml"
PICTURE = "JPEGImages/2012_000001.jpg"
MAIN = "ImageSets/Main"
ACTION = "ImageSets/Action"
THREE, SIX = "Annotations/2012_000003.xml", "Annotations/2012_000006.xml"
POINTED = [replace(it, point=VocPoint(9, 9)) for it in OBJECTS["2012_000003"]]
GREYS = [grey for grey in range(256) for _ in range(3)]
WALKS, DANCES = VocAction("walking", True), VocAction("dancing", False)

TRAIN, VAL, TRAINVAL, TEST = (f"{MAIN}/{it}.txt" for it in SETS)
CAT_TRAIN, CAT_VAL, DOG_VAL = (f"{MAIN}/{it}.txt" for it in ("cat_train", "cat_val", "dog_val"))
LAYOUT_TRAIN, LAYOUT_TRAINVAL = (f"ImageSets/Layout/{it}.txt" for it in ("train", "trainval"))
CATS = CAT_TRAIN, f"{MAIN}/cat_trainval.txt"
DOGS = [f"{MAIN}/dog_{name}.txt" for name in SETS]
ACTIONS = [f"{ACTION}/{name}.txt" for name in ("train", "val")]
WALKING_TRAIN, WALKING_VAL = (f"{ACTION}/walking_{name}.txt" for name in ("train", "val"))
SEGMENTED = "ImageSets/Segmentation/train.txt"
STRAY = (
    *(f"{MAIN}/README.txt", "notes.txt", "JPEGImages/Thumbs.db"),
    *("Annotations/2012_000009.xml.orig", "ImageSets/Layout/cat_train.txt"),
)
THIRD_PICTURE, FOURTH_PICTURE = "JPEGImages/2012_000003.jpg", "JPEGImages/2012_000004.jpg"
NEW, NEW_PICTURE = "Annotations/2012_000009.xml", "JPEGImages/2012_000009.jpg"
MASK = "SegmentationObject/2012_000001.png"
CLASS_MASK = "SegmentationClass/2012_000001.png"


def in_each(rule: str, *paths: str) -> list[Planted]:
    return [(path, 1, rule) for path in paths]


def told_of(path: str, *rules: str) -> list[Planted]:
    return [(path, 1, rule) for rule in rules]


PLANTED: list[tuple[Damage, list[Planted]]] = [
    # an annotation file
    (edit(ONE, "<folder>VOC2012", "<folder>VOC2013"), [(ONE, 2, "folder")]),
    (edit(ONE, "<folder>VOC2012", "<folder>cats"), [(ONE, 2, "folder")]),
    (edit(ONE, "<folder>VOC2012", "<folder>VOC2011"), []),
    (edit(ONE, "<folder>VOC2012", "<folder>VOC1999"), [(ONE, 2, "folder")]),
    (put(ONE, ""), [(ONE, 1, "xml")]),
    (edit(ONE, "2012_000001.jpg", "2012_000002.jpg"), [(ONE, 3, "filename")]),
    (edit(ONE, "<width>60", "<width>61"), [(ONE, 9, "size")]),
    (edit(ONE, "<depth>3", "<depth>1"), [(ONE, 9, "size")]),
    (edit(ONE, "<segmented>1", "<segmented>0"), [(ONE, 14, "segmented")]),
    (edit(ONE, "<xmax>50", "<xmax>61"), [(ONE, 20, "box-inside")]),
    (edit(ONE, "<difficult>0", "<difficult>1"), in_each("label-disagrees", *CATS)),
    (
        edit(ONE, "<name>cat", "<name>dog"),
        in_each("label-disagrees", *CATS)
        + in_each("class-file-missing", *DOGS)
        + in_each("mask-class", CLASS_MASK),
    ),
    (put(ONE, "no annotation"), told_of(ONE, "final-newline", "text-between-tags", "xml")),
    (put(NEW, "<annotation>\n</annotation>\n"), told_of(NEW, "no-object", "required", "stray")),
    (draw(THREE, PERSON, PERSON), [(THREE, 37, "object-twice")]),
    (draw(SIX, replace(WALKER, actions=None)), [(SIX, 1, "actions-missing")]),
    (draw(SIX, replace(WALKER, point=None)), [(SIX, 1, "point-missing")]),
    (draw(SIX, replace(WALKER, actions=(WALKS, DANCES))), [(SIX, 1, "action-name")]),
    (draw(THREE, *POINTED), [(LAYOUT_TRAINVAL, 2, "layout-points")]),
    # a picture
    (put(PICTURE, b"no picture"), [(PICTURE, 1, "jpeg")]),
    (put(PICTURE, jpeg_bytes(1)[:-2]), [(PICTURE, 1, "jpeg")]),
    (put(PICTURE, turned(jpeg_bytes(1), 6)), [(PICTURE, 1, "orientation")]),
    (put(PICTURE, turned(jpeg_bytes(1), 1)), []),
    (put(PICTURE, jpeg_bytes(1, "L")), [(PICTURE, 1, "jpeg-colour")]),
    (put(PICTURE, jpeg_bytes(2)), [(THIRD_PICTURE, 1, "image-twice")]),
    (put(PICTURE, jpeg_bytes(1, "RGB", "PNG")), [(PICTURE, 1, "jpeg")]),
    (drop(PICTURE), [(TRAIN, 1, "picture-missing")]),
    (rename(THIRD_PICTURE, "2012_000003.JPG"), [(VAL, 1, "picture-missing")]),
    # the sets
    (drop(THREE), [(VAL, 1, "annotation-missing")]),
    (drop("Annotations/2012_000004.xml"), []),  # then the test set is not released
    (put(VAL, "2012_000003"), [(VAL, 1, "final-newline")]),
    (put(VAL, "2012_000003\r\n"), [(VAL, 1, "line-end")]),
    (put(VAL, "2012_000003\n\n"), [(VAL, 2, "blank-line")]),
    (put(VAL, "2012_000003 1\n"), told_of(VAL, "columns", "line-missing")),
    (put(TRAIN, "2012_000002\n2012_000001\n"), [(TRAIN, 2, "ascending")]),
    (put(VAL, "2012_000003\n2012_000003\n"), [(VAL, 2, "listed-twice")]),
    (put(TRAINVAL, "2012_000001\n2012_000002\n"), [(TRAINVAL, 2, "line-missing")]),
    (put(TRAIN, "2012_000002\n"), [(TRAIN, 1, "line-missing")]),
    (put(f"{ACTION}/train.txt", ""), [(f"{ACTION}/train.txt", 1, "line-missing")]),
    (put(VAL, "\ufeff2012_000003\n"), [(VAL, 1, "bom")]),
    (put(VAL, "2012_000002\n2012_000003\n"), told_of(VAL, "class-file-images", "two-sets")),
    (put(TEST, "2012_000003\n2012_000004\n"), told_of(TEST, "class-file-images", "two-sets")),
    (drop(VAL), [(VAL, 1, "set-missing")]),
    (drop(TEST), [(FOURTH_PICTURE, 1, "unlisted")]),
    (drop_folder(MAIN), [(".", 1, "folder-missing"), (FOURTH_PICTURE, 1, "unlisted")]),
    (put(NEW_PICTURE, jpeg_bytes(9)), [(NEW_PICTURE, 1, "unlisted")]),
    (
        drop_folder("JPEGImages"),
        in_each("picture-missing", *ACTIONS, TEST, TRAIN, VAL)
        + told_of(".", "folder-missing")
        + [(TRAIN, 2, "picture-missing")],
    ),
    # the labels
    (drop(CAT_VAL), [(CAT_VAL, 1, "class-file-missing")]),
    (put(CAT_VAL, "2012_000003  1\n"), [(CAT_VAL, 1, "label-disagrees")]),
    (put(CAT_VAL, "2012_000003     -1\n"), []),
    (put(CAT_TRAIN, "2012_000001  1\n2012_000002  0\r\n"), [(CAT_TRAIN, 2, "line-end")]),
    (put(CAT_VAL, "2012_000003  2\n"), [(CAT_VAL, 1, "label")]),
    (put(CAT_VAL, "2012_000003\n"), [(CAT_VAL, 1, "class-file-images"), (CAT_VAL, 1, "columns")]),
    (put(DOG_VAL, "2012_000003 -1\n"), in_each("class-file-missing", *DOGS[:1], *DOGS[2:])),
    # what the format does not have
    *((put(path, "anything\n"), told_of(path, "stray")) for path in STRAY),
    (put("SegmentationClassAug/2012_000001.png", b""), [("SegmentationClassAug", 1, "stray")]),
    # layout, action, segmentation
    *(  # there are two, of which 1 is a cat
        (
            put(LAYOUT_TRAIN, f"2012_000002  {number}\n"),
            told_of(LAYOUT_TRAIN, "object-number", "trainval")
            + told_of(LAYOUT_TRAINVAL, "trainval"),
        )
        for number in (1, 3)
    ),
    (put(WALKING_VAL, "2012_000006  1 -1\n"), [(WALKING_VAL, 1, "label-disagrees")]),
    (put(WALKING_VAL, "2012_000006  1  0\n"), [(WALKING_VAL, 1, "label")]),
    (put(WALKING_TRAIN, "2012_000005  1  1\n"), told_of(WALKING_TRAIN, "action-file-images")),
    (put(WALKING_VAL, ""), [(WALKING_VAL, 1, "action-file-images")]),
    (drop(CLASS_MASK), [(ONE, 14, "segmented"), (SEGMENTED, 1, "mask-missing")]),
    # masks
    (put(MASK, "no picture"), [(MASK, 1, "mask")]),
    (put(MASK, mask_bytes()[:-20]), [(MASK, 1, "mask")]),
    (put(MASK, damage_pixels(mask_bytes())), [(MASK, 1, "mask")]),
    (put(MASK, mask_bytes(mode="L")), [(MASK, 1, "mask")]),
    (put(MASK, mask_bytes(61, 40)), [(MASK, 1, "mask-size")]),
    (put(MASK, mask_bytes(label=2)), [(MASK, 1, "mask-label")]),
    (put(MASK, mask_bytes(label=21)), [(MASK, 1, "mask-label")]),
    (put(MASK, mask_bytes(border_px=4)), [(MASK, 1, "mask-void")]),
    (put(CLASS_MASK, mask_bytes(label=20)), [(CLASS_MASK, 1, "mask-class")]),
    (put(CLASS_MASK, mask_bytes(label=0)), [(CLASS_MASK, 1, "mask-class")]),
    (put(MASK, mask_bytes(label=0)), [(CLASS_MASK, 1, "mask-class"), (MASK, 1, "mask-object")]),
    (put(MASK, mask_bytes(palette=GREYS)), [(MASK, 1, "mask-palette")]),
    (put(MASK, mask_bytes(transparency=0)), [(MASK, 1, "mask-palette")]),
    (put(MASK, mask_bytes(mode="RGB")), [(MASK, 1, "mask")]),
    (put(CLASS_MASK, mask_bytes(label=21)), [(CLASS_MASK, 1, "mask-label")]),
]


@pytest.mark.parametrize(("damage", "planted"), PLANTED)
def test_each_fault_alone_is_found(tree: Path, damage: Damage, planted: list[Planted]) -> None:
    damage(tree)
    assert sorted(set(found(tree))) == sorted(set(planted))


def test_the_label_map_says_which_labels_masks_have(tree: Path) -> None:
    others = "".join(f"animal{number}:0,0,0::\n" for number in range(25))
    label_map = f"background:0,0,0::\n{others}cat:0,0,0::\nperson:0,0,0::phoning,walking\n"
    (tree / "labelmap.txt").write_text(label_map)
    write(tree / CLASS_MASK, mask_bytes(label=26))
    assert CLASS_MASK not in {path for path, _, _ in found(tree)}
    write(tree / CLASS_MASK, mask_bytes(label=28))
    assert (CLASS_MASK, 1, "mask-label") in found(tree)


def test_faults_that_real_voc_masks_have_are_warnings(tree: Path) -> None:
    for path, label in ((CLASS_MASK, CAT_LABEL), (MASK, 1)):
        write(tree / path, mask_bytes(label=label, border_px=0))
    cat = replace(OBJECTS["2012_000001"][0], box=VocBox(23, 3, 50, 30))
    write(tree / ONE, annotation("2012_000001", (cat,)))
    (report,) = check_folder(tree)
    assert [it.rule for it in report.violations] == ["mask-box", "mask-no-void"]
    assert report.errors == ()
    assert "object 1 (cat) has pixels 7 px outside its box" in report.violations[0].message


def test_an_annotation_under_two_ids_is_named_but_not_one_by_chance(tree: Path) -> None:
    write(tree / THREE, annotation("2012_000003", OBJECTS["2012_000005"]))
    found = {(it.rule, Path(it.file).stem) for it in verify_tree(tree)}
    assert ("annotation-twice", "2012_000005") in found
    write(tree / THREE, annotation("2012_000003", OBJECTS["2012_000006"]))
    assert "annotation-twice" not in {it.rule for it in verify_tree(tree)}


def test_a_copy_of_an_image_in_another_set_is_named(tree: Path) -> None:
    shutil.copyfile(tree / PICTURE, tree / "JPEGImages/2012_000004.jpg")
    (violation,) = verify_tree(tree)
    assert violation.rule == "image-twice"
    assert "2012_000001 in train has the same as this one in test" in violation.message


@pytest.mark.parametrize("path", [ONE, f"{MAIN}/val.txt", f"{MAIN}/cat_val.txt", MASK])
def test_a_link_out_of_the_tree_is_not_read(tree: Path, tmp_path: Path, path: str) -> None:
    write(tmp_path / "secret", "hunter2 hunter3\n<annotation>hunter4</annotation>")
    (tree / path).unlink()
    (tree / path).symlink_to(tmp_path / "secret")
    violations = verify_tree(tree)
    assert (str(tree / path), "unreadable") in {(it.file, it.rule) for it in violations}
    assert "hunter" not in "".join(map(str, violations))


def test_a_link_inside_the_tree_is_read(tree: Path) -> None:
    (tree / MAIN / "cat_val.txt").rename(tree / MAIN / "cat_test.txt.orig")
    (tree / MAIN / "cat_val.txt").symlink_to("cat_test.txt.orig")
    assert found(tree) == [(f"{MAIN}/cat_test.txt.orig", 1, "stray")]


WRONG_IDS = ["2012_1", "abcd_efghij", "cats-and-dogs", "2012_000001x1y", "2012_00001"]


@pytest.mark.parametrize("image_id", WRONG_IDS)
def test_an_id_that_the_kit_cannot_parse_is_named(tree: Path, image_id: str) -> None:
    objects = OBJECTS["2012_000003"]
    (tree / "JPEGImages" / "2012_000003.jpg").rename(tree / "JPEGImages" / f"{image_id}.jpg")
    write(tree / f"Annotations/{image_id}.xml", annotation(image_id, objects))
    write(tree / f"{MAIN}/val.txt", f"{image_id}\n")
    assert (f"{MAIN}/val.txt", 1, "id") in found(tree)


def test_the_rules_of_2007_accept_any_id(tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "VOC2007"
    for name in ("train", "trainval"):
        write(root / MAIN / f"{name}.txt", "000012\n")
        write(root / MAIN / f"cat_{name}.txt", "000012  1\n")
        write(root / "ImageSets" / "Layout" / f"{name}.txt", "000012\n")
    for name in ("Main/val.txt", "Main/cat_val.txt", "Layout/val.txt"):
        write(root / "ImageSets" / name, "")
    text = annotation("000012", (CAT,)).replace("VOC2012", "VOC2007")
    text = text.replace(
        "\t\t<annotation>Example team</annotation>\n\t\t<image>flickr</image>\n", ""
    )
    write(root / "Annotations/000012.xml", text)
    write(root / "JPEGImages/000012.jpg", jpeg_bytes(1))
    assert found(root) == []


def test_a_tree_with_another_name_is_checked_and_the_name_reported(tree: Path) -> None:
    other = tree.rename(tree.with_name("cats"))
    assert [it for it in found(other) if it[2] != "folder"] == [(".", 1, "tree-name")]


def test_a_partly_released_test_set_is_named(tree: Path) -> None:
    write(tree / MAIN / "test.txt", "2012_000004\n2012_000007\n")
    write(tree / MAIN / "cat_test.txt", "2012_000004  1\n2012_000007 -1\n")
    write(tree / MAIN / "person_test.txt", "2012_000004 -1\n2012_000007 -1\n")
    write(tree / "JPEGImages/2012_000007.jpg", jpeg_bytes(7))
    assert found(tree) == [(f"{MAIN}/test.txt", 2, "annotation-missing")]


def test_a_hostile_id_reads_nothing_outside_the_tree(tree: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside.jpg", jpeg_bytes(3)[:-2])
    write(tree / MAIN / "val.txt", "../../../outside\n2012_000003\x00\n" + "x" * 5000 + "\n")
    violations = verify_tree(tree)
    assert violations
    assert all(Path(it.file).is_relative_to(tree) for it in violations)


def test_an_unreadable_file_is_named(tree: Path) -> None:
    (tree / ONE).unlink()
    (tree / ONE).mkdir()
    (tree / THREE).unlink()
    (tree / THREE).symlink_to("2012_000003.xml")  # to itself
    assert {(ONE, 1, "unreadable"), (THREE, 1, "unreadable")} <= set(found(tree))


@pytest.mark.skipif(
    not SAMPLES.is_dir(),
    reason="The samples of real VOC releases are not part of the repository, and are not here.",
)
def test_real_voc_files_of_2007_and_2012_break_no_rule(tmp_path: Path) -> None:
    for year in ("2007", "2012"):
        root = tmp_path / f"VOC{year}"
        sample = SAMPLES / f"voc{year}"
        ids = [path.stem for path in (sample / "JPEGImages").iterdir()]
        ids = sorted(it for it in ids if (sample / "Annotations" / f"{it}.xml").exists())
        for image_id in ids:
            for path in (f"Annotations/{image_id}.xml", f"JPEGImages/{image_id}.jpg"):
                write(root / path, (sample / path).read_bytes())
        for name, listed in (("train", ids[:2]), ("val", ids[2:]), ("trainval", ids)):
            write(root / MAIN / f"{name}.txt", "".join(f"{it}\n" for it in listed))
        violations = [it for it in verify_tree(root) if it.rule != "class-file-missing"]
        assert {(Path(it.file).name, it.rule) for it in violations} <= {
            ("2011_003353.xml", "integer")
        }
        assert len(ids) >= 6


def verify(*args: object) -> list[str]:
    return run("verify", *args).stdout.splitlines()


def test_a_tree_without_images_is_no_good_tree(tmp_path: Path) -> None:
    root = tmp_path / "VOC2012"
    for folder in ("Annotations", "JPEGImages", "ImageSets/Main"):
        (root / folder).mkdir(parents=True)
    for name in ("train", "val", "trainval"):
        (root / f"ImageSets/Main/{name}.txt").touch()
    result = run("verify", root)
    assert result.exit_code == 1
    assert "0 images, 0 objects; nothing was compared, so the check has failed." in result.stderr
    assert json.loads(run("verify", root, "--json").stdout)["trees"][0]["compared"]["compared"] == 0


def test_a_report_says_which_images_and_lists_hold_to_the_rules(tree: Path) -> None:
    assert check_folder(tree)[0].compared.is_passed
    (tree / "JPEGImages/2012_000001.jpg").unlink()
    (tree / "JPEGImages/2012_000002.jpg").write_bytes(b"no picture")
    compared = check_folder(tree)[0].compared
    assert {"2012_000002", "ImageSets/Main/train.txt"} <= set(compared.different)
    assert compared.equal == compared.total - len(compared.different)
