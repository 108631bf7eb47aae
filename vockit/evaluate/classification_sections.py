"""The sections that classification alone has: ROC, and one answer for each image."""

from __future__ import annotations

import numpy as np

from . import figures, offered
from .competition import Competition, Section
from .curves import Floats
from .figures import Drawing, Panel
from .show import ScoreTable, tabulate


def make_roc(competition: Competition) -> Section:
    """The ROC curve of each class, the area under it and the equal error rate."""

    def values(kind: str) -> dict[str, dict[str, float]]:
        return {
            method: {name: getattr(score, kind) for name, score in classes.items()}
            for method, classes in competition.methods.items()
        }

    labels = ("false positive rate", "true positive rate")
    panels = []
    for name in competition.classes:
        rates = {
            method: score.rates
            for method, score in competition.of_class(name).items()
            if score.rates is not None
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


def make_choice(competition: Competition) -> Section:
    """How often the class of highest confidence is right, also where unsure answers are refused."""
    lines: dict[str, tuple[Floats, Floats]] = {}
    drawn: list[Drawing] = []
    rows = []
    for method, classes in competition.methods.items():
        choice = offered.choose(classes)
        if choice is None:
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
