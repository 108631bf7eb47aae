"""The classes that several methods have in common: over these alone means and ranks compare."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from .curves import average

ClassNumbers = Mapping[str, float]
"""A method's number for each class that it entered; NaN of a class without positives."""


@dataclass(frozen=True)
class CommonClasses:
    """The classes of which each of `methods` has a number; `left_out` share none with these."""

    classes: tuple[str, ...]
    methods: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    def mean(self, method: str, numbers: ClassNumbers) -> float:
        """The method's mean over the common classes; NaN where it is left out."""
        if method not in self.methods:
            return math.nan
        return average(numbers[name] for name in self.classes)


def find_common(scores: Mapping[str, ClassNumbers]) -> CommonClasses:
    """The common classes of these methods, by name, in the order of their classes.

    The method of the most classes is taken first. One that would leave no class in common is left
    out, so that it costs the others nothing.
    """
    numbered = {
        method: [name for name, number in numbers.items() if not math.isnan(number)]
        for method, numbers in scores.items()
    }
    common: list[str] = []
    kept: set[str] = set()
    for method in sorted(numbered, key=lambda method: -len(numbered[method])):
        shared = [name for name in common if name in numbered[method]] if kept else numbered[method]
        if shared:
            common = shared
            kept.add(method)
    return CommonClasses(
        classes=tuple(common),
        methods=tuple(method for method in scores if method in kept),
        left_out=tuple(method for method in scores if method not in kept),
    )
