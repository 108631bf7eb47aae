"""Models that hang, take too much memory, or cannot run here."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .models import make_model, wrap


def make_endless(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model, whose last output comes after a loop of more rounds than anyone waits for."""
    slow, name = _free_last_output(model)
    inner = helper.make_graph(
        [
            helper.make_node("Identity", ["goes_on"], ["goes_on_out"]),
            helper.make_node("Sin", ["number"], ["number_out"]),
        ],
        "round",
        [
            helper.make_tensor_value_info("round", TensorProto.INT64, []),
            helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("number", TensorProto.FLOAT, None),
        ],
        [
            helper.make_tensor_value_info("goes_on_out", TensorProto.BOOL, []),
            helper.make_tensor_value_info("number_out", TensorProto.FLOAT, None),
        ],
    )
    slow.graph.initializer.extend(
        [
            numpy_helper.from_array(np.array(2**40), "rounds"),
            numpy_helper.from_array(np.array(True), "goes_on_first"),
        ]
    )
    begins = ["rounds", "goes_on_first", "freed"]
    slow.graph.node.append(helper.make_node("Loop", begins, [name], body=inner))
    return slow


def make_huge(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model, whose last output needs ten gigabytes of zeros, of which its file has a number."""
    large, name = _free_last_output(model)
    shape = numpy_helper.from_array(np.array([2_550_000_000], np.int64), "huge_shape")
    large.graph.initializer.append(shape)
    large.graph.node.extend(
        [
            helper.make_node("ConstantOfShape", ["huge_shape"], ["zeros"]),
            helper.make_node("ReduceMax", ["freed"], ["greatest"], keepdims=0),
            helper.make_node("Add", ["zeros", "greatest"], ["many"]),
            helper.make_node("ReduceMin", ["many"], ["least"], keepdims=0),
            helper.make_node("Add", ["freed", "least"], [name]),
        ]
    )
    return large


def _free_last_output(model: onnx.ModelProto) -> tuple[onnx.ModelProto, str]:
    """A copy in which the last output is called `freed`, and its name."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    name = copy.graph.output[-1].name
    for node in copy.graph.node:
        node.output[:] = ["freed" if output == name else output for output in node.output]
    return copy, name


def make_foreign_operator() -> onnx.ModelProto:
    """A model with an operator of somebody."""
    image = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, 64, 96])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 3, 64, 96])
    node = helper.make_node("Guess", ["images"], ["out"], domain="of.somebody")
    model = wrap(helper.make_graph([node], "foreign", [image], [out]))
    model.opset_import.append(helper.make_opsetid("of.somebody", 1))
    return model


def make_divided() -> onnx.ModelProto:
    """Its weights are to be read from a file outside of its folder."""
    model = make_model({"detections": np.zeros((1, 30, 6), np.float32)})
    onnx.external_data_helper.set_external_data(model.graph.initializer[0], "../weights.bin")
    model.graph.initializer[0].ClearField("raw_data")
    return model
