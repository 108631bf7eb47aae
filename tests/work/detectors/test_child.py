"""A model in a process of its own: it answers, and one that cannot is told in one sentence."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from work.detectors.child import Child
from work.detectors.errors import ModelError
from work.detectors.kinds import KINDS, Layout
from work.detectors.limits import Limits
from work.detectors.network import Network

from .models import make_model, write_model
from .troubled import make_divided, make_endless, make_foreign_operator, make_huge

MEGABYTE = 1024**2
TABLE = np.zeros((1, 30, 6), np.float32)
TABLE[0, 0] = [24, 16, 48, 32, 0.9, 1]
PIXELS = np.zeros((128, 192, 3), np.uint8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_model(tmp_path / "model.onnx", make_model({"detections": TABLE}))


def test_a_model_answers_in_pixels_of_the_picture(path: Path) -> None:
    with Child(path, Limits()) as child:
        outline = child.read_outline()
        assert str(outline) == "detections [1, 30, 6]"
        layout = Layout(outline.shapes, 2, outline.size_wh)
        for _ in range(2):
            detections = child.find(PIXELS, KINDS["end-to-end"], layout, 0.5)
            np.testing.assert_allclose(detections.edges, [[48, 32, 96, 64]])
            assert detections.labels.tolist() == [1]


def test_a_model_that_hangs_is_ended(tmp_path: Path) -> None:
    path = write_model(tmp_path / "endless.onnx", make_endless(make_model({"detections": TABLE})))
    with (
        pytest.raises(ModelError, match="took more than 3 s for opening it and was ended"),
        Child(path, Limits(secs=3)) as child,
    ):
        child.read_outline()


def test_a_model_that_needs_too_much_memory_is_told(tmp_path: Path) -> None:
    path = write_model(tmp_path / "huge.onnx", make_huge(make_model({"detections": TABLE})))
    with (
        pytest.raises(ModelError, match=r"huge\.onnx needs more memory than --memory allows"),
        Child(path, Limits(memory_bytes=500 * MEGABYTE)) as child,
    ):
        child.read_outline()


def test_a_process_that_is_killed_is_told(path: Path) -> None:
    with Child(path, Limits()) as child:
        outline = child.read_outline()
        (process,) = multiprocessing.active_children()
        process.kill()
        with pytest.raises(ModelError, match="ended by itself") as caught:
            child.find(PIXELS, KINDS["end-to-end"], Layout(outline.shapes, 2, outline.size_wh), 0.5)
    assert "4 GB" in str(caught.value)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (b"a text file\n", "is not an ONNX model, or it is cut off"),
        (b"", "is not an ONNX model, or it is cut off"),
        (make_model({"detections": TABLE}).SerializeToString()[:-40], "is not an ONNX model"),
        (make_foreign_operator().SerializeToString(), "operator that onnxruntime does not know"),
        (make_divided().SerializeToString(), "keeps its weights in other files"),
        (
            make_model({"detections": TABLE}, sides=(1, 1, 64, 96)).SerializeToString(),
            "one picture",
        ),
        (
            make_model({"detections": TABLE}, sides=(8, 3, 64, 96)).SerializeToString(),
            "one picture",
        ),
        (
            make_model({"detections": TABLE}, sides=(1, 64, 96, 3)).SerializeToString(),
            "one picture",
        ),
        (
            make_model({"detections": TABLE}, number=TensorProto.UINT8).SerializeToString(),
            r"takes images tensor\(uint8\) \[1, 3, 64, 96\]",
        ),
    ],
    ids=["text", "empty", "cut", "operator", "divided", "grey", "eight", "last", "whole numbers"],
)
def test_what_cannot_run_is_refused_in_one_sentence(
    tmp_path: Path, model: bytes, sentence: str
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(model)
    with pytest.raises(ModelError, match=sentence):
        Network(path)


def test_the_input_is_of_the_size_that_the_file_names_or_of_any(tmp_path: Path) -> None:
    fixed = write_model(tmp_path / "fixed.onnx", make_model({"detections": TABLE}))
    free = make_model({"detections": TABLE}, sides=("n", 3, "height", "width"))
    assert Network(fixed).size_wh == (96, 64)
    assert Network(write_model(tmp_path / "free.onnx", free)).size_wh == (640, 640)
    assert Network(tmp_path / "free.onnx", 320).size_wh == (320, 320)
    with pytest.raises(ModelError, match="takes pictures of 96 x 64 alone; leave --size away"):
        Network(fixed, 320)
    assert Network(fixed, 320, frees_size=True).size_wh == (320, 320)


def test_a_model_of_half_the_bits_and_without_a_batch_runs(tmp_path: Path) -> None:
    model = make_model({"detections": TABLE}, sides=(3, 64, 96), number=TensorProto.FLOAT16)
    network = Network(write_model(tmp_path / "half.onnx", model))
    assert network.outline().shapes == [(1, 30, 6)]
