"""The scoring of one upload: numbers rounded to 0.1 %, and the replicates to compare methods by.

It runs in a process of its own. What it gives holds no text of the labels and no figure by image.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vockit.errors import UserError
from vockit.evaluate.comparing import Entry, count_images, find_entry
from vockit.evaluate.curves import Curve, Flags, Floats, Rules
from vockit.evaluate.detectors import note_detectors
from vockit.evaluate.entry import Selection
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.packed import open_results
from vockit.evaluate.scores import Scores, SegmentationScore, list_competitions
from vockit.evaluate.scoring import score
from vockit.evaluate.significance import LEVEL, bootstrap_iou, draw_weights
from vockit.evaluate.truth import Truth, open_truth

from .values import Part
from .verdicts import Task, Upload, call_archive, find_ending

_log = logging.getLogger(__name__)
SEGMENTATION = "segmentation"
DECIMALS = 1
"""Of a percentage: no number is stored or shown in more detail."""
REPLICATES = 1000
MOST_POINTS = 200
"""Of a curve that is kept."""
FAULT = (
    "It has the right form, and cannot be scored: it names persons or images that the truth does "
    "not have, or the truth is being corrected. The organiser was told."
)


@dataclass(frozen=True)
class Entrant:
    """Whose results are scored, as far as detectors in it are looked for."""

    method: str
    detectors: str


@dataclass(frozen=True)
class Measured:
    """The numbers for the database, and the replicates for the file of evidence."""

    results: dict[str, Any]
    evidence: dict[str, Floats]


class ScoringFault(UserError):
    """The results cannot be scored, in words that tell nothing of the truth."""


def measure(task: Task, upload: Upload, public: Collection[str], entrant: Entrant) -> Measured:
    """The scores of an upload by the tree of `task`, of the whole set and of the public part.

    Raises ScoringFault, whose sentence is for the team: what it is about is for the log alone.
    """
    try:
        return _measure(task, upload, public, entrant)
    except EvaluateError as error:
        _log.warning("An upload of the right form cannot be scored: %s", error)
        raise ScoringFault(FAULT) from error


def _measure(task: Task, upload: Upload, public: Collection[str], entrant: Entrant) -> Measured:
    truth = open_truth(task.tree, task.image_set, Rules(task.rules))
    ending = find_ending(upload.path)
    if ending is None:
        raise ScoringFault(FAULT)
    with (
        call_archive(upload.path, ending) as archive,
        open_results(archive, upload.caps) as folder,
    ):
        scores = score(truth, folder, Selection(competitions=task.competitions))
        words = f"{entrant.method} {entrant.detectors}"
        notes = list(note_detectors(truth, words, folder))
    measured = Measured({"notes": notes, "parts": {}}, {})
    for part in (Part.WHOLE, Part.PUBLIC) if public else (Part.WHOLE,):
        _measure_part(measured, truth, scores, part, public)
    return measured


def _measure_part(
    measured: Measured, truth: Truth, scores: Scores, part: Part, public: Collection[str]
) -> None:
    """Add the numbers of each competition on a part of the set."""
    competitions = dict[str, Any]()
    for task, competition in _list_entered(scores):
        images = list_images(truth, task)
        is_drawn = np.array([part is Part.WHOLE or name in public for name in images], np.bool_)
        if not is_drawn.any():
            continue
        entry = _find_part(truth, scores, (task, competition), is_drawn)
        missing = list(scores.missing.get(competition, ()))
        competitions[competition] = {"task": task, "missing": missing} | _round_entry(entry, task)
        if part is Part.WHOLE:
            _add_curves(measured, scores, task, competition)
        for name, replicates in entry.replicates.items():
            key = f"{part}/{competition}/{name}"
            measured.evidence[key] = np.concatenate([[entry.scores[name]], replicates])
    measured.results["parts"][str(part)] = competitions


def _add_curves(measured: Measured, scores: Scores, task: str, competition: str) -> None:
    """Add the curves, which the board has once the labels are published."""
    for name, scored in scores.tasks.get(task, {}).get(competition, {}).items():
        measured.evidence[name_curve(competition, name)] = thin_curve(scored.curve)


def _list_entered(scores: Scores) -> list[tuple[str, str]]:
    """Task and competition of what was sent, without masks that are painted from boxes."""
    masks = [
        (SEGMENTATION, name) for name, entry in scores.segmentations.items() if not entry.is_painted
    ]
    return [*list_competitions({"": scores}), *masks]


def list_images(truth: Truth, task: str) -> Sequence[str]:
    """The images that a task is judged on, in the order of their numbers."""
    if task == "layout":
        return tuple(dict.fromkeys(image_id for image_id, _ in truth.persons))
    if task == "action":
        return tuple(truth.action_images)
    if task == SEGMENTATION:
        return tuple(truth.segmented)
    return tuple(truth.images)


def _find_part(truth: Truth, scores: Scores, what: tuple[str, str], is_drawn: Flags) -> Entry:
    """The scores on the images that are drawn, and their replicates.

    A bootstrap that draws each of these once, and no other image, gives the score on them alone.
    """
    weights = np.zeros((count_images(truth, what[0]), 1 + REPLICATES))
    weights[is_drawn, 0] = 1
    weights[is_drawn, 1:] = draw_weights(int(is_drawn.sum()), REPLICATES)
    if what[0] == SEGMENTATION:
        entry = _find_masks(truth, scores.segmentations[what[1]], weights)
    else:
        entry = find_entry(truth, scores, what, weights) or Entry({}, {})
    return Entry(
        {
            name: number if is_drawn.all() or math.isnan(number) else float(drawn[0])
            for (name, number), drawn in zip(
                entry.scores.items(), entry.replicates.values(), strict=True
            )
        },
        {name: drawn[1:] for name, drawn in entry.replicates.items()},
    )


def _find_masks(truth: Truth, entry: SegmentationScore, weights: Floats) -> Entry:
    """Background and each class, also one that the entry gives nowhere, so that it costs as much.

    By the rules of 2007 nothing is bootstrapped.
    """
    names = ("background", *truth.classes)
    if truth.rules is Rules.VOC2007:
        table = np.full((len(names), weights.shape[1]), math.nan)
    else:
        table = bootstrap_iou(entry.pixels, weights)
    accuracies = entry.result.accuracies.tolist()
    return Entry(dict(zip(names, accuracies, strict=True)), dict(zip(names, table, strict=True)))


def _round_entry(entry: Entry, task: str) -> dict[str, Any]:
    """Each class and the mean over all that were entered, as [score, low, high] in percent."""
    scale = 1.0 if task == SEGMENTATION else 100.0
    known = [name for name, number in entry.scores.items() if not math.isnan(number)]
    rows = {
        name: _round_interval(entry.scores[name], entry.replicates[name], scale)
        for name in entry.scores
    }
    if not known:
        return {"classes": rows, "mean": [None, None, None]}
    table = np.array([entry.replicates[name] for name in known])
    counts = np.count_nonzero(~np.isnan(table), axis=0)
    means = np.where(counts > 0, np.nansum(table, axis=0) / np.maximum(counts, 1), math.nan)
    mean = sum(entry.scores[name] for name in known) / len(known)
    return {"classes": rows, "mean": _round_interval(mean, means, scale)}


def _round_interval(value: float, replicates: Floats, scale: float) -> list[float | None]:
    drawn = replicates[~np.isnan(replicates)]
    if math.isnan(value):
        return [None, None, None]
    if not len(drawn):
        return [_round(scale * value), None, None]
    low, high = np.percentile(drawn, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return [_round(scale * value), _round(scale * float(low)), _round(scale * float(high))]


def _round(value: float) -> float:
    return round(value, DECIMALS)


def name_curve(competition: str, class_name: str) -> str:
    """What a curve is called in the file of evidence."""
    return f"curves/{competition}/{class_name}"


def thin_curve(curve: Curve) -> Floats:
    """Recall and precision (2 x points) where a step of recall is reached, and at the end."""
    known = np.flatnonzero(~np.isnan(curve.recall) & ~np.isnan(curve.precision))
    recall = curve.recall[known]
    if not len(recall):
        return np.empty((2, 0))
    grid = np.linspace(0, recall[-1], MOST_POINTS)
    chosen = known[np.unique(np.append(np.searchsorted(recall, grid), len(recall) - 1))]
    return np.array([curve.recall[chosen], curve.precision[chosen]])


def load_evidence(path: Path, part: Part, competition: str) -> Entry:
    """The scores and replicates of one competition, from a file that `measure` gave."""
    start = f"{part}/{competition}/"
    with np.load(path) as stored:
        rows: Mapping[str, Floats] = {
            key.removeprefix(start): stored[key] for key in stored.files if key.startswith(start)
        }
    return Entry(
        {name: float(row[0]) for name, row in rows.items()},
        {name: row[1:] for name, row in rows.items()},
    )
