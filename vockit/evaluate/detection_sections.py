"""The sections that detection alone has: kinds of errors, overlaps, results on photographs."""

from __future__ import annotations

import numpy as np

from . import figures, offered
from .competition import Competition, Section
from .curves import average
from .detection_errors import KIND_TEXT, KINDS, find_errors
from .figures import Panel
from .galleries import choose_rows
from .show import ScoreTable, tabulate

SHOWN_METHODS = 3


def make_errors(competition: Competition) -> Section:
    """How many errors of each kind a method makes, and what its mean AP would be without them."""
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


def make_overlaps(competition: Competition) -> Section:
    """Mean AP by least overlap and by orders of equal confidences; chance of localization."""
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
            average([values["overlaps"][f"{overlap:g}"] for values in measured])
            for overlap in offered.OVERLAPS
        ]
        lines[method] = (np.array(offered.OVERLAPS), 100 * np.array(means))
        worst = average([values["ties"]["worst"] for values in measured])
        best = average([values["ties"]["best"] for values in measured])
        rows.append((method, [*means, worst, best]))
    overlaps = [f"{overlap:g}" for overlap in offered.OVERLAPS]
    heads = ["method", *overlaps, "worst order", "best order"]
    title = "Mean AP (%) by least overlap; at 0.5 over orders of equal confidences; common classes"
    panel = Panel("", lines, ("least overlap", "mean AP (%)"), dots=True)
    tables = [
        ScoreTable(f"{competition.name}-overlap", title, heads, rows, True),
        _tabulate_chance(competition),
    ]
    drawing = figures.draw_panels(
        f"{competition.name}-overlap", "Mean AP by least overlap", [panel]
    )
    title = "Overlap, equal confidences and chance"
    return Section(title, [], tables, [drawing], is_ours=True)


def _tabulate_chance(competition: Competition) -> ScoreTable:
    chances = {}
    for name in competition.classes:
        score = next(iter(competition.of_class(name).values()))
        chances[name] = offered.measure_chance(competition.truth, name, score)["cpl"]
    title = "Chance of localization (%): the box of one object is right for another one"
    return tabulate(f"{competition.name}-cpl", title, {"CPL": chances})


def make_galleries(competition: Competition) -> Section:
    """Results on photographs, of the three best methods that entered a class."""
    text = "Yellow is the result, white the annotation. Each image is shown once."
    section = Section("What is found and what is mistaken", [text])
    for name in competition.classes:
        scores = competition.of_class(name)
        entered = [method for method in competition.by_mean() if method in scores]
        for method in entered[:SHOWN_METHODS]:
            for kind, shots in choose_rows(scores[method]).items():
                stem = f"{competition.name}-{name}-{kind.split()[0]}"
                gallery = competition.pictures.take(stem, shots)
                section.galleries.append((f"{name}, {method}: {kind}", gallery))
    return section
