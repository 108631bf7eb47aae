"""A tree as converters get it: its images, sets and classes, and what is left out."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tests.trees import make_tree
from vockit.foreign.tree_images import TreeContent, load_tree
from vocparty import main


def test_a_loaded_tree_has_its_sets_and_classes_in_label_order(content: TreeContent) -> None:
    assert content.set_names == ("train", "val", "test")
    assert len(content.images) == 9
    assert content.classes.index("person") == 14
    assert content.skipped == ()


def test_a_broken_annotation_leaves_out_only_its_image(release: Path, tmp_path: Path) -> None:
    import shutil

    tree = tmp_path / "VOC2026"
    shutil.copytree(release / "VOCdevkit" / "VOC2026", tree)
    (tree / "Annotations" / "2026_000001.xml").write_text("<annotation>")
    run = CliRunner().invoke(main, ["convert", str(tree), str(tmp_path / "out"), "--to", "coco"])
    assert run.exit_code == 0, run.output
    assert "Skipped image 2026_000001: its annotation file" in run.output
    assert "Wrote 8 images" in run.output


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("form", ["coco", "yolo"])
def test_a_label_map_with_a_byte_order_mark_gives_the_same_classes(
    tmp_path: Path, encoding: str, form: str
) -> None:
    root = make_tree(tmp_path / "VOC2012")
    for path in (root / "Annotations").iterdir():
        path.write_text(path.read_text().replace("<name>cat<", "<name>zebra<"))
    label_map = root / "labelmap.txt"
    runner = CliRunner()
    named = sorted({item.name for image in load_tree(root).images for item in image.objects})
    text = "background:0,0,0::\r\n" + "".join(f"{name}:1,1,1::\r\n" for name in reversed(named))
    converted = []
    for name, data in (("plain", text.encode()), ("marked", text.encode(encoding))):
        label_map.write_bytes(data)
        assert load_tree(root).classes == tuple(reversed(named))
        result = runner.invoke(main, ["convert", str(root), str(tmp_path / name), "--to", form])
        assert result.exit_code == 0, result.output
        files = (path for path in (tmp_path / name).rglob("*") if path.is_file())
        converted.append({file.relative_to(tmp_path / name): file.read_bytes() for file in files})
    assert converted[0] == converted[1]


def test_a_label_map_that_is_no_text_is_refused_in_one_sentence(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "VOC2012")
    for path in (root / "Annotations").iterdir():
        path.write_text(path.read_text().replace("<name>cat<", "<name>zebra<"))
    (root / "labelmap.txt").write_bytes(b"z\xebbra:\n")
    arguments = ["convert", str(root), str(tmp_path / "out"), "--to", "coco"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "labelmap.txt gives the classes their labels, but it is not UTF-8" in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", ["coco", "yolo", "parquet"])
def test_images_whose_annotation_is_held_back_are_skipped_and_not_written_as_empty(
    release: Path, tmp_path: Path, form: str
) -> None:
    import shutil

    tree = tmp_path / "VOC2026"
    shutil.copytree(release / "VOCdevkit" / "VOC2026", tree)
    held_back = (tree / "ImageSets/Main/test.txt").read_text().split()
    for image_id in held_back:
        (tree / f"Annotations/{image_id}.xml").unlink()
    out = tmp_path / "out"
    run = CliRunner().invoke(main, ["convert", str(tree), str(out), "--to", form])
    assert run.exit_code == 0, run.output
    for image_id in held_back:
        assert f"Skipped image {image_id}: it is in test and has no annotation." in run.output
        assert not [path for path in out.rglob("*") if path.stem == image_id]
        assert not [path for path in out.rglob("*.json") if image_id in path.read_text()]
    count = len(held_back)
    assert f"Skipped {count} images: nothing of them is written" in run.output
    if form == "parquet":
        rows = pq.read_table(out / "objects.parquet")["image_id"].to_pylist()
        assert set(held_back).isdisjoint(rows)
