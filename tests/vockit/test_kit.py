"""The kit from Python: the manual's own lines, what a release gives, and writers of results."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vockit
from tests.trees import CAT_LABEL, OBJECTS, make_tree
from vockit.evaluate import LayoutResult
from vockit.evaluate.checking import check_results
from vockit.evaluate.curves import Rules
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.truth import open_truth
from vockit.evaluate.writing import ResultsWriter
from vockit.format.label_map import parse_label_map

MANUAL = Path(vockit.__file__).parent / "manual"
BLOCK = re.compile(r"^```python( torch)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_blocks(*, torch: bool) -> list[str]:
    text = (MANUAL / "python.md").read_text()
    return [code for mark, code in BLOCK.findall(text) if bool(mark) is torch]


def count_lines(code: str) -> int:
    return sum(bool(line.strip()) for line in code.split("\n"))


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> vockit.Release:
    """A release with persons and masks in val, in the folder that the manual names."""
    root = make_tree(tmp_path)
    lists = root / "ImageSets/Segmentation"
    (lists / "val.txt").write_bytes((lists / "train.txt").read_bytes())
    monkeypatch.chdir(tmp_path)
    return vockit.open_release(root)


def test_the_lines_of_the_manual_run_as_they_stand(
    release: vockit.Release, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, Any] = {}
    blocks = read_blocks(torch=False)
    assert len(blocks) == 4
    for code in blocks:
        exec(compile(code, "python.md", "exec"), names)
    shown = capsys.readouterr().out
    assert "2012_000001" in shown
    assert "['cat']" in shown
    entry = release.check("results/VOC2012", "val")
    assert [name for _, name in entry.competitions] == ["comp1", "comp3", "comp9", "comp7", "comp5"]
    scores = release.evaluate("results/VOC2012", "val")
    assert sorted(scores.tasks) == ["action", "classification", "detection", "layout"]


def test_five_lines_read_a_set_and_ten_write_a_submission() -> None:
    reading, writing, *_ = read_blocks(torch=False)
    (dataset,) = read_blocks(torch=True)
    assert count_lines(reading) <= 5
    assert count_lines(writing) <= 10
    assert count_lines(dataset) <= 20
    compile(dataset, "python.md", "exec")


def test_the_dataset_of_the_manual_gives_tensors(release: vockit.Release) -> None:
    torch = pytest.importorskip("torch")
    names: dict[str, Any] = {}
    exec(read_blocks(torch=True)[0], names)
    dataset = names["VocDetection"]("VOCdevkit/VOC2012", "train")
    pixels, target = dataset[1]
    assert len(dataset) == 2
    assert pixels.shape[0] == 3
    assert target["boxes"].tolist() == [[1.0, 2.0, 50.0, 30.0]] * 2
    assert target["labels"].dtype == torch.int64


def test_a_release_gives_what_its_files_say(release: vockit.Release) -> None:
    assert release.sets == ("train", "val", "trainval", "test")
    assert release.classes("train")[CAT_LABEL - 1] == "cat"
    assert release.actions() == ("phoning", "walking")
    assert release.labels("cat", "train") == {"2012_000001": 1, "2012_000002": 0}
    assert release.layout_persons("val") == [("2012_000003", 1), ("2012_000003", 2)]
    assert release.action_labels("walking", "val") == {("2012_000006", 1): 1}
    image, second = release.images("train")
    assert (image.pixels.shape[1], image.pixels.shape[0]) == image.size_wh
    assert second.objects == OBJECTS["2012_000002"]
    assert set(np.unique(image.class_mask)) == {0, CAT_LABEL, 255}
    assert set(np.unique(image.object_mask)) == {0, 1, 255}
    second.path.unlink()
    with pytest.raises(EvaluateError, match="cannot be read"):
        _ = second.pixels


Write = Callable[[ResultsWriter], object]
ID = "2012_000003"
ZEROS = np.zeros((4, 4), np.uint8)
NOSE = ("nose", (1.0, 1.0, 9.0, 9.0))


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda w: w.classification("comp3", "cat", [ID], [1]), "comp3 is no competition for this"),
        (lambda w: w.classification("comp1", "dragon", [ID], [1]), "dragon is not of this release"),
        (lambda w: w.classification("comp1", "cat", ["x"], [1]), "x is not listed in the set val"),
        (lambda w: w.classification("comp1", "cat", [ID], [1, 2]), "expected 1 x 1 numbers, got 2"),
        (lambda w: w.detection("comp3", "cat", [ID], [1], [[1, 2, 3]]), "expected 1 x 4 numbers"),
        (lambda w: w.detection("comp3", "cat", [ID], [np.nan], [[1, 2, 3, 4]]), "some of them NaN"),
        (lambda w: w.detection("comp3", "cat", [ID] * 2, [1, 1], np.ones((4, 2))), "got 4 x 2"),
        (lambda w: w.segmentation("comp5", "2012_000001", ZEROS), "expected labels of uint8"),
        (lambda w: w.layout("comp7", []), "expected at least one layout with a part"),
        (lambda w: w.layout("comp7", [LayoutResult((ID, 9), 1, ())]), "is not listed in the set"),
        (lambda w: w.layout("comp7", [LayoutResult((ID, 1), 1, (NOSE,))]), "got 'nose'"),
        (lambda w: w.action("comp9", "walking", [(ID, 1)], [1]), "is not listed in the set"),
    ],
)
def test_arrays_that_do_not_fit_the_release_are_refused(
    release: vockit.Release, write: Write, expected: str
) -> None:
    with pytest.raises(EvaluateError, match=re.escape(expected)):
        write(release.write_results("results/VOC2012", "val"))


def test_results_read_back_as_they_were_written(release: vockit.Release) -> None:
    results = release.write_results("results/VOC2012", "val")
    confidences = np.array([0.1, 1e-8, 123456.789], np.float32)
    boxes = np.array([[1, 2, 3, 4], [1.5, 2, 3, 4], [-1, 2, 1e6, 4]])
    results.detection("comp3", "cat", [ID] * 3, confidences, boxes)
    detections = release.check("results/VOC2012", "val").detection["comp3"]["cat"]
    assert np.array_equal(np.float32(detections.confidences), confidences)
    assert np.array_equal(detections.boxes, boxes)


def test_numbers_of_double_precision_are_read_back_bit_for_bit(release: vockit.Release) -> None:
    results = release.write_results("results/VOC2012", "val")
    confidences = 1 - np.array([1e-16, 2e-13, 1e-13, 0.9, 1e300])
    boxes = np.array([[1 / 3, 2, 3, 4]] * len(confidences))
    results.detection("comp3", "cat", [ID] * len(confidences), confidences, boxes)
    head = ("head", (1.0, 2 / 3, 10.0, float(np.float32(0.1))))
    results.layout("comp7", [LayoutResult((ID, 1), confidences[1], (head,))])
    entry = release.check("results/VOC2012", "val")
    detections = entry.detection["comp3"]["cat"]
    assert np.array_equal(detections.confidences, confidences)
    assert np.array_equal(detections.boxes, boxes)
    (layout,) = entry.layout["comp7"]
    assert layout.confidence == confidences[1]
    assert layout.parts == (head,)


def test_results_for_another_release_are_not_mixed_with_new_ones(release: vockit.Release) -> None:
    release.write_results("results/VOC2012", "val")
    release.write_results("results/VOC2012", "train")
    with (release.root / "ImageSets/Main/val.txt").open("a") as file:
        file.write("2012_000099\n")
    with pytest.raises(EvaluateError, match="another release named VOC2012; name a new folder"):
        vockit.open_release(release.root).write_results("results/VOC2012", "val")


def test_a_wrong_number_of_numbers_is_not_called_nan(release: vockit.Release) -> None:
    with pytest.raises(EvaluateError) as raised:
        release.write_results("results/VOC2012", "val").classification("comp1", "cat", [ID], [1, 2])
    assert "NaN" not in str(raised.value)


def test_layouts_of_2007_name_a_listed_image_and_a_box(release: vockit.Release) -> None:
    truth = open_truth(release.root, "val", Rules.VOC2007)
    (release.root / "ImageSets/Layout/val.txt").write_text(f"{ID}\n")
    writer = ResultsWriter(truth, Path("results/VOC2012"))
    head = (("head", (1.0, 1.0, 9.0, 9.0)),)
    for layout, expected in (
        (LayoutResult(("x", 0), 1, head, (1, 1, 9, 9)), "x is not listed"),
        (LayoutResult((ID, 0), 1, head), "expected a layout with the box of its person"),
    ):
        with pytest.raises(EvaluateError, match=expected):
            writer.layout("comp6", [layout])
    writer.layout("comp6", [LayoutResult((ID, 0), 1, head, (1, 1, 9, 9))])
    assert check_results(truth, Path("results/VOC2012")).layout["comp6"]


def test_masks_are_written_in_the_numbers_of_the_label_map(release: vockit.Release) -> None:
    text = "cat:1,1,1::\nbackground:0,0,0::\nperson:2,2,2::\n"
    (release.root / "labelmap.txt").write_text(text)
    assert list(parse_label_map(text.encode())) == ["cat", "person"]
    moved = vockit.open_release(release.root)
    (image,) = moved.images("val", "Segmentation")
    width, height = image.size_wh
    results = moved.write_results("results/VOC2012", "val")
    labels = np.full((height, width), 2, np.uint8)
    path = results.segmentation("comp5", image.image_id, labels, labels // 2)
    assert np.array_equal(moved.truth("val").read_labels(path), labels)
    assert path.parent.with_name("comp5_val_inst").is_dir()
    with pytest.raises(EvaluateError, match="expected labels from 0 to 2, got 3"):
        results.segmentation("comp5", image.image_id, labels + 1)


def test_vockit_imports_numpy_only_when_a_name_of_the_kit_is_used() -> None:
    code = "import sys, vockit; assert 'numpy' not in sys.modules; vockit.open_release"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = vockit.nothing
