"""A pair of models at work, and pairs that hang, take too much or are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from work.detectors.child import ModelProcess
from work.detectors.errors import ModelError
from work.detectors.limits import Limits
from work.detectors.outlining import Outliner, run_pair, start
from work.detectors.pairs import Click

from .models import make_model, write_model
from .pair_models import (
    RADIUS,
    SCALED,
    Here,
    make_decoder,
    make_efficient_decoder,
    make_encoder,
    run_here,
    write_pair,
)
from .troubled import make_divided, make_endless, make_foreign_operator, make_huge

SIZE_WH = (400, 300)
CLICK = Click(150, 100, is_inside=True)
BOX = (100, 50, 200, 150)
PIXELS = np.full((SIZE_WH[1], SIZE_WH[0], 3), 90, np.uint8)
RADIUS_PX = RADIUS * SIZE_WH[0] / 256


def _overlap(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], radius_px: float) -> float:
    """The IoU with a disc around the click."""
    rows, columns = np.mgrid[0 : SIZE_WH[1], 0 : SIZE_WH[0]] + 0.5
    disc = (columns - CLICK.x) ** 2 + (rows - CLICK.y) ** 2 <= radius_px**2
    return float((disc & mask).sum() / (disc | mask).sum())


def test_a_pair_in_its_processes_outlines_what_is_clicked_on(tmp_path: Path) -> None:
    with run_pair(*write_pair(tmp_path), Limits()) as outliner:
        outliner.try_out()
        embedding = outliner.encode(PIXELS)
        assert embedding.numbers.shape == (1, 256, 64, 64)
        assert _overlap(outliner.outline(embedding, [CLICK], BOX), RADIUS_PX) > 0.95


@pytest.mark.parametrize(
    ("encoder", "decoder", "radius_px"),
    [
        (make_encoder(SCALED, "input_image"), make_decoder(), RADIUS_PX),
        (
            make_encoder(["batch", 3, "height", "width"], "batched_images"),
            make_efficient_decoder(),
            RADIUS,
        ),
    ],
    ids=["samexporter", "EfficientSAM"],
)
def test_pairs_of_other_exports_work_alike(
    tmp_path: Path, encoder: onnx.ModelProto, decoder: onnx.ModelProto, radius_px: float
) -> None:
    files = [write_model(tmp_path / f"{some.graph.name}.onnx", some) for some in (encoder, decoder)]
    with run_here(files[0], files[1], Limits()) as outliner:
        outliner.try_out()
        mask = outliner.outline(outliner.encode(PIXELS), [CLICK], BOX)
    assert _overlap(mask, radius_px) > 0.9


def test_a_decoder_that_fails_on_a_click_is_told_before_anybody_clicks(tmp_path: Path) -> None:
    encoder, decoder = write_pair(tmp_path)
    model = onnx.load(decoder)
    next(node for node in model.graph.node if node.op_type == "Reshape").input[1] = "grid_shape"
    other = onnx.numpy_helper.from_array(np.array([1, 1, 255, 255]), "grid_shape")
    model.graph.initializer.append(other)
    write_model(decoder, model)
    with (
        run_here(encoder, decoder, Limits()) as outliner,
        pytest.raises(ModelError, match=r"sam.decoder.onnx did not work on a picture"),
    ):
        outliner.try_out()


TROUBLE = [
    (b"a text file\n", "is not an ONNX model, or it is cut off"),
    (make_foreign_operator().SerializeToString(), "operator that onnxruntime does not know"),
    (make_divided().SerializeToString(), "keeps its weights in other files"),
    (make_model({"boxes": np.zeros((1, 6), np.float32)}).SerializeToString(), "runs pairs as"),
]


@pytest.mark.parametrize(("data", "sentence"), TROUBLE, ids=["text", "operator", "divided", "yolo"])
@pytest.mark.parametrize("place", [0, 1], ids=["encoder", "decoder"])
def test_either_file_is_refused_in_one_sentence(
    tmp_path: Path, place: int, data: bytes, sentence: str
) -> None:
    files = write_pair(tmp_path)
    files[place].write_bytes(data)
    with (
        pytest.raises(ModelError, match=rf"{files[place].name} .*{sentence}"),
        run_here(*files, Limits()),
    ):
        pass


class _Impatient:
    """A process whose answers are waited for no longer than half a second."""

    def __init__(self, process: ModelProcess) -> None:
        self._process = process

    def read_outline(self) -> Any:
        return self._process.read_outline()

    def run(self, given: Any, *, most_secs: float | None = None) -> Any:
        del most_secs
        return self._process.run(given, most_secs=0.5)


def test_an_encoder_that_hangs_is_ended(tmp_path: Path) -> None:
    encoder, decoder = write_pair(tmp_path)
    write_model(encoder, make_endless(onnx.load(encoder)))
    with (
        pytest.raises(ModelError, match=r"sam.encoder.onnx took more than 0.5 s for one picture"),
        start(encoder, Limits()) as process,
    ):
        Outliner(_Impatient(process), Here(decoder), (encoder.name, decoder.name)).try_out()


def test_a_decoder_that_takes_too_much_memory_is_told(tmp_path: Path) -> None:
    encoder, decoder = write_pair(tmp_path)
    write_model(decoder, make_huge(onnx.load(decoder)))
    with (
        pytest.raises(ModelError, match=r"sam.decoder.onnx needs more memory than --memory"),
        start(decoder, Limits(memory_bytes=500 * 2**20)) as process,
    ):
        Outliner(Here(encoder), process, (encoder.name, decoder.name)).try_out()
