"""A competition, which a page is about, and the sections that a page is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .common import CommonClasses, find_common
from .comparing import CompetitionComparison
from .figures import Drawing
from .galleries import Pictures
from .layout import LayoutResult
from .scores import ClassScore, Items
from .show import ScoreTable
from .truth import Truth


@dataclass
class Section:
    """A part of a page; `is_ours` marks measures that no kit has."""

    title: str
    lines: list[str] = field(default_factory=list)
    tables: list[ScoreTable] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    galleries: list[tuple[str, Sequence[Mapping[str, str]]]] = field(default_factory=list)
    is_ours: bool = False


@dataclass(frozen=True)
class Competition:
    """What a page is about; `panel` are the methods by whose median images are ranked."""

    truth: Truth
    task: str
    name: str
    methods: Mapping[str, Mapping[str, ClassScore]]
    pictures: Pictures
    comparison: CompetitionComparison | None = None
    panel: Sequence[str] = ()
    layouts: Mapping[str, Sequence[LayoutResult]] = field(default_factory=dict)
    """By method, of layouts since 2008."""

    @property
    def classes(self) -> list[str]:
        """All classes that any method entered."""
        return list(dict.fromkeys(name for classes in self.methods.values() for name in classes))

    def of_class(self, name: str) -> dict[str, ClassScore]:
        """The methods that entered a class."""
        return {method: scores[name] for method, scores in self.methods.items() if name in scores}

    @cached_property
    def aps(self) -> dict[str, dict[str, float]]:
        """The AP of each class that a method entered, by method."""
        return {
            method: {name: score.curve.ap for name, score in classes.items()}
            for method, classes in self.methods.items()
        }

    @cached_property
    def common(self) -> CommonClasses:
        """The classes over which the methods' means compare."""
        return find_common(self.aps)

    def by_mean(self) -> list[str]:
        """The methods by their mean AP over common classes, the best first, without a mean last."""
        means = {method: self.common.mean(method, aps) for method, aps in self.aps.items()}
        return sorted(means, key=lambda method: -np.nan_to_num(means[method], nan=-1))

    def evidence_of(self, name: str) -> dict[str, Items]:
        """The ranked items of the methods that entered a class."""
        return {
            method: score.evidence
            for method, score in self.of_class(name).items()
            if isinstance(score.evidence, Items)
        }
