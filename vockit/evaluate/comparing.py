"""Several methods on one set: scores side by side, and which differences mean anything."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import significance
from .curves import Floats, Rules, average
from .scores import Scores, list_competitions
from .show import plain
from .significance import Comparison, RankTest
from .truth import Truth


@dataclass(frozen=True)
class CompetitionComparison:
    """The methods of one competition: compared by class and by the mean over classes."""

    task: str
    competition: str
    classes: Mapping[str, Comparison]
    mean: Comparison
    ranks: RankTest | None


@dataclass(frozen=True)
class _Entry:
    scores: dict[str, float]
    replicates: dict[str, Floats]


def compare_methods(truth: Truth, methods: Mapping[str, Scores]) -> list[CompetitionComparison]:
    """Each competition that two methods or more entered."""
    found = []
    masks = {("segmentation", it) for scores in methods.values() for it in scores.segmentations}
    for task, competition in sorted(masks.union(list_competitions(methods))):
        weights = significance.draw_weights(_count_images(truth, task))
        entries = {
            name: entry
            for name, scores in methods.items()
            if (entry := _find_entry(truth, scores, (task, competition), weights)) is not None
        }
        if len(entries) > 1:
            found.append(_compare(task, competition, entries))
    return found


def _find_entry(
    truth: Truth, scores: Scores, what: tuple[str, str], weights: Floats
) -> _Entry | None:
    task, competition = what
    if task != "segmentation":
        classes = scores.tasks.get(task, {}).get(competition, {})
        replicates = {
            it: significance.bootstrap_ap(s.judged, weights, truth.rules)
            for it, s in classes.items()
        }
        return (
            _Entry({it: s.curve.ap for it, s in classes.items()}, replicates) if classes else None
        )
    entry = scores.segmentations.get(competition)
    if entry is None or truth.rules is Rules.VOC2007:
        return None  # the papers bootstrap intersection over union
    names = np.array(("background", *truth.classes))[entry.entered].tolist()
    table = significance.bootstrap_iou(entry.pixels, weights)[entry.entered]
    accuracies = entry.result.accuracies[entry.entered].tolist()
    return _Entry(dict(zip(names, accuracies, strict=True)), dict(zip(names, table, strict=True)))


def _count_images(truth: Truth, task: str) -> int:
    if task == "layout" and truth.rules is not Rules.VOC2007:
        return len({image for image, _ in truth.persons})
    kinds = {"layout": "persons_2007", "action": "action_images", "segmentation": "segmented"}
    return len(getattr(truth, kinds.get(task, "images")))


def _compare(task: str, competition: str, entries: Mapping[str, _Entry]) -> CompetitionComparison:
    names = dict.fromkeys(name for entry in entries.values() for name in entry.scores)
    classes = {}
    for name in names:
        scores = {it: entry.scores.get(name, math.nan) for it, entry in entries.items()}
        scores = {it: score for it, score in scores.items() if not math.isnan(score)}
        if len(scores) > 1:
            drawn = {it: entries[it].replicates[name] for it in scores}
            classes[name] = significance.compare(scores, drawn)
    means = {method: average(entry.scores.values()) for method, entry in entries.items()}
    replicates = {}
    for method, entry in entries.items():  # without the classes that have no positives
        table = np.array(list(entry.replicates.values()))
        known = np.count_nonzero(~np.isnan(table), axis=0)
        replicates[method] = np.asarray(np.nansum(table, axis=0) / np.maximum(known, 1))
    ranks = significance.friedman({method: entry.scores for method, entry in entries.items()})
    return CompetitionComparison(
        task, competition, classes, significance.compare(means, replicates), ranks
    )


def format_comparison(found: CompetitionComparison) -> Iterator[str]:
    """A table of methods, the leading ones by class, and the test of ranks."""
    mean = found.mean
    width = max(len(name) for name in ("method", *mean.scores))
    yield f"{found.competition} ({found.task}): methods by mean; * is not separated from the best"
    yield f"  {'method':<{width}}     mean   behind the best (95 %)   rank (95 %)"
    for name, (score, behind, ranks, is_near) in list_methods(mean):
        yield f"  {name:<{width}} {'*' if is_near else ' '} {score}   {behind:<22}   {ranks}"
    for name, one in found.classes.items():
        best = ", ".join(f"{it} {one.scores[it]:.4f}" for it in one.best)
        yield f"  {name}: {best}"
    yield from (f"  {line}" for line in describe_ranks(found))


def list_methods(mean: Comparison) -> Iterator[tuple[str, tuple[str, str, str, bool]]]:
    """Each method, the best first: its mean, how far it is behind, its rank, if it is near."""
    for name in sorted(mean.scores, key=lambda it: -mean.scores[it]):
        (low, high), (first, last) = mean.behind[name], mean.ranks[name]
        behind, ranks = f"{low:.4f} to {high:.4f}", f"{first:g} to {last:g}"
        yield name, (f"{mean.scores[name]:.4f}", behind, ranks, name in mean.best)


def describe_ranks(found: CompetitionComparison) -> Iterator[str]:
    """Sentences on the test of ranks; none for fewer than three methods."""
    ranks = found.ranks
    if ranks is None:
        return
    by_rank = sorted(ranks.mean_ranks.items(), key=lambda it: it[1])
    listed = ", ".join(f"{name} {rank:.2f}" for name, rank in by_rank)
    yield f"Friedman: {ranks.statistic:.2f} (p = {ranks.p:.2g}); mean ranks: {listed}."
    yield f"Nemenyi: mean ranks differ at 95 % if they are {ranks.critical_difference:.2f} apart."
    if ranks.left_out:
        yield f"Left out of both, since they lack a class: {', '.join(ranks.left_out)}."
    near = {it for it, rank in by_rank if rank - by_rank[0][1] < ranks.critical_difference}
    if apart := sorted(near ^ (set(found.mean.best) & set(ranks.mean_ranks))):
        yield f"Bootstrap and Nemenyi disagree on: {', '.join(apart)}."


def make_comparison(found: list[CompetitionComparison]) -> Any:
    """The comparisons as JSON values."""
    return plain(
        [
            {
                "task": one.task,
                "competition": one.competition,
                "mean": _shape(one.mean),
                "classes": {name: _shape(it) for name, it in one.classes.items()},
                "friedman": None if one.ranks is None else asdict(one.ranks),
            }
            for one in found
        ]
    )


def _shape(one: Comparison) -> dict[str, Any]:
    return {
        name: {
            "score": score,
            "behind_best": list(one.behind[name]),
            "is_separated_from_best": name not in one.best,
            "rank": list(one.ranks[name]),
        }
        for name, score in one.scores.items()
    }
