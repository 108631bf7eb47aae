"""Objects of several pieces, without and with holes."""

import numpy as np
from numpy.typing import NDArray


def make_region(*holes: tuple[slice, slice]) -> NDArray[np.uint8]:
    """An object of two pieces that touch at a corner, with these holes."""
    labels = np.full((40, 60), 255, np.uint8)
    labels[:5] = 0
    labels[10:20, 10:30] = 1
    labels[20:30, 30:50] = 1
    for hole in holes:
        labels[hole] = 255
    return labels


REGIONS = [(make_region(), list), (make_region(np.s_[12:15, 12:16], np.s_[22:24, 35:36]), dict)]
