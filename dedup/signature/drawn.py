"""Telling documents and screenshots from photographs by their brightness alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .kernels import Levels, count_alike

LEVELS_ALIKE = 9
STRONG_STEP = 24
STRAIGHT_RATIO = 0.2


def is_drawn(levels: Levels) -> bool:
    """Whether much of a picture has one shade and most of its edges run straight across or down.

    True of pages and screens, and of a few photographs. Those match one another only where nothing
    at all tells them apart, since what tells two pages apart is small.
    """
    plain_share = count_alike(levels, LEVELS_ALIKE) / levels.size
    if plain_share < min(kind.plain_share for kind in _KINDS):
        return False
    signed = levels.astype(np.int16)
    across = np.abs(signed[1:-1, 2:] - signed[1:-1, :-2])
    down = np.abs(signed[2:, 1:-1] - signed[:-2, 1:-1])
    larger = np.maximum(across, down)
    is_strong = larger > STRONG_STEP
    is_straight = is_strong & (np.minimum(across, down) < STRAIGHT_RATIO * larger)
    straight_share = is_straight.sum() / max(int(is_strong.sum()), 1)
    shares = _Shares(float(plain_share), float(is_strong.mean()), float(straight_share))
    return any(shares.reach(kind) for kind in _KINDS)


@dataclass(frozen=True)
class _Shares:
    """How much has one shade, how much is edge, and how much of that runs straight."""

    plain_share: float
    edge_share: float
    straight_share: float

    def reach(self, other: _Shares) -> bool:
        """Whether each is at least the other's."""
        return (
            self.plain_share >= other.plain_share
            and self.edge_share >= other.edge_share
            and self.straight_share >= other.straight_share
        )


_KINDS = (_Shares(0.3, 0.1, 0.6), _Shares(0.4, 0.4, 0.45))
"""Screens, which hold plain panels, and pages full of lines of writing."""
