"""A report held against another one: on another set, or on other labels (IJCV 2010, Fig. 16)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vockit.format.text import decode_text

from .common import find_common
from .competition import Section
from .errors import EvaluateError
from .figures import Drawing, Panel, draw_panels
from .scores import ClassScore, Scores, list_competitions
from .show import Cell, ScoreTable
from .truth import Truth


@dataclass(frozen=True)
class _OtherScores:
    """scores.json of another report: a name for its set, and its methods' documents."""

    name: str
    methods: Mapping[str, Any]


@dataclass(frozen=True)
class _Medians:
    """A method's median AP over the classes that all methods have in both reports."""

    here: float
    there: float
    classes: int


def compare_reports(methods: Mapping[str, Scores], truth: Truth, path: Path) -> Section:
    """Medians and ranks over common classes, here and in the scores.json; EvaluateError."""
    other = _read_scores(path)
    section = Section("Against another report")
    for task, competition in sorted(list_competitions(methods)):
        pairs_of = {
            method: pairs
            for method, scores in methods.items()
            if (pairs := _find_pairs(scores, other.methods.get(method, {}), task, competition))
        }
        common = find_common(
            {
                method: {name: here + there for name, (here, there) in pairs.items()}
                for method, pairs in pairs_of.items()
            }
        )
        medians = {
            method: _find_medians([pairs_of[method][name] for name in common.classes])
            for method in common.methods
        }
        left_out = [
            method
            for method, scores in methods.items()
            if competition in scores.tasks.get(task, {}) and method not in common.methods
        ]
        if left_out:
            names = ", ".join(left_out)
            section.lines.append(f"{competition}: left out, with no class in common: {names}.")
        if medians:
            ends = (truth.name, other.name)
            section.tables.append(_tabulate_medians(competition, medians, ends))
            section.drawings.append(_draw_medians(competition, medians, ends))
    if not section.tables:
        section.lines.append(
            f"Nothing was compared: no method has a class in common with one of its name in "
            f"{other.name}, whose methods are: {', '.join(other.methods)}."
        )
    return section


def _read_scores(path: Path) -> _OtherScores:
    try:
        methods = json.loads(decode_text(path.read_bytes()))["methods"]
        document = next(iter(methods.values()))
        name = f"{document['tree']} {document['set']} ({path.parent.name})"
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise EvaluateError(f"{path}: expected scores.json of another report: {error}") from error
    return _OtherScores(name, methods)


def _find_pairs(
    scores: Scores, document: Mapping[str, Any], task: str, competition: str
) -> dict[str, tuple[float, float]]:
    """The APs of one method here and there, of the classes of which both reports have a number."""
    here: Mapping[str, ClassScore] = scores.tasks.get(task, {}).get(competition, {})
    there = document.get("tasks", {}).get(task, {}).get(competition, {})
    aps_there = {name: score["ap"] for name, score in there.get("classes", {}).items()}
    return {
        name: (score.curve.ap, aps_there[name])
        for name, score in here.items()
        if isinstance(aps_there.get(name), float)
    }


def _find_medians(pairs: Sequence[tuple[float, float]]) -> _Medians:
    median_here, median_there = np.median(pairs, axis=0)
    return _Medians(float(median_here), float(median_there), len(pairs))


def _tabulate_medians(
    competition: str, medians: Mapping[str, _Medians], ends: tuple[str, str]
) -> ScoreTable:
    rows: list[tuple[str, list[Cell]]] = []
    for method, median in medians.items():
        rank = 1 + sum(other.here > median.here for other in medians.values())
        rank_there = 1 + sum(other.there > median.there for other in medians.values())
        change = f"{rank - rank_there:+d}" if rank != rank_there else "same"
        cells: list[Cell] = [median.here, median.there, median.classes, rank, rank_there, change]
        rows.append((method, cells))
    heads = ["method", ends[0], ends[1], "classes", "rank", "rank there", "change"]
    title = f"{competition}: median AP (%) over common classes, and ranks"
    return ScoreTable(f"{competition}-other", title, heads, rows)


def _draw_medians(
    competition: str, medians: Mapping[str, _Medians], ends: tuple[str, str]
) -> Drawing:
    dots = {
        method: (np.array([100 * median.here]), np.array([100 * median.there]))
        for method, median in medians.items()
    }
    panel = Panel("", dots, (f"{ends[0]} (%)", f"{ends[1]} (%)"), dots=True)
    return draw_panels(f"{competition}-other", f"{competition}: median AP", [panel])
