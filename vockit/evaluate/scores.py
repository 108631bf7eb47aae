"""What scoring gives: scores by competition and class, with the rows they were judged from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from . import metrics
from .curves import Curve, Flags, Floats, Ints, Judged, average, draw_curve
from .entry import Entry, Selection
from .errors import Problem
from .layout import LayoutResult
from .metrics import Counts, Detections, DetectionTruth, Pairing, Segmentation
from .truth import Truth

Rates = tuple[Floats, Floats]


@dataclass(frozen=True)
class Items:
    """What a class of classification or action is scored from, in the order of the label file."""

    labels: Ints
    confidences: Floats
    images: Ints
    left_out: int = 0
    """Rows of what was not asked about the class or action, which count neither way."""


@dataclass(frozen=True)
class Boxes:
    """What a class of detection is scored from."""

    truth: DetectionTruth
    detections: Detections
    pairing: Pairing
    left_out: int = 0
    """Rows of images that were not asked about the class, which count neither way."""


@dataclass(frozen=True)
class ClassScore:
    """The score of one class, part or action, its rows, and what they were judged from."""

    curve: Curve
    judged: Judged
    evidence: Items | Boxes | None = None
    rates: Rates | None = None
    auc: float | None = None
    eer: float | None = None


@dataclass(frozen=True)
class SegmentationScore:
    """The score of an entry; `pixels` are found, true and given ones (images x 3 x classes)."""

    result: Segmentation
    pixels: Counts
    entered: Flags
    wanted: Flags
    is_painted: bool = False

    @property
    def mean_entered(self) -> float:
        """The mean over background and the classes that were entered and have a number."""
        return average(self.result.accuracies[self.entered])


@dataclass(frozen=True)
class Scores:
    """All scores of a submission by task and competition; `notes` say what was read with care.

    `missing` are the classes that were asked for and have no file that can be read, by competition.
    """

    tasks: Mapping[str, Mapping[str, Mapping[str, ClassScore]]]
    segmentations: Mapping[str, SegmentationScore]
    layouts: Mapping[str, Sequence[LayoutResult]]
    notes: Sequence[str]
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)


def has_number(scores: Scores) -> bool:
    """Whether any class has a score; none has where the set holds nothing of what was entered."""
    numbers = [
        score.curve.ap
        for competitions in scores.tasks.values()
        for classes in competitions.values()
        for score in classes.values()
    ]
    numbers += [entry.mean_entered for entry in scores.segmentations.values()]
    return not all(map(math.isnan, numbers))


def list_accuracies(truth: Truth, entry: SegmentationScore) -> dict[str, float]:
    """The accuracy of background and of each class that the entry gives, in percent."""
    names = ("background", *truth.classes)
    cells = zip(names, entry.result.accuracies.tolist(), entry.entered, strict=True)
    return {name: accuracy for name, accuracy, is_entered in cells if is_entered}


def list_competitions(methods: Mapping[str, Scores]) -> list[tuple[str, str]]:
    """Task and competition of every entry but those for segmentation, in the order of scoring."""
    listed = (
        (task, competition)
        for scores in methods.values()
        for task, competitions in scores.tasks.items()
        for competition in competitions
    )
    return list(dict.fromkeys(listed))


@dataclass
class Submission:
    """What was scored of an entry so far."""

    entry: Entry
    tasks: dict[str, dict[str, dict[str, ClassScore]]] = field(default_factory=dict)
    segmentations: dict[str, SegmentationScore] = field(default_factory=dict)

    @property
    def problems(self) -> list[Problem]:
        """All that is wrong with the entry; scoring adds what only it finds."""
        return self.entry.problems

    @property
    def truth(self) -> Truth:
        """The tree and the set."""
        return self.entry.truth

    @property
    def selection(self) -> Selection:
        """What was asked for."""
        return self.entry.selection

    def add(self, task: str, competition: str, name: str, score: ClassScore) -> None:
        """Add the score of one class."""
        self.tasks.setdefault(task, {}).setdefault(competition, {})[name] = score

    def add_items(
        self, task: str, competition: str, name: str, items: Items, rates: Rates | None = None
    ) -> None:
        """Score the items of one class and add that."""
        judged = metrics.judge_items(items.labels, items.confidences, items.images)
        curve = draw_curve(judged, self.truth.rules)
        if not items.labels.any():  # of no item the labels say anything
            curve = replace(curve, ap=math.nan)
        auc = metrics.area_under_roc(*rates) if rates else None
        eer = metrics.equal_error_rate(*rates) if rates else None
        self.add(task, competition, name, ClassScore(curve, judged, items, rates, auc, eer))
