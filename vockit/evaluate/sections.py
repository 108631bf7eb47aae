"""The sections of a competition's page: tables, figures and galleries, as the papers have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from . import analysis, figures, offered
from .calibration import make_calibration
from .classification_sections import make_choice, make_roc
from .comparing import CompetitionComparison, describe_common, describe_ranks, list_methods
from .competition import Competition, Section
from .curves import average
from .detection_sections import make_errors, make_galleries, make_overlaps
from .figures import Panel
from .galleries import Shot
from .show import MEAN_NOTE, Cell, ScoreTable, tabulate


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
        yield make_errors(competition)
        yield make_overlaps(competition)
    if competition.task == "classification":
        yield make_roc(competition)
        if len(competition.classes) > 1:
            yield make_choice(competition)
    if competition.task in ("classification", "action"):
        yield _make_image_ranks(competition)
    if competition.layouts:
        yield _make_whole_layouts(competition)
    if competition.task != "layout":
        yield from make_calibration(competition)
    if competition.task == "detection":
        yield make_galleries(competition)


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
    heads = ["method", "mean", "behind, as a pair (95 %)", "rank (95 %)", "from the best"]
    table = ScoreTable(f"{stem}-bootstrap", "Bootstrap of the mean", heads, rows)
    leading = [(name, [", ".join(score.best)]) for name, score in comparison.classes.items()]
    heads = ["class", "methods not separated from the best"]
    by_class = ScoreTable(f"{stem}-leading", "By class", heads, leading)
    lines = [
        "A paired bootstrap over images (1,000 replicates, seeded): an image that is drawn twice "
        "counts twice. A method is separated from the best one if it is behind by more than 95 % "
        "of the largest differences that chance makes between any two of the methods. The "
        "intervals are of two methods at a time, as in the paper: of many equal methods, some "
        "leave out zero.",
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


def _make_whole_layouts(competition: Competition) -> Section:
    rows: list[tuple[str, list[Cell]]] = []
    for method, layouts in competition.layouts.items():
        whole = offered.measure_whole(competition.truth, layouts)
        rows.append((method, [whole["ap"], whole["npos"]]))
    title = "AP of complete layouts (%): all parts, none more, each covered by half"
    heads = ["method", "AP", "persons"]
    table = ScoreTable(f"{competition.name}-whole", title, heads, rows, True)
    return Section("Whole layouts", [], [table], is_ours=True)


def _make_image_ranks(competition: Competition) -> Section:
    panel = [method for method in competition.panel if method in competition.methods]
    chosen = panel or list(competition.methods)
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
