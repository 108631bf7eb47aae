"""A conversion says what it wrote, and fails where it wrote nothing."""

import shutil
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.trees import CAT, HARD_CAT, OBJECTS, annotation, make_tree, mask_bytes, write
from vockit.command import main


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "in")


def convert(tree: Path, form: str, *options: str) -> tuple[Result, Path]:
    out = tree.parents[2] / f"out-{form}"
    return CliRunner().invoke(main, ["convert", str(tree), str(out), "--to", form, *options]), out


def draw_everywhere(tree: Path, *objects: object) -> None:
    for image_id in OBJECTS:
        write(tree / f"Annotations/{image_id}.xml", annotation(image_id, objects))  # type: ignore[arg-type]


def test_the_objects_of_the_summary_are_those_in_the_label_files(tree: Path) -> None:
    draw_everywhere(tree, CAT, HARD_CAT)
    result, out = convert(tree, "yolo")
    text = "".join(path.read_text() for path in out.rglob("labels/**/*.txt"))
    assert text.count("\n") == 6
    assert "Wrote 6 images with 6 objects as yolo" in result.stdout
    assert "Left out 6 objects: difficult, for which YOLO has no flag" in result.stdout


def test_yolo_without_a_val_set_says_that_trainers_need_one(tree: Path) -> None:
    assert "Ultralytics" not in convert(tree, "yolo")[0].stdout
    write(tree / "ImageSets/Main/val.txt", "")
    shutil.rmtree(tree.parents[2] / "out-yolo")
    result, out = convert(tree, "yolo")
    assert "data.yaml names no val set" in result.stdout
    assert "val:" not in (out / "data.yaml").read_text()


def test_a_conversion_without_any_object_fails_and_leaves_no_folder(tree: Path) -> None:
    draw_everywhere(tree, HARD_CAT)
    result, out = convert(tree, "yolo")
    assert result.exit_code == 1
    assert "Nothing was written as yolo: 0 of 6 objects are written" in result.output
    assert not out.exists()
    assert convert(tree, "yolo", "--with-difficult")[0].exit_code == 0


@pytest.mark.parametrize("form", ["coco", "yolo", "yolo-seg", "open-images", "parquet"])
def test_a_conversion_that_skips_every_image_fails(tree: Path, form: str) -> None:
    for path in (tree / "JPEGImages").iterdir():
        path.unlink()
    result, out = convert(tree, form)
    assert result.exit_code == 1
    assert f"Nothing was written as {form}: 0 of 6 images are written" in result.output
    assert not out.exists()


def test_images_of_which_the_table_has_no_row_are_counted_as_skipped(tree: Path) -> None:
    path = tree / "Annotations/2012_000001.xml"
    text = path.read_text()
    start = text.index("\t<object>")
    end = text.index("\t</object>\n") + len("\t</object>\n")
    path.write_text(text[:start] + text[end:])
    result, _ = convert(tree, "parquet")
    assert "Wrote 5 images with 9 objects as parquet" in result.stdout
    assert "Skipped 1 image: " in result.stdout
    assert "Wrote 6 images with 9 objects as coco" in convert(tree, "coco")[0].stdout


def test_images_without_masks_are_counted_where_outlines_are_written(tree: Path) -> None:
    result, _ = convert(tree, "yolo-seg")
    assert "Wrote 1 image with 1 object as yolo-seg" in result.stdout
    assert "Skipped 5 images: nothing of them is written" in result.stdout
    (tree / "SegmentationObject/2012_000001.png").unlink()
    shutil.rmtree(tree.parents[2] / "out-yolo-seg")
    result, _ = convert(tree, "yolo-seg")
    assert (result.exit_code, "there are no images" in result.output) == (1, False)
    assert "0 of 6 images are written" in result.output


def test_objects_whose_mask_cannot_be_read_are_counted_as_boxes(tree: Path) -> None:
    result, out = convert(tree, "coco")
    assert "as boxes" not in result.stdout
    shutil.rmtree(out)
    write(tree / "SegmentationObject/2012_000001.png", mask_bytes(mode="L"))
    result, _ = convert(tree, "coco")
    assert "Wrote 1 object of images with masks as boxes alone" in result.stdout


def test_an_archive_of_no_pictures_fails_and_leaves_no_folder(tree: Path, tmp_path: Path) -> None:
    for path in (tree / "JPEGImages").iterdir():
        path.unlink()
    result = CliRunner().invoke(main, ["archive", str(tree), str(tmp_path / "out")])
    assert (result.exit_code, "nothing was packed" in result.output) == (1, True)
    assert not (tmp_path / "out").exists()


def test_an_archive_has_nothing_that_macos_keeps_beside_the_files(
    tree: Path, tmp_path: Path
) -> None:
    write(tree / "JPEGImages/._2012_000004.jpg", b"\0\5\x16\7")  # of an image of test
    result = CliRunner().invoke(main, ["archive", str(tree), str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    for path in (tmp_path / "out").glob("*.tar"):
        with tarfile.open(path) as archive:
            assert [name for name in archive.getnames() if "/._" in name] == []


def test_the_pictures_of_yolo_are_found_from_any_folder(tree: Path) -> None:
    _, out = convert(tree, "yolo")
    text = (out / "data.yaml").read_text()
    assert "path:" not in text
    assert "train: images/train\n" in text
