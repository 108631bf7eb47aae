"""Each number of a report of three methods, and of `evaluate --json`, is computed again.

Pages, tables, figures and scores.json are of one made tree with two test sets.
"""

import csv
import html
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

import vockit.evaluate.figures
import vockit.evaluate.other_report
import vockit.evaluate.report
from vocparty import main

from .made_scores import (
    Place,
    Ranking,
    Row,
    bootstrap,
    bracket_ties,
    chance_of_localization,
    count_pixels,
    draw_images,
    find_nearest,
    list_objects,
    list_resampled,
    mean_of_known,
    measure_area,
    measure_iou,
    rank_all,
    rank_boxes,
    rank_images,
    rank_whole_layouts,
)
from .made_tree import (
    ACTIONS,
    CLASSES,
    HEIGHT,
    LACKING,
    METHODS,
    PARTS,
    TEST,
    TEST2,
    UNASKED,
    WIDTH,
    MadeSet,
    Thing,
    make_sets,
    write_files,
)
from .test_statistics_page import read_tables

Json = dict[str, Any]
Values = dict[str, list[float]]
TASKS = {
    "classification": ("comp1", CLASSES),
    "detection": ("comp3", CLASSES),
    "layout": ("comp7", PARTS),
    "action": ("comp9", ACTIONS),
    "segmentation": ("comp5", ("background", *CLASSES)),
}
RANKED = [task for task in TASKS if task != "segmentation"]
OVERLAPS = [number / 10 for number in range(1, 10)]
SIZES = [0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
PATHS = {"cat": ("animal", "domestic"), "dog": ("animal", "domestic"), "person": ("person",)}
"""The groups of VOC's taxonomy above each class."""
NEMENYI = 2.343
"""Demsar 2006, table 5: the quantile for three methods at 95 %."""
SLICES: dict[str, Callable[[Thing], bool]] = {
    "view Frontal": lambda thing: thing.pose == "Frontal",
    "view Rear": lambda thing: thing.pose == "Rear",
    "view Left": lambda thing: thing.pose == "Left",
    "view Right": lambda thing: thing.pose == "Right",
    "view unspecified": lambda thing: thing.pose == "Unspecified",
    "truncated": lambda thing: thing.truncated,
    "not truncated": lambda thing: not thing.truncated,
    "occluded": lambda thing: thing.occluded,
    "not occluded": lambda thing: not thing.occluded,
    "tall": lambda thing: aspect_of(thing) < 0.5,
    "medium": lambda thing: 0.5 <= aspect_of(thing) <= 2,
    "wide": lambda thing: aspect_of(thing) > 2,
    "area below 2 %": lambda thing: thing.area < 0.02,
    "area 2 to 15 %": lambda thing: 0.02 <= thing.area < 0.15,
    "area from 15 %": lambda thing: thing.area >= 0.15,
}
KINDS = ("class", "localization", "both", "duplicate", "background", "missed")


def aspect_of(thing: Thing) -> float:
    left, top, right, bottom = thing.box
    return (right - left + 1) / (bottom - top + 1)


@dataclass
class Report:
    """The folder of a report, what was drawn in it, and the documents of single methods."""

    folder: Path
    made: MadeSet
    drawn: dict[str, Any] = field(default_factory=dict)
    """By name of the figure what it was given."""
    documents: dict[str, Json] = field(default_factory=dict)

    def read_page(self, name: str) -> str:
        return (self.folder / f"{name}.html").read_text()

    def read_table(self, name: str) -> dict[str, dict[str, str]]:
        """A table by row and head, as its file has it."""
        with (self.folder / "tables" / f"{name}.csv").open(newline="") as file:
            heads, *rows = csv.reader(file)
        return {row[0]: dict(zip(heads[1:], row[1:], strict=True)) for row in rows}

    def read_numbers(self, name: str) -> dict[str, dict[str, float]]:
        """A table of numbers; nothing is NaN."""
        return {
            row: {head: float(cell) if cell else math.nan for head, cell in cells.items()}
            for row, cells in self.read_table(name).items()
        }

    @property
    def scores(self) -> Json:
        document: Json = json.loads((self.folder / "scores.json").read_text())
        return document

    def compared(self, task: str) -> Json:
        """What scores.json says of the comparison of a task; painted masks are another one."""
        entry = (task, TASKS[task][0])
        lines = self.scores["comparison"]
        (comparison,) = [line for line in lines if (line["task"], line["competition"]) == entry]
        return dict(comparison)


def run(*words: object) -> str:
    done = CliRunner().invoke(main, ["evaluate", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def catch_figures(patch: pytest.MonkeyPatch, drawn: dict[str, Any]) -> None:
    """Keep what figures are given instead of drawing them, which takes most of the time."""

    def draw(name: str, caption: str, *values: Any) -> Any:
        drawn[name] = (caption, *values)
        return vockit.evaluate.figures.Drawing(name, caption, "", b"")

    for function in ("draw_curves", "draw_panels", "draw_bars", "draw_matrix"):
        patch.setattr(vockit.evaluate.figures, function, draw)
    patch.setattr(vockit.evaluate.report, "draw_matrix", draw)
    patch.setattr(vockit.evaluate.other_report, "draw_panels", draw)
    patch.setattr(
        vockit.evaluate.figures,
        "draw_critical_difference",
        lambda name, *rest: draw(name, "", rest),
    )


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """A report on each of the two test sets; the second is held against the first."""
    folder = tmp_path_factory.mktemp("made")
    sets = make_sets()
    tree = write_files(sets, folder)
    methods = [f"--method={method}={folder / method}" for method in METHODS]
    reports = {name: Report(folder / f"report-{name}", made) for name, made in sets.items()}
    with pytest.MonkeyPatch.context() as patch:
        for name, report in reports.items():
            catch_figures(patch, report.drawn)
            other = (
                ["--other-scores", reports[TEST].folder / "scores.json"] if name == TEST2 else []
            )
            run(tree, "--set", name, *methods, "--report", report.folder, *other)
    for method in METHODS:
        words = ("--set", TEST, "--results", folder / method, "--json")
        reports[TEST].documents[method] = json.loads(run(tree, *words))
    return reports


@pytest.fixture
def report(reports: dict[str, Report]) -> Report:
    return reports[TEST]


@pytest.fixture(scope="module")
def rankings(reports: dict[str, Report]) -> dict[str, dict[str, dict[str, Ranking]]]:
    """By task and method the ranking of each class."""
    made = reports[TEST].made
    return {task: {method: rank_all(made, task, method) for method in METHODS} for task in RANKED}


@pytest.fixture(scope="module")
def replicates(
    reports: dict[str, Report], rankings: dict[str, dict[str, dict[str, Ranking]]]
) -> dict[str, dict[str, Values]]:
    """By task, method and class the score of each replicate of the bootstrap."""
    return {task: draw_replicates(reports[TEST].made, task, rankings) for task in TASKS}


def draw_replicates(
    made: MadeSet,
    task: str,
    rankings: Mapping[str, Mapping[str, Mapping[str, Ranking]]],
    seed: int = 0,
) -> dict[str, Values]:
    """By method and class; of masks the pixels of the images that are drawn are added up."""
    images = list_resampled(made, task)
    draws = draw_images(len(images), seed=seed)
    if task != "segmentation":
        return {
            method: {name: bootstrap(ranking, images, draws) for name, ranking in classes.items()}
            for method, classes in rankings[task].items()
        }
    values = {}
    for method in METHODS:
        counts = count_pixels(made, method)
        drawn = np.array([measure_iou(np.tensordot(times, counts, 1)) for times in draws])
        values[method] = dict(zip(TASKS[task][1], drawn.T.tolist(), strict=True))
    return values


def list_common(task: str) -> list[str]:
    """The classes that all methods entered."""
    without = {"dog"} if task in ("classification", "detection") else set()
    return [name for name in TASKS[task][1] if name not in without]


def score_all(
    report: Report, task: str, rankings: Mapping[str, Mapping[str, Mapping[str, Ranking]]]
) -> dict[str, dict[str, float]]:
    """By method and class AP, or the accuracy of masks in percent."""
    if task != "segmentation":
        return {
            method: {name: ranking.ap for name, ranking in classes.items()}
            for method, classes in rankings[task].items()
        }
    return {
        method: dict(
            zip(
                TASKS[task][1],
                measure_iou(count_pixels(report.made, method).sum(0)).tolist(),
                strict=True,
            )
        )
        for method in METHODS
    }


def average_scores(scores: Mapping[str, float], task: str) -> float:
    return mean_of_known([scores[name] for name in list_common(task)])


@pytest.mark.parametrize("task", RANKED)
def test_each_ap_is_computed_again(report: Report, rankings: Any, task: str) -> None:
    competition, classes = TASKS[task]
    table = report.read_numbers(f"{competition}-ap")
    for method, ranked in rankings[task].items():
        document = report.documents[method]["tasks"][task][competition]
        in_report = report.scores["methods"][method]["tasks"][task][competition]
        assert document["missing"] == [name for name in classes if name not in ranked]
        for name, ranking in ranked.items():
            for line in (document["classes"][name], in_report["classes"][name]):
                assert (line["ap"], line["npos"]) == (
                    pytest.approx(ranking.ap),
                    len(ranking.positives),
                )
                assert_curve(line, ranking)
            assert table[method][name] == pytest.approx(ranking.ap)
        aps = {name: ranking.ap for name, ranking in ranked.items()}
        assert table[method]["mean"] == pytest.approx(average_scores(aps, task))
        assert table[method]["of"] == len(list_common(task))


def assert_curve(line: Json, ranking: Ranking) -> None:
    """The curve has a point for each row; a row that is neither repeats the one before it."""
    right = np.cumsum([row.is_right is True for row in ranking.rows])
    counted = np.cumsum([row.is_right is not None for row in ranking.rows])
    known = counted > 0
    recall = right / len(ranking.positives)
    assert np.array(line["recall"])[known] == pytest.approx(recall[known])
    precision = right[known] / counted[known]
    assert np.array(line["precision"])[known].astype(float) == pytest.approx(precision)


@pytest.mark.parametrize("is_painted", [False, True])
def test_the_accuracies_of_masks_are_computed_again(report: Report, is_painted: bool) -> None:
    competition = "comp3" if is_painted else "comp5"
    table = report.read_numbers(f"{competition}-seg-accuracy")
    for method in METHODS:
        pixels = count_pixels(report.made, method, is_painted=is_painted).sum(0)
        line = report.documents[method]["tasks"]["segmentation"][competition]
        assert line["confusion"] == pixels.tolist()
        accuracies = dict(zip(("background", *CLASSES), measure_iou(pixels).tolist(), strict=True))
        for name, accuracy in accuracies.items():
            assert line["classes"][name]["iou_percent"] == pytest.approx(accuracy)
        if is_painted:
            del accuracies["dog"]
            shown = {name: table[method][name] for name in accuracies}
            assert shown == pytest.approx(accuracies)
        else:
            assert table[method] == pytest.approx(
                accuracies | {"mean": mean_of_known(accuracies.values()), "of": 4}
            )
        mean = mean_of_known(accuracies.values())
        assert table[method]["mean"] == pytest.approx(mean)


@pytest.mark.parametrize("task", TASKS)
def test_the_means_of_the_summary_are_computed_again(
    report: Report, rankings: Any, task: str
) -> None:
    competition, _ = TASKS[task]
    count = len(list_common(task))
    what = "masks" if task == "segmentation" else task
    summary = report.read_numbers("summary")
    factor = 0.01 if task == "segmentation" else 1
    means = {
        method: factor * average_scores(scores, task)
        for method, scores in score_all(report, task, rankings).items()
    }
    for method, mean in means.items():
        assert summary[method][f"{competition} ({what}), {count} classes"] == pytest.approx(mean)
    best = max(means, key=lambda method: means[method])
    measure = "accuracy" if task == "segmentation" else "AP"
    sentence = (
        f"{best} has the best mean {measure}, {100 * means[best]:.1f} %, over the {count} classes"
        " that they have in common."
    )
    page = report.read_page("index")
    assert sentence in page
    assert "Means are over the classes that the methods have in common." in page


@pytest.mark.parametrize("task", TASKS)
def test_the_bootstrap_is_drawn_again(
    report: Report, rankings: Any, replicates: dict[str, dict[str, Values]], task: str
) -> None:
    compared = report.compared(task)
    common = list_common(task)
    assert (compared["common_classes"], compared["left_out"]) == (common, [])
    scores = score_all(report, task, rankings)
    drawn = replicates[task]
    for name in TASKS[task][1]:
        entered = [method for method in METHODS if name in drawn[method]]
        assert_compared(
            compared["classes"][name],
            {method: scores[method][name] for method in entered},
            {method: np.array(drawn[method][name]) for method in entered},
        )
    means = {
        method: np.nanmean([drawn[method][name] for name in common], axis=0) for method in METHODS
    }
    of_mean = {method: average_scores(scores[method], task) for method in METHODS}
    assert_compared(compared["mean"], of_mean, means)
    assert_bootstrap_tables(report, task, compared)


def assert_compared(
    lines: Mapping[str, Json],
    scores: Mapping[str, float],
    drawn: Mapping[str, NDArray[np.float64]],
) -> None:
    """Scores, intervals of two methods and of ranks, and who is behind by more than chance."""
    best = max(scores, key=lambda method: scores[method])
    assert list(lines) == list(scores)
    near = find_near(scores, drawn, best)
    for method, line in lines.items():
        assert line["score"] == pytest.approx(scores[method])
        low, high = np.nanpercentile(drawn[best] - drawn[method], [2.5, 97.5])
        assert line["behind_best"] == pytest.approx([low, high])
        assert line["is_separated_as_pair"] == (low > 0 or high < 0)
        assert line["is_separated_from_best"] == (method not in near)
        assert line["rank"] == pytest.approx(
            np.percentile(rank_in_replicates(drawn, method), [2.5, 97.5])
        )


def rank_in_replicates(
    drawn: Mapping[str, NDArray[np.float64]], method: str
) -> NDArray[np.float64]:
    """One more than the methods that are better, and a half for each that is equal."""
    others = [drawn[other] for other in drawn if other != method]
    values = drawn[method]
    ranks = 1 + sum((other > values) + 0.5 * (other == values) for other in others)
    return np.asarray(ranks)[~np.isnan(values)]


def find_near(
    scores: Mapping[str, float], drawn: Mapping[str, NDArray[np.float64]], best: str
) -> set[str]:
    """Who is behind by no more than the largest difference that chance makes between any two.

    J. Romano and M. Wolf, Econometrica 73, 2005: differences in their standard errors.
    """
    noise = {method: values - np.nanmean(values) for method, values in drawn.items()}
    pairs = {
        frozenset(pair): noise[pair[0]] - noise[pair[1]]
        for pair in itertools.combinations(noise, 2)
    }
    errors = {pair: float(np.nanstd(values)) for pair, values in pairs.items()}
    studied = [
        np.nan_to_num(np.abs(values) / errors[pair])
        for pair, values in pairs.items()
        if errors[pair]
    ]
    most = np.percentile(np.max(studied, axis=0), 95) if studied else 0
    return {
        method
        for method, score in scores.items()
        if method == best or scores[best] - score <= most * errors[frozenset((best, method))]
    }


def assert_bootstrap_tables(report: Report, task: str, compared: Json) -> None:
    """The tables of the page have the numbers of scores.json."""
    stem = TASKS[task][0] + "-seg" * (task == "segmentation")
    table = report.read_table(f"{stem}-bootstrap")
    by_mean = sorted(compared["mean"], key=lambda method: -compared["mean"][method]["score"])
    assert list(table) == by_mean
    for method, cells in table.items():
        line = compared["mean"][method]
        low, high = line["behind_best"]
        first, last = line["rank"]
        assert cells == {
            "mean": f"{line['score']:.4f}",
            "behind, as a pair (95 %)": f"{low:.4f} to {high:.4f}",
            "rank (95 %)": f"{first:g} to {last:g}",
            "from the best": "separated" if line["is_separated_from_best"] else "not separated",
        }
    near = "methods not separated from the best"
    for name, cells in report.read_table(f"{stem}-leading").items():
        lines = compared["classes"][name]
        best = [method for method, line in lines.items() if not line["is_separated_from_best"]]
        assert cells == {near: ", ".join(best)}


@pytest.mark.parametrize("task", TASKS)
def test_ranks_over_classes_are_tested_again(report: Report, rankings: Any, task: str) -> None:
    """Friedman's statistic with its correction for ties, and Nemenyi's critical difference."""
    test = report.compared(task)["friedman"]
    scores = score_all(report, task, rankings)
    common = list_common(task)
    ranks = {method: [] for method in METHODS}  # type: dict[str, list[float]]
    ties = 0
    for name in common:
        values = {method: scores[method][name] for method in METHODS}
        for method, value in values.items():
            others = [other for key, other in values.items() if key != method]
            ranks[method].append(
                1 + sum(other > value for other in others) + 0.5 * others.count(value)
            )
        ties += sum(count**3 - count for count in Counter(values.values()).values())
    count = len(common)
    methods = len(METHODS)
    means = {method: sum(some) / count for method, some in ranks.items()}
    assert test["mean_ranks"] == pytest.approx(means)
    squares = sum(sum(some) ** 2 for some in ranks.values())
    plain = 12 * squares / (methods * count * (methods + 1)) - 3 * count * (methods + 1)
    statistic = plain / (1 - ties / (methods * (methods**2 - 1) * count))
    assert test["statistic"] == pytest.approx(statistic)
    assert test["p"] == pytest.approx(math.exp(-statistic / 2)), "two degrees of freedom"
    expected = NEMENYI * math.sqrt(methods * (methods + 1) / (6 * count))
    assert test["critical_difference"] == pytest.approx(expected, rel=1e-3)
    assert test["left_out"] == []
    page = report.read_page(TASKS[task][0] + "-segmentation" * (task == "segmentation"))
    by_rank = sorted(means.items(), key=lambda pair: pair[1])
    listed = ", ".join(f"{method} {rank:.2f}" for method, rank in by_rank)
    assert f"Friedman: {statistic:.2f} (p = {test['p']:.2g}); mean ranks: {listed}." in page
    assert f"mean ranks differ at 95 % if they are {expected:.2f} apart." in page


def test_other_seeds_give_nearly_the_same_intervals(
    report: Report, rankings: Any, replicates: dict[str, dict[str, Values]]
) -> None:
    """Each limit is that of 1,000 draws; with others they move by two hundredths of AP."""
    others = draw_replicates(report.made, "detection", rankings, seed=7)
    moves = [
        np.nanpercentile(drawn, [2.5, 97.5]) - np.nanpercentile(others[method][name], [2.5, 97.5])
        for method, values in replicates["detection"].items()
        for name, drawn in values.items()
    ]
    assert float(np.mean(np.abs(moves))) < 0.02


@pytest.mark.parametrize("task", ["classification", "detection"])
def test_the_slices_are_computed_again(report: Report, task: str) -> None:
    table = report.read_numbers(f"{TASKS[task][0]}-slices")
    expected = {name: slice_all(report.made, task, is_in) for name, is_in in SLICES.items()}
    assert list(table) == [name for name, line in expected.items() if line["positives"]]
    for name, line in table.items():
        assert line == pytest.approx(expected[name], nan_ok=True)


def slice_all(made: MadeSet, task: str, is_in: Callable[[Thing], bool]) -> dict[str, float]:
    """The positives of the common classes in a slice, and the mean AP of each method."""
    aps: dict[str, list[float]] = {method: [] for method in METHODS}
    positives = 0
    for name in list_common(task):
        for method in METHODS:
            ranking = slice_one(made, task, (method, name), is_in)
            aps[method].append(ranking.ap if ranking.positives else math.nan)
        positives += len(ranking.positives)
    return {"positives": positives} | {method: mean_of_known(some) for method, some in aps.items()}


def slice_one(
    made: MadeSet, task: str, entry: tuple[str, str], is_in: Callable[[Thing], bool]
) -> Ranking:
    """Other objects count neither way, nor do images that show the class by others alone."""
    method, name = entry
    if task == "detection":
        lines = made.results[method].boxes[name]
        return rank_boxes(made, name, lines, is_out=lambda thing: not is_in(thing))
    shown = {
        image
        for image, things in made.images.items()
        for thing in things
        if thing.name == name and is_in(thing) and not thing.difficult
    }
    given = made.results[method].images[name]
    return rank_images(made, name, given, is_out=lambda image: image not in shown)


@pytest.mark.parametrize("task", ["classification", "detection"])
def test_the_effect_of_size_is_computed_again(report: Report, task: str) -> None:
    caption, panels = report.drawn[f"{TASKS[task][0]}-size"]
    assert caption == "AP against the least size of an object"
    made = report.made
    assert [panel.title for panel in panels] == list(CLASSES)
    for panel in panels:
        for method, (least, aps) in panel.lines.items():
            assert least.tolist() == [100 * share for share in SIZES]
            expected = [measure_from(made, task, (method, panel.title), share) for share in SIZES]
            assert aps == pytest.approx([100 * ap for ap in expected], nan_ok=True)


def measure_from(made: MadeSet, task: str, entry: tuple[str, str], least: float) -> float:
    """The AP for objects, or for images of which the class covers, at least this share."""
    method, name = entry
    if task == "detection":
        lines = made.results[method].boxes[name]
        ranking = rank_boxes(made, name, lines, is_out=lambda thing: thing.area < least)
    else:
        covered = {image: measure_union(made, name, image) for image in made.images}
        given = made.results[method].images[name]
        ranking = rank_images(made, name, given, is_out=lambda image: covered[image] < least)
    return ranking.ap if ranking.positives else math.nan


def measure_union(made: MadeSet, name: str, image: str) -> float:
    """The share of the image that the boxes of the class cover together."""
    pixels = np.zeros((HEIGHT + 40, WIDTH + 40), bool)
    for thing in made.images[image]:
        left, top, right, bottom = thing.box
        if thing.name == name:
            pixels[top - 1 : bottom, left - 1 : right] = True
    return float(pixels.sum() / (WIDTH * HEIGHT))


def test_overlaps_ties_and_chance_are_computed_again(report: Report, rankings: Any) -> None:
    made = report.made
    table = report.read_numbers("comp3-overlap")
    for method, ranked in rankings["detection"].items():
        expected: dict[str, list[float]] = {}
        for name, ranking in ranked.items():
            lines = made.results[method].boxes[name]
            ours = report.documents[method]["tasks"]["detection"]["comp3"]["ours"]["classes"][name]
            aps = {f"{least:g}": rank_boxes(made, name, lines, least).ap for least in OVERLAPS}
            worst, best = bracket_ties(ranking)
            assert ours["overlaps"] == pytest.approx(aps)
            assert ours["ties"] == pytest.approx({"worst": worst, "best": best})
            assert ours["cpl"] == pytest.approx(chance_of_localization(made, name))
            values = aps | {"worst order": worst, "best order": best}
            for head in values if name in list_common("detection") else ():
                expected.setdefault(head, []).append(values[head])
        means = {head: mean_of_known(values) for head, values in expected.items()}
        assert table[method] == pytest.approx(means)
    (chance,) = report.read_numbers("comp3-cpl").values()
    shares = {name: chance_of_localization(made, name) for name in CLASSES}
    assert chance == pytest.approx(shares | {"mean": sum(shares.values()) / 3, "of": 3})


@pytest.mark.parametrize("task", ["classification", "action"])
def test_the_chance_of_random_rankings_is_drawn_again(
    report: Report, rankings: Any, task: str
) -> None:
    """Another 2,000 rankings have nearly the mean and the spread of the 400 of the report."""
    rng = np.random.default_rng(5)
    competition, _ = TASKS[task]
    spreads = []
    for method, ranked in rankings[task].items():
        ours = report.documents[method]["tasks"][task][competition]["ours"]["classes"]
        for name, ranking in ranked.items():
            marks = np.array([row.is_right for row in ranking.rows if row.is_right is not None])
            positives = len(ranking.positives)
            aps = [measure_area(rng.permutation(marks), positives) for _ in range(2000)]
            spread = ours[name]["chance"]["spread"]
            expected = pytest.approx(np.mean(aps), abs=5 * np.std(aps) / 400**0.5)
            assert ours[name]["chance"]["mean"] == expected
            assert spread == pytest.approx(np.std(aps), rel=0.3)
            worst, best = bracket_ties(ranking)
            assert ours[name]["ties"] == pytest.approx({"worst": worst, "best": best})
            spreads.append(spread)
    sentence = (
        "Chance is the mean of 400 random rankings (ours); its spread is at most"
        f" {max(spreads):.3f}."
    )
    assert html.escape(sentence) in report.read_page(competition)


def test_roc_curves_are_computed_again(report: Report, rankings: Any) -> None:
    areas = report.read_numbers("comp1-auc")
    rates = report.read_numbers("comp1-eer")
    for method, ranked in rankings["classification"].items():
        document = report.documents[method]["tasks"]["classification"]["comp1"]["classes"]
        for name, ranking in ranked.items():
            area, equal = measure_roc(ranking)
            assert areas[method][name] == document[name]["auc"] == pytest.approx(area)
            assert rates[method][name] == document[name]["eer"] == pytest.approx(equal)


def measure_roc(ranking: Ranking) -> tuple[float, float]:
    """How often a positive is above a negative, equals by half; and the equal error rate.

    This is the share of positives that is found where it is the share of negatives that is not.
    """
    right = [row.confidence for row in ranking.rows if row.is_right]
    wrong = [row.confidence for row in ranking.rows if row.is_right is False]
    area = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong) / len(right) / len(wrong)
    points = [(0.0, 0.0)] + [
        (
            sum(value >= least for value in wrong) / len(wrong),
            sum(value >= least for value in right) / len(right),
        )
        for least in sorted({*right, *wrong}, reverse=True)
    ]
    false, true = map(np.array, zip(*points, strict=True))
    return area, float(np.interp(0, true + false - 1, true))


def test_one_answer_for_each_image_is_counted_again(reports: dict[str, Report]) -> None:
    """Only methods whose classes were asked of the same images are on the first set's page."""
    chosen = {name: list(report.read_numbers("comp1-choice")) for name, report in reports.items()}
    assert chosen == {TEST: [LACKING], TEST2: list(METHODS)}
    for report in reports.values():
        for method, line in report.read_numbers("comp1-choice").items():
            accuracy, credit = choose(report.made, method)
            assert line == pytest.approx(
                {"accuracy": accuracy, "with credit for near classes": credit}
            )
    ours = reports[TEST].documents[LACKING]["tasks"]["classification"]["comp1"]["ours"]
    accuracy, credit = choose(reports[TEST].made, LACKING)
    assert ours["forced_choice"]["accuracy"] == pytest.approx(accuracy)
    assert ours["forced_choice"]["with_credit"] == pytest.approx(credit)


def choose(made: MadeSet, method: str) -> tuple[float, float]:
    """How often the surest class is shown; the mean credit where one class alone is shown."""
    given = made.results[method].images
    rights = []
    credits = []
    for image in made.images:
        shown = [name for name in given if made.label(name, image) > 0]
        answer = max(given, key=lambda name: given[name][image])
        if shown:
            rights.append(answer in shown)
        if len(shown) == 1:
            credits.append(share_path(shown[0], answer))
    return sum(rights) / len(rights), sum(credits) / len(credits)


def share_path(true: str, given: str) -> float:
    """How many words of the true class's path the other has too, by all of them."""
    if true == given:
        return 1.0
    path = (*PATHS[true], true)
    other = (*PATHS[given], given)
    same = [word for word, word2 in zip(path, other, strict=False) if word == word2]
    return len(same) / len(path)


@pytest.mark.parametrize("task", ["classification", "action"])
def test_easy_hard_and_confusing_images_are_ranked_again(report: Report, task: str) -> None:
    table = report.read_table(f"{TASKS[task][0]}-images")
    made = report.made
    for name in TASKS[task][1]:
        labels = list_labels(made, task, name)
        ranks: dict[Any, list[float]] = {item: [] for item in labels}
        for results in made.results.values():
            given: Mapping[Any, float] = (
                results.images if task == "classification" else results.actions
            ).get(name, {})
            for item in labels if given else ():
                above = sum(given[other] > given[item] for other in labels)
                equal = sum(given[other] == given[item] for other in labels)
                ranks[item].append(above + (equal + 1) / 2)
        medians = {item: float(np.median(some)) for item, some in ranks.items()}
        positive = sorted((i for i in labels if labels[i] > 0), key=lambda i: medians[i])
        negative = sorted((i for i in labels if labels[i] < 0), key=lambda i: medians[i])
        for kind, items in {
            "easy": positive[:5],
            "hard": positive[::-1][:5],
            "confusing": negative[:5],
        }.items():
            (text,) = table[f"{name}, {kind}"].values()
            assert text == ", ".join(f"{format_item(i)} ({medians[i]:g})" for i in items)


def list_labels(made: MadeSet, task: str, name: str) -> Mapping[Any, int]:
    if task == "action":
        return made.actions[name]
    return {image: made.label(name, image) for image in made.asked(name)}


def format_item(item: Any) -> str:
    return item if isinstance(item, str) else item[0]


def test_complete_layouts_are_counted_again(report: Report) -> None:
    table = report.read_numbers("comp7-whole")
    for method, line in table.items():
        ranking = rank_whole_layouts(report.made, method)
        assert line == pytest.approx({"AP": ranking.ap, "persons": len(ranking.positives)})
        ours = report.documents[method]["tasks"]["layout"]["comp7"]["ours"]["whole_layout"]
        assert ours == pytest.approx({"ap": ranking.ap, "npos": len(ranking.positives)})


@pytest.mark.parametrize("task", ["classification", "detection", "action"])
def test_calibration_is_computed_again(report: Report, rankings: Any, task: str) -> None:
    competition, _ = TASKS[task]
    table = report.read_numbers(f"{competition}-calibration")
    _, (panel,) = report.drawn[f"{competition}-calibration"]
    for method, ranked in rankings[task].items():
        rows = [row for ranking in ranked.values() for row in ranking.rows]
        counted = [row for row in rows if row.is_right is not None]
        tenths: dict[int, list[Row]] = {}
        for row in counted:
            tenths.setdefault(min(int(row.confidence * 10), 9), []).append(row)
        error = 0.0
        for place, some in tenths.items():
            mean = sum(row.confidence for row in some) / len(some)
            share = sum(bool(row.is_right) for row in some) / len(some)
            assert panel.lines[method][0][place] == pytest.approx(mean)
            assert panel.lines[method][1][place] == pytest.approx(share)
            error += abs(mean - share) * len(some) / len(counted)
        assert table[method] == pytest.approx({"error": error})


@dataclass
class Mistakes:
    """The wrong rows of a method by kind, with the object of another class that each lies on."""

    made: MadeSet
    rankings: Mapping[str, Ranking]
    kinds: dict[tuple[str, int], str] = field(default_factory=dict)
    others: dict[tuple[str, int], Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        every = {name: list_objects(self.made, name) for name in CLASSES}
        for name, ranking in self.rankings.items():
            rest = {
                place: thing
                for other, objects in every.items()
                for place, thing in objects.items()
                if other != name
            }
            for number, row in enumerate(ranking.rows):
                if row.is_right is False:
                    other, most = find_nearest(rest, row)
                    self.kinds[name, number] = name_mistake(row.overlap, most)
                    if self.kinds[name, number] == "class" and other is not None:
                        self.others[name, number] = other

    def list_aimed(self, name: str) -> dict[Place, float]:
        """Objects of the class that rows of other classes lie on, with the best confidence."""
        aimed: dict[Place, float] = {}
        objects = list_objects(self.made, name)
        for (other, number), place in self.others.items():
            if place in objects:
                confidence = self.rankings[other].rows[number].confidence
                aimed[place] = max(confidence, aimed.get(place, 0))
        return aimed

    def list_missed(self, name: str) -> list[Place]:
        """Objects that no row found, nor would find if it were fixed."""
        rows = self.rankings[name].rows
        hit = {row.on for row in rows if row.is_right} | {*self.list_aimed(name)}
        near = {
            row.on
            for number, row in enumerate(rows)
            if self.kinds.get((name, number)) == "localization"
        }
        return [
            place
            for place, thing in list_objects(self.made, name).items()
            if not thing.difficult and place not in hit | near
        ]

    def fix(self, name: str, kind: str) -> float:
        """The AP of the class if what is wrong in this way were right, else were not there."""
        ranking = self.rankings[name]
        if kind == "missed":
            left = len(ranking.positives) - len(self.list_missed(name))
            return measure_area([row.is_right for row in ranking.rows], left)
        objects = list_objects(self.made, name)
        free = {place for place, thing in objects.items() if not thing.difficult}
        free -= {row.on for row in ranking.rows if row.is_right and row.on}
        marks: list[tuple[float, bool | None]] = []
        for number, row in enumerate(ranking.rows):
            mark = row.is_right
            if self.kinds.get((name, number)) == kind:
                is_found = kind == "localization" and row.on in free
                mark = True if is_found else None
                free -= {row.on} if is_found and row.on else set()
            marks.append((row.confidence, mark))
        if kind == "class":
            aimed = self.list_aimed(name)
            marks += [(aimed[place], True) for place in sorted(aimed) if place in free]
            marks.sort(key=lambda mark: -mark[0])
        return measure_area([mark for _, mark in marks], len(ranking.positives))


def name_mistake(same: float, other: float) -> str:
    """Why a wrong row is wrong, by its overlap with objects of its class and of others."""
    if same >= 0.5:
        return "duplicate"
    if same >= 0.1:
        return "localization"
    if other >= 0.5:
        return "class"
    return "both" if other >= 0.1 else "background"


def test_error_types_are_counted_again(report: Report, rankings: Any) -> None:
    counts = report.read_numbers("comp3-errors")
    gains = report.read_numbers("comp3-gains")
    for method, ranked in rankings["detection"].items():
        mistakes = Mistakes(report.made, ranked)
        expected = Counter(mistakes.kinds.values())
        expected["missed"] = sum(len(mistakes.list_missed(name)) for name in ranked)
        assert counts[method] == {kind: expected[kind] for kind in KINDS}
        for kind in KINDS:
            gain = mean_of_known(
                [mistakes.fix(name, kind) - ranking.ap for name, ranking in ranked.items()]
            )
            assert gains[method][kind] == pytest.approx(gain)


def test_the_confusion_of_classes_is_counted_again(report: Report, rankings: Any) -> None:
    caption, names, ends, matrix = report.drawn["comp3-confusion"]
    means = {
        method: average_scores({name: ranking.ap for name, ranking in ranked.items()}, "detection")
        for method, ranked in rankings["detection"].items()
    }
    best = max(means, key=lambda method: means[method])
    assert caption.startswith(f"{best}: ")
    assert (list(names), ends) == (list(CLASSES), ("background", "missed"))
    mistakes = Mistakes(report.made, rankings["detection"][best])
    last = len(CLASSES)
    expected = np.zeros((last + 1, last + 1), int)
    for column, name in enumerate(CLASSES):
        ranking = mistakes.rankings[name]
        kept = count_at_best_f1(ranking)
        right = sum(row.is_right is True for row in ranking.rows[:kept])
        expected[column, column] = right
        expected[column, last] = len(ranking.positives) - right
        for number, row in enumerate(ranking.rows[:kept]):
            if row.is_right is False:
                other = mistakes.others.get((name, number))
                true = last
                if other is not None:
                    image, place = other
                    true = CLASSES.index(report.made.images[image][place].name)
                expected[true, column] += 1
    assert matrix.tolist() == expected.tolist()


def count_at_best_f1(ranking: Ranking) -> int:
    """After how many rows the F1 is best, the first of equals."""

    def measure(count: int) -> float:
        marks = [row.is_right for row in ranking.rows[:count]]
        counted = sum(mark is not None for mark in marks)
        return 2 * sum(mark is True for mark in marks) / (counted + len(ranking.positives))

    return max(range(1, len(ranking.rows) + 1), key=measure)


def test_the_intervals_of_two_test_sets_are_drawn_again(reports: dict[str, Report]) -> None:
    table_names = {"classification": "comp1", "detection": "comp3", "action": "comp9"}
    for task, competition in table_names.items():
        table = reports[TEST2].read_table(f"{competition}-{task}-tests")
        for name, report in reports.items():
            ranked = {task: {method: rank_all(report.made, task, method) for method in METHODS}}
            drawn = draw_replicates(report.made, task, ranked)
            for method, classes in drawn.items():
                aps = {key: ranking.ap for key, ranking in ranked[task][method].items()}
                for key, values in classes.items():
                    text = format_interval(aps[key], values)
                    assert table[f"{method}: {key}"][name] == text
                means = [mean_of_known(some) for some in zip(*classes.values(), strict=True)]
                text = format_interval(mean_of_known(aps.values()), means)
                assert table[f"{method}: mean of {len(classes)}"][name] == text


def format_interval(score: float, drawn: Sequence[float]) -> str:
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return f"{100 * score:.1f} ({100 * low:.1f} to {100 * high:.1f})"


@pytest.mark.parametrize("task", RANKED)
def test_medians_and_ranks_of_two_reports_are_computed_again(
    reports: dict[str, Report], task: str
) -> None:
    table = reports[TEST2].read_table(f"{TASKS[task][0]}-other")
    heads = {TEST2: "VOC2012 test2", TEST: f"VOC2012 test ({reports[TEST].folder.name})"}
    medians = {}
    for name, report in reports.items():
        ranked = {method: rank_all(report.made, task, method) for method in METHODS}
        common = [key for key in ranked[LACKING] if all(key in ranked[m] for m in METHODS)]
        medians[name] = {
            method: float(np.median([classes[key].ap for key in common]))
            for method, classes in ranked.items()
        }
    for method, cells in table.items():
        places = {}
        for name, values in medians.items():
            assert float(cells[heads[name]]) == pytest.approx(values[method])
            places[name] = 1 + sum(value > values[method] for value in values.values())
        assert (cells["rank"], cells["rank there"]) == (f"{places[TEST2]}", f"{places[TEST]}")
        change = places[TEST2] - places[TEST]
        assert cells["change"] == (f"{change:+d}" if change else "same")
        assert cells["classes"] == f"{len(list_common(task))}"


def test_what_differs_between_the_test_sets_is_counted_again(reports: dict[str, Report]) -> None:
    table = reports[TEST2].read_table("sets")
    for name, report in reports.items():
        made = report.made
        numbers = [int(image[-2:]) for image in made.images]
        known = [number for number in numbers if number % 5]
        years = sorted(2005 + number for number in known)
        owners = Counter(number % 4 for number in known)
        things = [thing for some in made.images.values() for thing in some]
        expected = {
            "images": f"{len(numbers)}",
            "objects": f"{len(things)}",
            "objects of an image, mean": f"{len(things) / len(numbers):.2f}",
            "size of a box, mean": f"{sum(thing.area**0.5 for thing in things) / len(things):.2f}",
            "width in pixels, median": f"{WIDTH}",
            "height in pixels, median": f"{HEIGHT}",
            "owners": f"{len(owners)}",
            "images of unknown owners": f"{len(numbers) - len(known)}",
            "first year": f"{years[0]}",
            "median year": f"{years[(len(years) - 1) // 2]}",
            "last year": f"{years[-1]}",
            "images of unknown years": f"{len(numbers) - len(known)}",
        }
        shares = {
            "objects that are difficult": (sum(t.difficult for t in things), len(things)),
            "images of the owner with most": (max(owners.values()), len(numbers)),
        }
        for key in CLASSES:
            shown = [any(t.name == key for t in made.images[image]) for image in made.asked(key)]
            shares[f"images that show {key}"] = (sum(shown), len(shown))
        for measure, (part, whole) in shares.items():
            expected[measure] = f"{100 * part / whole:.1f}%"
        assert {measure: cells[name] for measure, cells in table.items()} == expected


def test_what_was_not_asked_is_counted_again(report: Report) -> None:
    made = report.made
    unasked = len(made.unasked)
    for method, document in report.documents.items():
        results = made.results[method]
        expected = []
        for task, rows in {
            "classification": {name: list(given) for name, given in results.images.items()},
            "detection": {
                name: [row.image for row in lines] for name, lines in results.boxes.items()
            },
        }.items():
            classes = document["tasks"][task][TASKS[task][0]]["classes"]
            for name, images in rows.items():
                left_out = sum(image not in made.asked(name) for image in images)
                assert classes[name].get("left_out", 0) == left_out
                assert classes[name].get("unasked", 0) == unasked * (name == UNASKED)
                if left_out:
                    expected.append(
                        f"{TASKS[task][0]}: {left_out} rows of what was not asked count neither"
                        f" way ({name} {left_out})."
                    )
        expected.append(
            f"Of {len(made.images)} images of {made.name}, not all were asked about every class;"
            f" not asked: {UNASKED} {unasked}."
        )
        assert sorted(document["notes"]) == sorted(expected)
        for note in expected:
            assert f"{method}: {note}" in report.read_page("index")


def test_pages_have_the_numbers_of_their_tables_and_no_others(reports: dict[str, Report]) -> None:
    for report in reports.values():
        files = {path.stem: path for path in (report.folder / "tables").glob("*.csv")}
        shown = set[str]()
        for path in sorted(report.folder.glob("*.html")):
            page = path.read_text()
            names = re.findall(r'href="tables/([^"]*)\.csv"', page)
            for name, rows in zip(names, read_tables(page), strict=True):
                assert_table(report.read_table(name), rows, is_percent="-seg-acc" not in name)
            shown.update(names)
            assert_known(page, report.made)
        assert shown == {*files}


def assert_table(
    table: Mapping[str, Mapping[str, str]], rows: Sequence[Sequence[str]], *, is_percent: bool
) -> None:
    """The cells of the page are those of the file, shares in percent."""
    factor = 100 if is_percent else 1
    for (name, cells), row in zip(table.items(), rows, strict=True):
        assert row[0] == name
        for cell, text in zip(cells.values(), row[1:], strict=True):
            shown = {cell, *format_number(cell, factor)} if cell else {"", "–"}
            assert text in shown


def format_number(cell: str, factor: float) -> set[str]:
    if not re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", cell):
        return set()
    return {f"{factor * float(cell):.1f}"} if "." in cell or "e" in cell else {f"{int(cell):,}"}


KNOWN = (
    r"VOC20\d\d( test2?)?|comp\d|2012: area AP|kit of 2012|\(2010\)|version|vocparty [\d.]+\d",
    r"at least 0\.5;|95 ?%|1,000 replicates|400 random rankings|as in 2005|by 0\.1( to 0\.5)?",
    r"test2|test1|utf-8|2012_\d{6}|\d classes|best mean (AP|accuracy), [\d.]+ %",
    r"\d+ rows of what was not asked .*|Of \d+ images of .*",
    r"spread is at most [\d.]+|Friedman: .*|Nemenyi: .*|\d methods|first in bold",
)
"""Numbers outside of tables: names, the rules, and those that other tests here compute again."""


def assert_known(page: str, made: MadeSet) -> None:
    text = re.sub(r"<(style|table|figcaption)\b.*?</\1>|<[^>]+>", "\n", page, flags=re.DOTALL)
    rest = re.sub("|".join(KNOWN), "", html.unescape(text))
    assert [line for line in rest.splitlines() if re.search(r"\d", line)] == [], made.name
