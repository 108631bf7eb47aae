"""A pair of models at work: the encoder looks at a picture once, the decoder at every click."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .child import ModelProcess, OpenModel
from .errors import ModelError
from .limits import MOST_CLICK_SECS, Limits
from .pairs import LONG_SIDE_PX, Click, Mask, Pair, read_mask, recognise
from .preparation import Pixels

_EMBEDDING_MB = 64
_GREY = 114


@dataclass(frozen=True)
class Embedding:
    """What the encoder saw in a picture of this size."""

    numbers: NDArray[Any]
    size_wh: tuple[int, int]


class Answering(Protocol):
    """A model that answers, as one in a process of its own does."""

    def read_outline(self) -> Any:
        """Its Ports; raises ModelError."""

    def run(self, given: Any, *, most_secs: float | None = None) -> Any:
        """Its outputs by name; raises ModelError."""


class Outliner:
    """Both models at work; it does not end their processes."""

    def __init__(self, encoder: Answering, decoder: Answering, names: Sequence[str]) -> None:
        """Raises ModelError where the two are no pair."""
        self._encoder = encoder
        self._decoder = decoder
        self._names = names
        ports = [process.read_outline() for process in (encoder, decoder)]
        self._pair: Pair = recognise((names[0], ports[0]), (names[1], ports[1]))

    def encode(self, pixels: Pixels) -> Embedding:
        """What the decoder needs to know of a picture; raises ModelError."""
        outputs = self._encoder.run(self._pair.prepare(pixels))
        numbers = outputs[self._pair.encoder_output]
        if numbers.nbytes > _EMBEDDING_MB * 2**20:
            raise ModelError(
                f"{self._names[0]} gave {list(numbers.shape)} for a picture, which is more than "
                f"{_EMBEDDING_MB} MB."
            )
        return Embedding(numbers, (pixels.shape[1], pixels.shape[0]))

    def outline(self, embedding: Embedding, clicks: Sequence[Click], box: Sequence[float]) -> Mask:
        """The pixels of what was clicked on in a box, as its edges; raises ModelError."""
        asked = self._pair.ask(embedding.numbers, clicks, box, embedding.size_wh)
        outputs = self._decoder.run(asked, most_secs=MOST_CLICK_SECS)
        return read_mask(self._names[1], outputs, embedding.size_wh)

    def try_out(self) -> None:
        """Look at a grey picture and click on it; raises ModelError where that does not work."""
        width = LONG_SIDE_PX // 2
        height = LONG_SIDE_PX // 4
        grey = np.full((height, width, 3), _GREY, np.uint8)
        middle = Click(width / 2, height / 2, is_inside=True)
        self.outline(self.encode(grey), [middle], (0, 0, width, height))


@contextmanager
def run_pair(encoder: Path, decoder: Path, limits: Limits) -> Iterator[Outliner]:
    """The pair, each model in a process of its own with these limits; raises ModelError."""
    with start(encoder, limits, yields=True) as seeing, start(decoder, limits) as drawing:
        yield Outliner(seeing, drawing, (encoder.name, decoder.name))


def start(path: Path, limits: Limits, *, yields: bool = False) -> ModelProcess:
    """The process of one model of a pair; one that `yields` gives way to the server."""
    return ModelProcess(path, limits, partial(_open_ports, path), yields=yields)


def _open_ports(path: Path) -> OpenModel:
    from .ports import PortNetwork

    return PortNetwork(path)
