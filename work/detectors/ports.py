"""An ONNX model with several named inputs, as it is opened in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ModelError
from .limits import count_threads
from .network import explain, open_session, read_model
from .pairs import Port, Ports

_TYPES: Mapping[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(uint8)": np.uint8,
}


class PortNetwork:
    """A model in memory, which answers for the inputs that are named.

    It leaves a processor to the server.
    """

    def __init__(self, path: Path) -> None:
        """Raises ModelError where the file is not a model that runs here."""
        self._name = path.name
        self._session = open_session(self._name, read_model(path), count_threads())
        self._types = {some.name: some.type for some in self._session.get_inputs()}
        unknown = sorted({some for some in self._types.values() if some not in _TYPES})
        if unknown:
            raise ModelError(f"{self._name} takes {unknown[0]}, and vocparty gives numbers alone.")

    def outline(self) -> Ports:
        """What it takes and gives, as its file says."""
        return Ports(*map(_list_ports, (self._session.get_inputs(), self._session.get_outputs())))

    def run(self, given: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The outputs by name; raises ModelError."""
        typed = {name: some.astype(_TYPES[self._types[name]]) for name, some in given.items()}
        names = [some.name for some in self._session.get_outputs()]
        try:
            outputs = self._session.run(names, typed)
        except Exception as error:  # onnxruntime has a class for each of its codes
            raise explain(self._name, error, "did not work on a picture") from error
        return dict(zip(names, outputs, strict=True))


def _list_ports(values: Sequence[Any]) -> list[Port]:
    return [
        Port(some.name, tuple(side if isinstance(side, int) else None for side in some.shape or ()))
        for some in values
    ]
