"""Telling documents and screenshots from photographs by their brightness alone."""

from __future__ import annotations

from dataclasses import dataclass

from .kernels import Levels
from .layout_kernels import count_alike, count_edges

LEVELS_ALIKE = 9
STRONG_STEP = 24
STRAIGHT_TIMES = 5


def is_drawn(levels: Levels) -> bool:
    """Whether much of a picture has one shade and most of its edges run straight across or down.

    True of pages and screens, and of a few photographs. Those match one another only where nothing
    at all tells them apart, since what tells two pages apart is small.
    """
    plain_share = count_alike(levels, LEVELS_ALIKE) / levels.size
    if plain_share < min(kind.plain_share for kind in _KINDS):
        return False
    inner = (levels.shape[0] - 2) * (levels.shape[1] - 2)
    edges, straight = count_edges(levels, STRONG_STEP, STRAIGHT_TIMES)
    shares = _Shares(plain_share, edges / inner, straight / max(edges, 1))
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
