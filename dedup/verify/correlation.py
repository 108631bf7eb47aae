"""The loops that say how well pictures agree, compiled by numba.

They stand alone: no loop of another file is called here, so that numba notices every change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dedup.search.kernels import compiled

from .kernels import ZERO, Floats, summing

LITTLE = np.float32(1e-6)


@compiled
def correlate_pictures(templates: Floats, values: Floats, weights: Floats, found: Floats) -> None:
    """Fill in how well each template and the values agree where there is weight: -1 to 1.

    All are flat, a row for each picture.
    """
    for number in range(len(templates)):
        found[number] = _correlate(templates[number], values[number], weights[number])


@summing
def _correlate(template: Floats, values: Floats, weights: Floats) -> Any:
    total, first, second = LITTLE, ZERO, ZERO
    for place in range(len(values)):
        total += weights[place]
        first += values[place] * weights[place]
        second += template[place] * weights[place]
    first, second = first / total, second / total
    product, power, other_power = ZERO, ZERO, ZERO
    for place in range(len(values)):
        one = (values[place] - first) * weights[place]
        two = (template[place] - second) * weights[place]
        product += one * two
        power += one * one
        other_power += two * two
    return product / np.sqrt(power * other_power + LITTLE)
