"""What groups of images hold, as arrays of whole numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Groups:
    """For each group what it holds: kind `kinds[k]` as much as `units[k]`, `k` from its start."""

    starts: Integers
    kinds: Integers
    units: Integers
    kind_count: int

    def __len__(self) -> int:
        return len(self.starts) - 1
