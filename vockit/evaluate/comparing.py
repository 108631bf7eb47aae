"""Several methods on one set: scores side by side, and which differences mean anything."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from vockit.format.plural import format_count
from vockit.report.comparison import Compared, Outcome, compare

from . import significance
from .common import CommonClasses, find_common
from .curves import Floats, Rules
from .scores import Scores, list_competitions
from .show import plain
from .significance import Comparison, RankTest
from .truth import Truth


@dataclass(frozen=True)
class CompetitionComparison:
    """The methods of one competition: compared by class, and by the mean over common classes."""

    task: str
    competition: str
    classes: Mapping[str, Comparison]
    common: CommonClasses
    mean: Comparison
    ranks: RankTest | None


@dataclass(frozen=True)
class MethodsComparison:
    """Each competition in which methods were compared, and which were, of those entered."""

    competitions: Sequence[CompetitionComparison]
    compared: Compared


@dataclass(frozen=True)
class Entry:
    """The score of each class, and what it is in each replicate of the bootstrap."""

    scores: dict[str, float]
    replicates: dict[str, Floats]


ALONE = "one method alone has results that can be compared"
NOTHING_COMMON = "no two methods have a class in common"


def compare_methods(truth: Truth, methods: Mapping[str, Scores]) -> MethodsComparison:
    """The methods in each competition that two or more entered with a class in common."""
    comparisons: list[CompetitionComparison] = []
    outcomes: list[tuple[str, Outcome]] = []
    masks = {("segmentation", name) for scores in methods.values() for name in scores.segmentations}
    for task, competition in sorted(masks.union(list_competitions(methods))):
        comparison = compare_entries(
            task, competition, _find_entries(truth, methods, task, competition)
        )
        comparisons += [comparison] if isinstance(comparison, CompetitionComparison) else []
        outcome = comparison if isinstance(comparison, str) else True
        outcomes.append((f"{competition} ({task})", outcome))
    return MethodsComparison(comparisons, compare("competition", outcomes, is_right="compared"))


def _find_entries(
    truth: Truth, methods: Mapping[str, Scores], task: str, competition: str
) -> dict[str, Entry]:
    """The entry of each method, if there are several, which alone are resampled."""
    entered = {
        name: scores
        for name, scores in methods.items()
        if competition in scores.tasks.get(task, {})
        or (task == "segmentation" and competition in scores.segmentations)
    }
    if len(entered) < 2:
        return {}
    weights = significance.draw_weights(count_images(truth, task))
    entries = {
        name: find_entry(truth, scores, (task, competition), weights)
        for name, scores in entered.items()
    }
    return {name: entry for name, entry in entries.items() if entry is not None}


def find_entry(
    truth: Truth, scores: Scores, what: tuple[str, str], weights: Floats
) -> Entry | None:
    """The scores of a method in one task and competition by class, and their replicates."""
    task, competition = what
    if task != "segmentation":
        classes = scores.tasks.get(task, {}).get(competition, {})
        replicates = {
            name: significance.bootstrap_ap(s.judged, weights, truth.rules)
            for name, s in classes.items()
        }
        return (
            Entry({name: s.curve.ap for name, s in classes.items()}, replicates)
            if classes
            else None
        )
    entry = scores.segmentations.get(competition)
    if entry is None or truth.rules is Rules.VOC2007:
        return None  # the papers bootstrap intersection over union
    names = np.array(("background", *truth.classes))[entry.entered].tolist()
    table = significance.bootstrap_iou(entry.pixels, weights)[entry.entered]
    accuracies = entry.result.accuracies[entry.entered].tolist()
    return Entry(dict(zip(names, accuracies, strict=True)), dict(zip(names, table, strict=True)))


def count_images(truth: Truth, task: str) -> int:
    """How many images the task is judged on, which are resampled."""
    if task == "layout" and truth.rules is not Rules.VOC2007:
        return len({image for image, _ in truth.persons})
    kinds = {"layout": "persons_2007", "action": "action_images", "segmentation": "segmented"}
    return len(getattr(truth, kinds.get(task, "images")))


def compare_entries(
    task: str, competition: str, entries: Mapping[str, Entry], *, means_alone: bool = False
) -> CompetitionComparison | str:
    """The entries by class and by mean; or why they cannot be compared.

    With `means_alone` no class is compared, which takes most of the time.
    """
    if len(entries) < 2:
        return ALONE
    common = find_common({method: entry.scores for method, entry in entries.items()})
    if len(common.methods) < 2:
        return NOTHING_COMMON
    classes = {} if means_alone else _compare_classes(entries)
    kept = {method: entries[method] for method in common.methods}
    means = {method: common.mean(method, entry.scores) for method, entry in kept.items()}
    replicates = {method: _average_replicates(entry, common) for method, entry in kept.items()}
    return CompetitionComparison(
        task=task,
        competition=competition,
        classes=classes,
        common=common,
        mean=significance.compare(means, replicates),
        ranks=significance.friedman(
            {
                method: {name: entry.scores[name] for name in common.classes}
                for method, entry in kept.items()
            }
        ),
    )


def _compare_classes(entries: Mapping[str, Entry]) -> dict[str, Comparison]:
    """The comparison of each class that two entries have."""
    names = dict.fromkeys(name for entry in entries.values() for name in entry.scores)
    classes = {}
    for name in names:
        scores = {method: entry.scores.get(name, math.nan) for method, entry in entries.items()}
        scores = {
            method: score
            for method, score in scores.items()
            if not math.isnan(score) and _is_drawn(entries[method].replicates[name])
        }
        if len(scores) > 1:
            drawn = {method: entries[method].replicates[name] for method in scores}
            classes[name] = significance.compare(scores, drawn)
    return classes


def _is_drawn(replicates: Floats) -> bool:
    """Whether any replicate has a number; a class without positives has none, and the AP 0."""
    return not np.isnan(replicates).all()


def _average_replicates(entry: Entry, common: CommonClasses) -> Floats:
    """The mean over the common classes in each replicate, without those that have no positives."""
    table = np.array([entry.replicates[name] for name in common.classes])
    known = np.count_nonzero(~np.isnan(table), axis=0)
    return np.asarray(np.nansum(table, axis=0) / np.maximum(known, 1))


def format_comparison(comparison: CompetitionComparison) -> Iterator[str]:
    """A table of methods, the leading ones by class, and the test of ranks."""
    mean = comparison.mean
    width = max(len(name) for name in ("method", *mean.scores))
    name = f"{comparison.competition} ({comparison.task})"
    yield f"{name}: methods by mean over {describe_common(comparison.common)}"
    yield "  * is not separated from the best, all methods compared at once (95 %)"
    yield f"  {'method':<{width}}     mean   behind, as a pair (95 %)   rank (95 %)"
    for name, (score, behind, ranks, is_near) in list_methods(mean):
        yield f"  {name:<{width}} {'*' if is_near else ' '} {score}   {behind:<24}   {ranks}"
    for name, by_method in comparison.classes.items():
        best = ", ".join(f"{method} {by_method.scores[method]:.4f}" for method in by_method.best)
        yield f"  {name}: {best}"
    yield from (f"  {line}" for line in describe_ranks(comparison))


def describe_common(common: CommonClasses) -> str:
    """Over how many classes the methods are compared, and which methods are not."""
    count = len(common.classes)
    classes = format_count(count, "class", "classes")
    left_out = f"; left out, with no class in common: {', '.join(common.left_out)}"
    return f"the {classes} that they have in common{left_out if common.left_out else ''}"


def list_methods(mean: Comparison) -> Iterator[tuple[str, tuple[str, str, str, bool]]]:
    """Each method, the best first: its mean, how far it is behind, its rank, if it is near."""
    for name in sorted(mean.scores, key=lambda method: -mean.scores[method]):
        low, high = mean.behind[name]
        first, last = mean.ranks[name]
        behind = f"{low:.4f} to {high:.4f}"
        ranks = f"{first:g} to {last:g}"
        yield name, (f"{mean.scores[name]:.4f}", behind, ranks, name in mean.best)


def describe_ranks(comparison: CompetitionComparison) -> Iterator[str]:
    """Sentences on the test of ranks; none for fewer than three methods."""
    ranks = comparison.ranks
    if ranks is None:
        return
    by_rank = sorted(ranks.mean_ranks.items(), key=lambda pair: pair[1])
    listed = ", ".join(f"{name} {rank:.2f}" for name, rank in by_rank)
    yield f"Friedman: {ranks.statistic:.2f} (p = {ranks.p:.2g}); mean ranks: {listed}."
    yield f"Nemenyi: mean ranks differ at 95 % if they are {ranks.critical_difference:.2f} apart."
    near = {method for method, rank in by_rank if rank - by_rank[0][1] < ranks.critical_difference}
    if apart := sorted(near ^ (set(comparison.mean.best) & set(ranks.mean_ranks))):
        yield f"Bootstrap and Nemenyi disagree on: {', '.join(apart)}."


def make_comparison(comparisons: Sequence[CompetitionComparison]) -> Any:
    """The comparisons as JSON values."""
    return plain(
        [
            {
                "task": comparison.task,
                "competition": comparison.competition,
                "common_classes": list(comparison.common.classes),
                "left_out": list(comparison.common.left_out),
                "mean": _shape(comparison.mean),
                "classes": {
                    name: _shape(by_method) for name, by_method in comparison.classes.items()
                },
                "friedman": None if comparison.ranks is None else asdict(comparison.ranks),
            }
            for comparison in comparisons
        ]
    )


def _shape(comparison: Comparison) -> dict[str, Any]:
    shown = {}
    for name, score in comparison.scores.items():
        low, high = comparison.behind[name]
        shown[name] = {
            "score": score,
            "behind_best": [low, high],
            "is_separated_from_best": name not in comparison.best,
            "is_separated_as_pair": not low <= 0 <= high,
            "rank": list(comparison.ranks[name]),
        }
    return shown
