"""Two test sets of one tree side by side: scores with intervals, and what differs between them.

VOC2005 had a second test set, test2, of another origin, which was harder.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vockit.errors import TreeNotFoundError
from vockit.foreign.manifest import read_manifest
from vockit.format import tree
from vockit.format.class_counts import format_cell
from vockit.format.image_sets import TESTS
from vockit.format.text import decode_text
from vockit.report.set_comparison import SetImage, compare_sets, find_year, list_objects

from .comparing import count_images, find_entry
from .competition import Section
from .curves import Floats
from .errors import EvaluateError
from .scores import Scores, list_competitions
from .show import Cell, ScoreTable, plain
from .significance import LEVEL, draw_weights
from .truth import Truth

_MEAN = ""
"""The key of the mean over classes, which no class has."""


@dataclass(frozen=True)
class _Interval:
    """A score and its percentile interval of 95 %, from a bootstrap over images."""

    score: float
    low: float
    high: float

    def __str__(self) -> str:
        if math.isnan(self.score):
            return "\N{EN DASH}"
        return f"{100 * self.score:.1f} ({100 * self.low:.1f} to {100 * self.high:.1f})"


Intervals = Mapping[tuple[str, str, str], Mapping[str, _Interval]]
"""By task, competition and method the intervals by class, in the order of the classes."""


def is_one_of_two(truth: Truth) -> bool:
    """Whether the set is one of two test sets of the tree."""
    lists = (truth.root / tree.set_path(tree.MAIN, name) for name in TESTS)
    return truth.image_set in TESTS and all(path.is_file() for path in lists)


def measure_intervals(truth: Truth, methods: Mapping[str, Scores]) -> list[dict[str, Any]]:
    """Each AP and each mean over classes with its interval, as JSON has them."""
    rows = list[dict[str, Any]]()
    for task, competition in list_competitions(methods):
        weights = draw_weights(count_images(truth, task))
        for method, scores in methods.items():
            entry = find_entry(truth, scores, (task, competition), weights)
            known = {
                name: score
                for name, score in (entry.scores.items() if entry else ())
                if not math.isnan(score)
            }
            if entry is None or not known:
                continue
            replicates = {name: entry.replicates[name] for name in known}
            mean = sum(known.values()) / len(known)
            row = {"task": task, "competition": competition, "method": method}
            classes = {name: _bound(known[name], replicates[name]) for name in known}
            rows.append(
                row
                | {"classes": classes, "mean": _bound(mean, _average(list(replicates.values())))}
            )
    rows_as_json: list[dict[str, Any]] = plain(rows)
    return rows_as_json


def _average(replicates: Sequence[Floats]) -> Floats:
    """The mean over classes of each replicate; NaN where no class has a positive."""
    table = np.array(replicates)
    known = np.count_nonzero(~np.isnan(table), axis=0)
    return np.where(known > 0, np.nansum(table, axis=0) / np.maximum(known, 1), np.nan)


def _bound(score: float, replicates: Floats) -> list[float]:
    """The score and the ends of its interval; replicates without a positive do not count."""
    drawn = replicates[~np.isnan(replicates)]
    if not len(drawn):
        return [score, math.nan, math.nan]
    low, high = np.percentile(drawn, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return [score, float(low), float(high)]


def compare_tests(truth: Truth, methods: Mapping[str, Scores], other_scores: Path) -> list[Section]:
    """The sections on both test sets; none where the other report is not on the other test set."""
    other_set = next(name for name in TESTS if name != truth.image_set)
    there = _read_intervals(other_scores, truth.root.resolve().name, other_set)
    if there is None:
        return []
    pairs = {truth.image_set: _parse_intervals(measure_intervals(truth, methods))}
    pairs[other_set] = there
    ordered = {str(name): pairs[name] for name in TESTS}
    tables = list(_tabulate_scores(ordered))
    lines = [
        "AP in percent, with percentile intervals of 95 % (bootstrap over images, 1,000 "
        "replicates). A mean is given where the same classes have a number in both sets."
    ]
    if not tables:
        lines = ["No method has results of one competition on both sets."]
    return [
        Section("The two test sets", lines, tables),
        Section("What differs between the test sets", *_tabulate_sets(truth)),
    ]


def _read_intervals(path: Path, tree_name: str, set_name: str) -> Intervals | None:
    """The intervals in another report's scores.json, None where it is of another set or tree."""
    try:
        document = json.loads(decode_text(path.read_bytes()))
        first = next(iter(document["methods"].values()))
        if (first["tree"], first["set"]) != (tree_name, set_name):
            return None
        return _parse_intervals(document.get("intervals", []))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        raise EvaluateError(f"{path}: expected scores.json of another report: {error}") from error


def _parse_intervals(rows: Sequence[Mapping[str, Any]]) -> Intervals:
    return {
        (row["task"], row["competition"], row["method"]): {
            name: _Interval(*map(float, numbers)) for name, numbers in row["classes"].items()
        }
        | {_MEAN: _Interval(*map(float, row["mean"]))}
        for row in rows
    }


def _tabulate_scores(pairs: Mapping[str, Intervals]) -> Iterator[ScoreTable]:
    """A table for each competition that a method has results of on both sets."""
    first, second = pairs.values()
    both = [key for key in first if key in second]
    for task, competition in dict.fromkeys(key[:2] for key in both):
        rows = list[tuple[str, list[Cell]]]()
        for key in (key for key in both if key[:2] == (task, competition)):
            names = [name for name in first[key] if name in second[key]]
            if first[key].keys() != second[key].keys():
                names.remove(_MEAN)
            rows += [
                (
                    f"{key[2]}: {name or f'mean of {len(names) - 1}'}",
                    [str(first[key][name]), str(second[key][name])],
                )
                for name in names
            ]
        title = f"{competition} ({task}): AP (%) on both test sets"
        yield ScoreTable(f"{competition}-{task}-tests", title, ["method: class", *pairs], rows)


def _tabulate_sets(truth: Truth) -> tuple[list[str], list[ScoreTable]]:
    """The table of what differs, of annotations and release.json, or a line why there is none."""
    photos = _read_photos(truth)
    images = list[SetImage]()
    try:
        for name in TESTS:
            of_set = replace(truth, image_set=str(name))
            images += [_describe_image(of_set, image_id, photos) for image_id in of_set.images]
    except EvaluateError as error:
        return [f"It is not known: {error}"], []
    table = compare_sets(images, list(map(str, TESTS)), truth.classes)
    rows = [
        (str(name), [format_cell(cell, table.decimals) for cell in cells])
        for name, *cells in table.rows
    ]
    return [table.caption], [ScoreTable("sets", table.title, list(table.heads), rows)]


def _read_photos(truth: Truth) -> dict[str, Mapping[str, Any]]:
    """The first photograph of each image in the release.json around the tree, if there is one."""
    try:
        listed = read_manifest(truth.root.resolve().parent.parent)["images"]
    except TreeNotFoundError:
        return {}
    return {
        image["id"]: image["photos"][0]
        for image in listed
        if isinstance(image, dict) and image.get("photos")
    }


def _describe_image(
    truth: Truth, image_id: str, photos: Mapping[str, Mapping[str, Any]]
) -> SetImage:
    photo = photos.get(image_id, {})
    return SetImage(
        set_name=truth.image_set,
        size_wh=truth.size_wh(image_id),
        objects=list_objects(truth.annotation(image_id).objects),
        owner=photo.get("owner_id") or photo.get("owner_name"),
        year=find_year(photo.get("uploaded_at"), photo.get("taken_at")),
        unasked={name for name, flags in truth.unasked.items() if flags[truth.images[image_id]]},
    )
