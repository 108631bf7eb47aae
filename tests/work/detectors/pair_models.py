"""Pairs of models that outline a disc around the first click, as graphs of a few operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from work.detectors.limits import Limits
from work.detectors.outlining import Outliner
from work.detectors.pairs import Ports
from work.detectors.ports import PortNetwork

from .models import wrap, write_model

RADIUS = 20
"""Of the disc, in 256ths of SAM's square, or in pixels of EfficientSAM's picture."""
PREPARED = [1, 3, 1024, 1024]
SCALED = ["image_height", "image_width", 3]
Sides = list[Any]


def _value(name: str, sides: Sides, number: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, number, sides)


def _constant(name: str, value: NDArray[Any]) -> onnx.TensorProto:
    return numpy_helper.from_array(value, name)


def make_encoder(sides: Sides = PREPARED, name: str = "images") -> onnx.ModelProto:
    """Its embedding is the mean of what it gets, in the shape of SAM's."""
    nodes = [
        helper.make_node("ReduceMean", [name], ["mean"], keepdims=0),
        helper.make_node("Expand", ["mean", "shape"], ["image_embeddings"]),
    ]
    shape = _constant("shape", np.array([1, 256, 64, 64]))
    given = _value("image_embeddings", [1, 256, 64, 64])
    return wrap(helper.make_graph(nodes, "encoder", [_value(name, sides)], [given], [shape]))


def make_decoder(**output_names: str) -> onnx.ModelProto:
    """As SAM's: a mask of 256 x 256 for the padded square."""
    rows, columns = np.mgrid[0:256, 0:256].reshape(2, -1)
    grid = np.stack([columns, rows], axis=1).astype(np.float32) + np.float32(0.5)
    masks = output_names.get("masks", "low_res_masks")
    constants = [
        _constant("grid", grid),
        _constant("quarter", np.array(0.25, np.float32)),
        _constant("first", np.array(0)),
        _constant("across", np.array([1])),
        _constant("reach", np.array(RADIUS**2, np.float32)),
        _constant("shape", np.array([1, 1, 256, 256])),
        _constant("score", np.array([[0.9]], np.float32)),
    ]
    nodes = [
        helper.make_node("Gather", ["point_coords", "first"], ["click"], axis=1),
        helper.make_node("Mul", ["click", "quarter"], ["place"]),
        helper.make_node("Sub", ["grid", "place"], ["way"]),
        helper.make_node("Mul", ["way", "way"], ["squares"]),
        helper.make_node("ReduceSum", ["squares", "across"], ["distance"], keepdims=0),
        helper.make_node("Sub", ["reach", "distance"], ["logits"]),
        helper.make_node("Reshape", ["logits", "shape"], [masks]),
        helper.make_node("Identity", ["score"], ["iou_predictions"]),
    ]
    taken = [
        _value("image_embeddings", [1, 256, 64, 64]),
        _value("point_coords", [1, "points", 2]),
        _value("point_labels", [1, "points"]),
        _value("mask_input", [1, 1, 256, 256]),
        _value("has_mask_input", [1]),
        _value("orig_im_size", [2]),
    ]
    given = [_value("iou_predictions", [1, 1]), _value(masks, [1, 1, 256, 256])]
    return wrap(helper.make_graph(nodes, "decoder", taken, given, constants))


def make_efficient_decoder() -> onnx.ModelProto:
    """As EfficientSAM's: a mask of the picture's own size, and points in its pixels."""
    constants = [
        _constant("one", np.array([1.0], np.float32)),
        _constant("first", np.array(0)),
        _constant("reversed", np.array([1, 0])),
        _constant("across", np.array([0])),
        _constant("reach", np.array(RADIUS**2, np.float32)),
        _constant("ones", np.array([1, 1, 1])),
        _constant("column", np.array([2, 1])),
    ]
    shape_of_one = numpy_helper.from_array(np.array([1.0], np.float32), "value")
    nodes = [
        helper.make_node("ConstantOfShape", ["orig_im_size"], ["full"], value=shape_of_one),
        helper.make_node("NonZero", ["full"], ["whole_places"]),
        helper.make_node("Cast", ["whole_places"], ["places"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["batched_point_coords", "first"], ["of_picture"], axis=0),
        helper.make_node("Gather", ["of_picture", "first"], ["of_query"], axis=0),
        helper.make_node("Gather", ["of_query", "first"], ["xy"], axis=0),
        helper.make_node("Gather", ["xy", "reversed"], ["yx"], axis=0),
        helper.make_node("Reshape", ["yx", "column"], ["click"]),
        helper.make_node("Sub", ["places", "click"], ["way"]),
        helper.make_node("Mul", ["way", "way"], ["squares"]),
        helper.make_node("ReduceSum", ["squares", "across"], ["distance"], keepdims=0),
        helper.make_node("Sub", ["reach", "distance"], ["logits"]),
        helper.make_node("Concat", ["ones", "orig_im_size"], ["shape"], axis=0),
        helper.make_node("Reshape", ["logits", "shape"], ["output_masks"]),
    ]
    taken = [
        _value("image_embeddings", ["batch", 256, 64, 64]),
        _value("batched_point_coords", [1, 1, "points", 2]),
        _value("batched_point_labels", [1, 1, "points"]),
        _value("orig_im_size", [2], TensorProto.INT64),
    ]
    given = [_value("output_masks", [1, 1, 1, "height", "width"])]
    return wrap(helper.make_graph(nodes, "decoder", taken, given, constants))


def write_pair(folder: Path) -> tuple[Path, Path]:
    """Both files of a pair that is shaped as SAM's."""
    encoder = write_model(folder / "sam.encoder.onnx", make_encoder())
    return encoder, write_model(folder / "sam.decoder.onnx", make_decoder())


class Here:
    """A model that answers in this process."""

    def __init__(self, path: Path) -> None:
        self._network = PortNetwork(path)

    def read_outline(self) -> Ports:
        return self._network.outline()

    def run(
        self, given: Mapping[str, NDArray[Any]], *, most_secs: float | None = None
    ) -> dict[str, NDArray[Any]]:
        del most_secs
        return self._network.run(given)


@contextmanager
def run_here(encoder: Path, decoder: Path, _limits: Limits) -> Iterator[Outliner]:
    """As `run_pair`, without processes."""
    yield Outliner(Here(encoder), Here(decoder), (encoder.name, decoder.name))
