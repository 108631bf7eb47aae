"""What scoring gives: scores by competition and class, with the rows they were judged from."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from vockit.format.plural import format_count

from . import metrics
from .curves import Curve, Flags, Floats, Ints, Judged, average, draw_curve
from .errors import Problem
from .layout import LayoutResult
from .metrics import Counts, Detections, DetectionTruth, Pairing, Segmentation
from .truth import Truth

Rates = tuple[Floats, Floats]
MOST_NAMED = 5
"""Classes that a note names."""


def list_some(counts: Mapping[str, int]) -> str:
    """The first names with their counts, and how many more there are."""
    texts = [f"{name} {count:,}" for name, count in counts.items()]
    more = [f"{len(texts) - MOST_NAMED:,} more"] if len(texts) > MOST_NAMED else []
    return ", ".join([*texts[:MOST_NAMED], *more])


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


@dataclass(frozen=True)
class Selection:
    """What to score, everything if empty, and the least confidence of detections in masks."""

    competitions: Collection[str] = ()
    classes: Collection[str] = ()
    least_confidence: float = -np.inf

    def wants(self, competition: str, name: str | None = None) -> bool:
        """Whether a competition, and a class in it, is to be scored."""
        is_wanted = not self.competitions or competition in self.competitions
        return is_wanted and (name is None or not self.classes or name in self.classes)


ALL = Selection()


@dataclass
class Submission:
    """What was scored so far, and what was wrong with it."""

    truth: Truth
    results: Path
    selection: Selection
    tasks: dict[str, dict[str, dict[str, ClassScore]]] = field(default_factory=dict)
    segmentations: dict[str, SegmentationScore] = field(default_factory=dict)
    layouts: dict[str, Sequence[LayoutResult]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: dict[str, list[str]] = field(default_factory=dict)

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

    def note_left_out(self) -> None:
        """Note the rows of each competition that count neither way, as nobody asked."""
        for competitions in self.tasks.values():
            for competition, classes in competitions.items():
                left_out = {
                    name: score.evidence.left_out
                    for name, score in classes.items()
                    if score.evidence is not None and score.evidence.left_out
                }
                if left_out:
                    rows = format_count(sum(left_out.values()), "row")
                    verb = "counts" if rows == "1 row" else "count"
                    self.notes.append(
                        f"{competition}: {rows} of what was not asked {verb} neither way "
                        f"({list_some(left_out)})."
                    )

    def find(self, competition: str, word: str, names: Iterable[str]) -> list[tuple[str, Path]]:
        """The files of a competition, with their classes.

        Notes files that are of no class, and those that are no files to read, such as links that
        lead nowhere and pipes; their classes count as missing, as do classes without a file.
        """
        folder = self.results / ("Action" if word == "action" else "Main")
        start = f"{competition}_{word}_{self.truth.image_set}_"
        paths = {path.stem.removeprefix(start): path for path in folder.glob(f"{start}*.txt")}
        wanted = [name for name in names if self.selection.wants(competition, name)]
        if competition in (self.selection.competitions or [competition]):
            for name in sorted(set(paths) - set(names)):
                self.notes.append(f"{paths[name].name} was not scored: {name} is no class here.")
        files = [(name, paths[name]) for name in wanted if name in paths and paths[name].is_file()]
        for name in sorted(set(wanted) & set(paths) - dict(files).keys()):
            self.note_unreadable(paths[name], f"{name} counts as missing")
        if files:
            self.missing[competition] = [name for name in wanted if name not in dict(files)]
        return files

    def note_unreadable(self, path: Path, consequence: str) -> None:
        """Note that something of that name is no file that can be read, and what follows."""
        kind = "a link that leads nowhere" if not path.exists() else "no regular file"
        self.notes.append(f"{path.name} was not scored: it is {kind}; {consequence}.")
