"""How the pixels of a picture become the input of a model, and its boxes those of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""Height x width x 3, red first."""
Edges = NDArray[np.float64]
"""n x 4: left, top, right and bottom edge, from 0 at the picture's corner."""
Floats = NDArray[np.float64]
Output = NDArray[Any]

_PADDING = 114
"""The grey of the area that a picture does not fill, as YOLO's training has it."""


class Fill(Enum):
    """How a picture fills the size of the input."""

    CENTRED = "scaled to fit, grey on both sides"
    CORNER = "scaled to fit, grey at the right and below"
    STRETCHED = "both sides scaled to the input's"


@dataclass(frozen=True)
class Placing:
    """Where the picture lies in the input, and its own size."""

    scale_wh: tuple[float, float]
    offset_wh: tuple[int, int]
    size_wh: tuple[int, int]

    def restore(self, edges: Edges) -> Edges:
        """Edges in the picture, of edges in the input; none is outside of the picture."""
        offset = np.array(self.offset_wh * 2, np.float64)
        scale = np.array(self.scale_wh * 2, np.float64)
        return np.clip((edges - offset) / scale, 0, np.array(self.size_wh * 2, np.float64))


@dataclass(frozen=True)
class Preparation:
    """What the pixels go through: fill, order of colours, and (pixel / divisor - mean) / spread."""

    fill: Fill
    divisor: float = 255
    is_blue_first: bool = False
    mean: tuple[float, float, float] = (0, 0, 0)
    spread: tuple[float, float, float] = (1, 1, 1)

    def prepare(
        self, pixels: Pixels, size_wh: tuple[int, int]
    ) -> tuple[NDArray[np.float32], Placing]:
        """The input, 3 x height x width, and where the picture lies in it."""
        placed, placing = self._place(pixels, size_wh)
        colours = placed[:, :, ::-1] if self.is_blue_first else placed
        numbers = colours.astype(np.float32) / np.float32(self.divisor)
        mean, spread = np.array([self.mean, self.spread], np.float32)
        numbers = (numbers - mean) / spread
        return np.ascontiguousarray(numbers.transpose(2, 0, 1)), placing

    def _place(self, pixels: Pixels, size_wh: tuple[int, int]) -> tuple[Pixels, Placing]:
        height, width = pixels.shape[:2]
        if self.fill is Fill.STRETCHED:
            scale_wh = (size_wh[0] / width, size_wh[1] / height)
            return _resize(pixels, size_wh), Placing(scale_wh, (0, 0), (width, height))
        scale = min(size_wh[0] / width, size_wh[1] / height)
        fitted_wh = (max(1, round(width * scale)), max(1, round(height * scale)))
        offset = (0, 0)
        if self.fill is Fill.CENTRED:
            offset = ((size_wh[0] - fitted_wh[0]) // 2, (size_wh[1] - fitted_wh[1]) // 2)
        placed = np.full((size_wh[1], size_wh[0], 3), _PADDING, np.uint8)
        rows = slice(offset[1], offset[1] + fitted_wh[1])
        columns = slice(offset[0], offset[0] + fitted_wh[0])
        placed[rows, columns] = _resize(pixels, fitted_wh)
        return placed, Placing((scale, scale), offset, (width, height))


def _resize(pixels: Pixels, size_wh: tuple[int, int]) -> Pixels:
    return np.asarray(cv2.resize(pixels, size_wh, interpolation=cv2.INTER_LINEAR), np.uint8)
