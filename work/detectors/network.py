"""An ONNX model as it is opened in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ModelError
from .kinds import Shape
from .preparation import Output

_FREE_SIDE_PX = 640
"""The side of the input where the model takes any."""
_GREY = 114
_MEMORY_PHRASES = ("bad_alloc", "allocate memory", "failed to allocate", "out of memory")
_NUMBERS = {"tensor(float)": np.float32, "tensor(float16)": np.float16}


@dataclass(frozen=True)
class Outline:
    """What a model takes and gives: its input's width and height, and the shapes of its outputs."""

    size_wh: tuple[int, int]
    shapes: Sequence[Shape]
    names: Sequence[str]

    def __str__(self) -> str:
        pairs = zip(self.names, self.shapes, strict=True)
        return ", ".join(f"{name} {list(shape)}" for name, shape in pairs)


class Network:
    """A model in memory, which answers for one picture at a time."""

    def __init__(self, path: Path, size_px: int | None = None, *, frees_size: bool = False) -> None:
        """Raises ModelError where the file is not a model that runs here."""
        self._name = path.name
        self._session = open_session(self._name, read_model(path, frees_size=frees_size))
        self._input_name, self._number_type, self._is_batch, sides = self._find_input()
        self.size_wh = self._choose_size(sides, size_px)

    def outline(self) -> Outline:
        """What it gives for a grey picture; raises ModelError."""
        width, height = self.size_wh
        outputs = self.run(np.full((3, height, width), _GREY, np.float32))
        return Outline(
            size_wh=self.size_wh,
            shapes=[tuple(np.shape(output)) for output in outputs],
            names=[output.name for output in self._session.get_outputs()],
        )

    def run(self, prepared: NDArray[np.float32]) -> list[Output]:
        """The outputs for an input of 3 x height x width; raises ModelError."""
        given = prepared.astype(self._number_type)
        given = given[None] if self._is_batch else given
        try:
            return list(self._session.run(None, {self._input_name: given}))
        except Exception as error:  # onnxruntime has a class for each of its codes
            raise explain(self._name, error, "did not work on a picture") from error

    def _find_input(self) -> tuple[str, Any, bool, list[int | None]]:
        """Name, type of numbers, whether it takes a batch, and height and width where fixed."""
        inputs = self._session.get_inputs()
        shapes = ", ".join(f"{some.name} {some.type} {list(some.shape or ())}" for some in inputs)
        reason = (
            f"{self._name} takes {shapes or 'nothing'}; vocparty runs models that take one picture "
            "of float numbers, [1, 3, height, width] or [3, height, width]."
        )
        refused = ModelError(reason)
        if len(inputs) != 1 or inputs[0].type not in _NUMBERS:
            raise refused
        sides = [side if isinstance(side, int) else None for side in inputs[0].shape or ()]
        is_batch = len(sides) == 4
        if is_batch and sides.pop(0) not in (1, None):
            raise ModelError(f"{reason} If it is a CenterFace, say --kind centerface.")
        if len(sides) != 3 or sides[0] not in (3, None):
            raise refused
        return inputs[0].name, _NUMBERS[inputs[0].type], is_batch, sides[1:]

    def _choose_size(self, sides: Sequence[int | None], size_px: int | None) -> tuple[int, int]:
        height, width = sides
        if size_px is not None and any(side not in (None, size_px) for side in sides):
            raise ModelError(
                f"{self._name} takes pictures of {width} x {height} alone; leave --size away."
            )
        free = size_px or _FREE_SIDE_PX
        return width or free, height or free


def read_model(path: Path, *, frees_size: bool = False) -> bytes:
    """The model as bytes; raises ModelError for one whose weights are in other files."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load_model_from_string(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}.") from error
    except DecodeError:
        model = onnx.ModelProto()
    if not model.graph.node:
        raise ModelError(f"{path.name} is not an ONNX model, or it is cut off.")
    if any(some.data_location == onnx.TensorProto.EXTERNAL for some in model.graph.initializer):
        raise ModelError(
            f"{path.name} keeps its weights in other files; write it as one file (onnx.save_model "
            "with save_as_external_data=False)."
        )
    if frees_size:
        _free_sizes(model)
    return bytes(model.SerializeToString())


def _free_sizes(model: Any) -> None:
    """Let the model take one picture of any size, although its file names others."""
    weights = {some.name for some in model.graph.initializer}
    for value in (*model.graph.input, *model.graph.output):
        sides = value.type.tensor_type.shape.dim
        if value.name in weights or len(sides) != 4:
            continue
        for place, name in ((0, "pictures"), (2, "height"), (3, "width")):
            sides[place].dim_param = f"{value.name}_{name}"
    model.graph.ClearField("value_info")


def open_session(name: str, model: bytes, threads: int = 0) -> Any:
    """The model as onnxruntime runs it, with so many threads or all it likes; raises ModelError."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)  # what is wrong is told in one sentence
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a class for each of its codes
        raise explain(name, error, "cannot be opened") from error


def explain(name: str, error: Exception, what: str) -> ModelError:
    """One sentence of what onnxruntime says."""
    text = " ".join(str(error).split())
    lowered = text.lower()
    if isinstance(error, MemoryError) or any(some in lowered for some in _MEMORY_PHRASES):
        return ModelError(f"{name} needs more memory than --memory allows; raise it.")
    if "not a registered function" in lowered or "no op registered" in lowered:
        return ModelError(f"{name} has an operator that onnxruntime does not know: {text[:200]}")
    return ModelError(f"{name} {what}: {text[:300]}")
