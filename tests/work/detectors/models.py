"""ONNX models that give what they were told, whatever the picture shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

IMAGE = (1, 3, 64, 96)


def make_model(
    outputs: Mapping[str, NDArray[Any]],
    *,
    sides: Sequence[int | str] = IMAGE,
    number: int = TensorProto.FLOAT,
) -> onnx.ModelProto:
    """A model of constants with one input of that shape."""
    image = helper.make_tensor_value_info("images", number, sides)
    constants = [
        numpy_helper.from_array(some, f"{name}_constant") for name, some in outputs.items()
    ]
    nodes = [helper.make_node("Identity", [f"{name}_constant"], [name]) for name in outputs]
    given = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(some.dtype), some.shape)
        for name, some in outputs.items()
    ]
    return wrap(helper.make_graph(nodes, "constants", [image], given, constants))


def wrap(graph: onnx.GraphProto, **more: Any) -> onnx.ModelProto:
    """The graph as a model that onnxruntime of these years reads."""
    sets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=sets, ir_version=8, **more)


def write_model(path: Path, model: onnx.ModelProto) -> Path:
    """The model as one file."""
    path.write_bytes(model.SerializeToString())
    return path
