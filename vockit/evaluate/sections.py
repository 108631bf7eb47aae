"""The sections of a competition's page: tables, figures and galleries, as the papers have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from . import analysis, figures, offered
from .common import CommonClasses, find_common
from .comparing import CompetitionComparison, describe_common, describe_ranks, list_methods
from .curves import Floats, average
from .detection_errors import KIND_TEXT, KINDS, find_errors
from .figures import Drawing, Panel
from .galleries import Pictures, Shot, choose_rows
from .layout import LayoutResult
from .scores import ClassScore, Items
from .show import MEAN_NOTE, Cell, ScoreTable, tabulate
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


def make_sections(competition: Competition) -> Iterator[Section]:
    """The sections of classification, detection, action or layout, in the order of a page."""
    # mean and spread of the AP of random rankings
    chance = {
        name: offered.measure_random(items[0].labels, competition.truth.rules)
        for name in competition.classes
        if (items := list(competition.evidence_of(name).values()))
    }
    yield _make_scores(competition, chance)
    if competition.comparison is not None:
        yield make_significance(competition.comparison)
    scores = {name: competition.of_class(name) for name in competition.classes}
    drawings = [
        figures.draw_curves(
            f"{competition.name}-curve-{name}",
            name,
            {method: score.curve for method, score in by_method.items()},
            chance.get(name, (np.nan, 0))[0],
        )
        for name, by_method in scores.items()
        if not all(np.isnan(score.curve.ap) for score in by_method.values())
    ]
    yield Section("Precision and recall", drawings=drawings)
    if competition.task in ("classification", "detection") and competition.truth.has_objects:
        yield _make_sizes(competition)
        yield _make_slices(competition)
    if competition.task == "detection":
        yield _make_errors(competition)
        yield _make_overlaps(competition)
    if competition.task == "classification":
        yield _make_roc(competition)
        if len(competition.classes) > 1:
            yield _make_choice(competition)
    if competition.task in ("classification", "action"):
        yield _make_image_ranks(competition)
    if competition.layouts:
        whole = {
            method: offered.measure_whole(competition.truth, layouts)
            for method, layouts in competition.layouts.items()
        }
        rows = [
            (method, [whole_layouts["ap"], whole_layouts["npos"]])
            for method, whole_layouts in whole.items()
        ]
        title = "AP of complete layouts (%): all parts, none more, each covered by half"
        table = ScoreTable(
            f"{competition.name}-whole", title, ["method", "AP", "persons"], rows, True
        )
        yield Section("Whole layouts", [], [table], is_ours=True)
    if competition.task != "layout":
        yield from _make_calibration(competition)
    if competition.task == "detection":
        yield _make_galleries(competition)


def _make_scores(competition: Competition, chance: Mapping[str, tuple[float, float]]) -> Section:
    aps = competition.aps
    table = tabulate(f"{competition.name}-ap", "AP (%); first in bold, next two in italics", aps)
    medians = {method: _median(list(by_class.values())) for method, by_class in aps.items()}
    order = sorted(medians, key=lambda method: -np.nan_to_num(medians[method]))
    best = {
        name: [by_class.get(name, np.nan) for by_class in aps.values()]
        for name in competition.classes
    }
    bars = {
        "max": {name: float(np.nanmax([0, *values])) for name, values in best.items()},
        "median": {name: _median(values) for name, values in best.items()},
    }
    lines = [f"{MEAN_NOTE[:1].upper()}{MEAN_NOTE[1:]}."]
    if competition.common.left_out:
        lines.append(f"No class in common: {', '.join(competition.common.left_out)}.")
    if chance:
        bars["chance"] = {name: mean for name, (mean, _) in chance.items()}
        spread = max(spread for _, spread in chance.values())
        lines.append(
            f"Chance is the mean of 400 random rankings (ours); its spread is at most {spread:.3f}."
        )
    by_class = sorted(competition.classes, key=lambda name: -bars["max"][name])
    bars = {series: {name: scores[name] for name in by_class} for series, scores in bars.items()}
    by_method = {"median": {method: medians[method] for method in order}}
    drawings = [figures.draw_bars(f"{competition.name}-classes", "By class", bars, "AP (%)")]
    if len(order) > 1:
        name = f"{competition.name}-methods"
        drawings.insert(0, figures.draw_bars(name, "By method", by_method, "median AP (%)"))
    return Section("Scores", lines, [table], drawings)


def _median(values: Sequence[float]) -> float:
    return float(np.median([value for value in values if not np.isnan(value)] or [np.nan]))


def make_significance(comparison: CompetitionComparison) -> Section:
    """Bootstrap, ranks and the diagram of critical differences."""
    mean = comparison.mean
    stem = f"{comparison.competition}{'-seg' * (comparison.task == 'segmentation')}"
    rows = [
        (method, [*cells, "not separated" if is_near else "separated"])
        for method, (*cells, is_near) in list_methods(mean)
    ]
    heads = ["method", "mean", "behind the best (95 %)", "rank (95 %)", "from the best"]
    table = ScoreTable(f"{stem}-bootstrap", "Bootstrap of the mean", heads, rows)
    leading = [(name, [", ".join(score.best)]) for name, score in comparison.classes.items()]
    heads = ["class", "methods not separated from the best"]
    by_class = ScoreTable(f"{stem}-leading", "By class", heads, leading)
    lines = [
        "A paired bootstrap over images (1,000 replicates, seeded): an image that is drawn twice "
        "counts twice. A method is separated if its 95 % interval leaves out zero.",
        f"The mean is over {describe_common(comparison.common)}.",
        *describe_ranks(comparison),
    ]
    drawings = []
    if comparison.ranks is not None:
        difference = comparison.ranks.critical_difference
        name = f"{stem}-critical-difference"
        drawings = [figures.draw_critical_difference(name, comparison.ranks.mean_ranks, difference)]
    return Section("Are the differences significant?", lines, [table, by_class], drawings)


def _make_sizes(competition: Competition) -> Section:
    panels = []
    x = np.array(analysis.SIZES_PERCENT, float)
    measure = analysis.measure_areas
    text = "Smaller objects count neither for nor against."
    if competition.task == "classification":
        measure = analysis.measure_unions
        text = "Images that show the class on a smaller area (union of its boxes) are left out."
    for name in competition.classes:
        areas = measure(competition.truth, name)
        lines = {
            method: (x, 100 * np.array(analysis.measure_by_size(competition.truth, score, areas)))
            for method, score in competition.of_class(name).items()
        }
        panels.append(Panel(name, lines, ("least area (%)", "AP (%)"), dots=True))
    title = "AP against the least size of an object"
    drawing = figures.draw_panels(f"{competition.name}-size", title, panels)
    return Section("Effect of object size", [text], drawings=[drawing])


def _make_slices(competition: Competition) -> Section:
    common = competition.common
    table: dict[str, dict[str, list[float]]] = {method: {} for method in common.methods}
    counts: dict[str, int] = {}
    for name in common.classes:
        for slice_name, inside in analysis.find_slices(competition.truth, name).items():
            positives = 0
            for method in common.methods:
                score = competition.methods[method][name]
                positives, ap = analysis.measure_slice(competition.truth, name, score, inside)
                table[method].setdefault(slice_name, []).append(ap)
            counts[slice_name] = counts.get(slice_name, 0) + positives
    shown = [name for name, count in counts.items() if count]
    rows = [
        (name, [counts[name], *(average(table[method][name]) for method in table)])
        for name in shown
    ]
    title = "Mean AP (%) over common classes that have objects of the slice"
    heads = ["slice", "positives", *table]
    return Section("Slices", [], [ScoreTable(f"{competition.name}-slices", title, heads, rows)])


def _make_errors(competition: Competition) -> Section:
    objects = {name: competition.truth.objects(name) for name in competition.truth.classes}
    errors_of = {
        method: find_errors(objects, classes, competition.truth.rules)
        for method, classes in competition.methods.items()
    }
    heads = ["method", *KINDS]
    counts = [
        (method, [errors.counts[kind] for kind in KINDS]) for method, errors in errors_of.items()
    ]
    gains = [
        (method, [errors.gains[kind] for kind in KINDS]) for method, errors in errors_of.items()
    ]
    best = competition.by_mean()[0]
    shown = errors_of[best]
    caption = f"{best}: result by true class (%), at each class's confidence of best F1"
    name = f"{competition.name}-confusion"
    ends = ("background", "missed")
    matrix = figures.draw_matrix(name, caption, shown.names, ends, shown.confusion)
    lines = [f"{kind}: {text}." for kind, text in KIND_TEXT.items()]
    title = "Points of mean AP if a kind were fixed"
    tables = [
        ScoreTable(f"{competition.name}-errors", "Errors of each kind", heads, counts),
        ScoreTable(f"{competition.name}-gains", title, heads, gains),
    ]
    return Section("Error types", lines, tables, [matrix], is_ours=True)


def _make_overlaps(competition: Competition) -> Section:
    rows = []
    lines = {}
    for method, classes in competition.methods.items():
        if method not in competition.common.methods:
            continue
        measured = [
            offered.measure_class(competition.truth, classes[name])
            for name in competition.common.classes
        ]
        means = [
            average([class_measures["overlaps"][f"{overlap:g}"] for class_measures in measured])
            for overlap in offered.OVERLAPS
        ]
        lines[method] = (np.array(offered.OVERLAPS), 100 * np.array(means))
        ends = [
            average([class_measures["ties"][end] for class_measures in measured])
            for end in ("worst", "best")
        ]
        rows.append((method, [*means, *ends]))
    heads = [
        "method",
        *(f"{overlap:g}" for overlap in offered.OVERLAPS),
        "worst order",
        "best order",
    ]
    title = "Mean AP (%) by least overlap; at 0.5 over orders of equal confidences; common classes"
    chances = {}
    for name in competition.classes:
        score = next(iter(competition.of_class(name).values()))
        chances[name] = offered.measure_chance(competition.truth, name, score)["cpl"]
    cpl = "Chance of localization (%): the box of one object is right for another one"
    panel = Panel("", lines, ("least overlap", "mean AP (%)"), dots=True)
    tables = [
        ScoreTable(f"{competition.name}-overlap", title, heads, rows, True),
        tabulate(f"{competition.name}-cpl", cpl, {"CPL": chances}),
    ]
    drawing = figures.draw_panels(
        f"{competition.name}-overlap", "Mean AP by least overlap", [panel]
    )
    title = "Overlap, equal confidences and chance"
    return Section(title, [], tables, [drawing], is_ours=True)


def _make_roc(competition: Competition) -> Section:
    def values(kind: str) -> dict[str, dict[str, float]]:
        return {
            method: {name: getattr(score, kind) for name, score in classes.items()}
            for method, classes in competition.methods.items()
        }

    labels = ("false positive rate", "true positive rate")
    panels = []
    for name in competition.classes:
        rates = {
            method: s.rates
            for method, s in competition.of_class(name).items()
            if s.rates is not None
        }
        panels.append(Panel(name, rates, labels))
    tables = [
        tabulate(f"{competition.name}-auc", "Area under the ROC curve (%)", values("auc")),
        tabulate(f"{competition.name}-eer", "Equal error rate, as accuracy (%)", values("eer")),
    ]
    lines = ["The equal error rate is printed as accuracy, as in 2005."]
    return Section(
        "ROC", lines, tables, [figures.draw_panels(f"{competition.name}-roc", "ROC", panels)]
    )


def _make_choice(competition: Competition) -> Section:
    lines: dict[str, tuple[Floats, Floats]] = {}
    drawn: list[Drawing] = []
    rows = []
    for method, classes in competition.methods.items():
        if (choice := offered.choose(classes)) is None:
            continue
        rest = 100 * np.array(choice["accuracy_of_rest"])
        lines[method] = (100 * np.array(choice["refused"]), rest)
        rows.append((method, [choice["accuracy"], choice["with_credit"]]))
        if not drawn:
            caption = f"{method}: answers (%) for images of a single class"
            name = f"{competition.name}-answers-1"
            table = np.array(choice["confusion"])
            drawn = [figures.draw_matrix(name, caption, list(classes), ("", ""), table)]
    if lines:
        panel = Panel("", lines, ("refused (%)", "accuracy of the rest (%)"))
        drawn.insert(0, figures.draw_panels(f"{competition.name}-choice", "Refusal curve", [panel]))
    heads = ["method", "accuracy", "with credit for near classes"]
    title = "One answer for each image (%)"
    text = "The class of highest confidence is the answer; right is any class that the image shows."
    shown = ScoreTable(f"{competition.name}-choice", title, heads, rows, True)
    return Section("Forced choice", [text], [shown], drawn, is_ours=True)


def _make_image_ranks(competition: Competition) -> Section:
    chosen = [method for method in competition.panel if method in competition.methods] or list(
        competition.methods
    )
    section = Section(
        "Easy, hard and confusing images",
        [f"By the median rank over {', '.join(chosen)}. Easy and hard images show the class."],
    )
    rows = []
    for name in competition.classes:
        items = [
            evidence
            for method, evidence in competition.evidence_of(name).items()
            if method in chosen
        ]
        if not items:
            continue
        telling = analysis.find_telling(items[0].labels, analysis.rank_images(items))
        ids = list(
            competition.truth.images
            if competition.task == "classification"
            else competition.truth.action_images
        )
        for kind, places in telling.items():
            texts = [f"{ids[items[0].images[place]]} ({median:g})" for place, median in places]
            rows.append((f"{name}, {kind}", [", ".join(texts)]))
            if competition.task == "classification":
                shots = [Shot(int(items[0].images[place]), f"{rank:g}") for place, rank in places]
                gallery = competition.pictures.take(f"{competition.name}-{name}-{kind}", shots)
                section.galleries.append((f"{name}: {kind}", gallery))
    heads = ["class", "images and their median ranks"]
    section.tables.append(ScoreTable(f"{competition.name}-images", "Images", heads, rows))
    return section


def _make_calibration(competition: Competition) -> Iterator[Section]:
    """How right confidences are that can be probabilities; no section where no method has such."""
    lines: dict[str, tuple[Floats, Floats]] = {}
    rows: list[tuple[str, list[Cell]]] = []
    for method, classes in competition.methods.items():
        calibration = _calibrate([score for score in classes.values() if score.evidence])
        if calibration is not None:
            lines[method] = (calibration.confidences, calibration.shares)
            rows.append((method, [calibration.error]))
    if not rows:
        return
    panel = Panel("", lines, ("confidence", "share of right rows"), (0, 1), dots=True)
    title = "Expected calibration error (%), of methods with confidences from 0 to 1"
    table = ScoreTable(f"{competition.name}-calibration", title, ["method", "error"], rows)
    drawing = figures.draw_panels(
        f"{competition.name}-calibration", "Rows by tenths of confidence", [panel]
    )
    yield Section("Calibration", [], [table], [drawing], is_ours=True)


@dataclass(frozen=True)
class _Calibration:
    """By tenths of confidence the mean confidence and the share of right rows; the error."""

    confidences: Floats
    shares: Floats
    error: float


def _calibrate(scores: Sequence[ClassScore]) -> _Calibration | None:
    """The calibration of all classes together; None where confidences are no probabilities."""
    ranked = [offered.rank_confidences(score.evidence) for score in scores if score.evidence]
    if not ranked:
        return None
    confidences = np.concatenate(ranked)
    known = confidences[np.isfinite(confidences)]
    if not len(known) or known.min() < 0 or known.max() > 1:
        return None
    is_counted = np.concatenate([score.judged.is_counted for score in scores])
    is_right = np.concatenate([score.judged.is_right for score in scores])
    means, shares, _, error = offered.calibrate(confidences[is_counted], is_right[is_counted])
    return _Calibration(means, shares, error)


def _make_galleries(competition: Competition) -> Section:
    text = "Yellow is the result, white the annotation. Each image is shown once."
    section = Section("What is found and what is mistaken", [text])
    for name in competition.classes:
        for method in [
            method for method in competition.by_mean() if name in competition.methods[method]
        ][:3]:
            for kind, shots in choose_rows(competition.methods[method][name]).items():
                gallery = competition.pictures.take(
                    f"{competition.name}-{name}-{kind.split()[0]}", shots
                )
                section.galleries.append((f"{name}, {method}: {kind}", gallery))
    return section
