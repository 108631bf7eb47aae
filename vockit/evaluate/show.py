"""Scores as text for a terminal, as one JSON document, and as tables for HTML, CSV and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vockit.format.class_counts import Table, escape_latex, format_csv
from vockit.format.plural import format_count

from .coco_ap import average_coco
from .common import find_common
from .curves import Floats, Rules, average
from .offered import measure_coco_classes, measure_ours
from .scores import ClassScore, Scores, SegmentationScore
from .truth import Truth

SCHEMA = 2
"""Rises when a name in the document changes its meaning; docs/scores.schema.json describes it."""
RULES_TEXT = {
    Rules.VOC2007: "11-point AP; segmentation by recall of each class; layout by whole person",
    Rules.VOC2008: "11-point AP; segmentation by intersection over union; layout by part",
    Rules.VOC2012: "area AP; segmentation by intersection over union; layout by part",
}


def format_scores(truth: Truth, scores: Scores, *, with_coco: bool = False) -> Iterator[str]:
    """Lines with a table for each competition, and the rules in one sentence.

    COCO's AP of detections is told where it is asked for.
    """
    rules = f"rules of {truth.rules}: {RULES_TEXT[truth.rules]}"
    yield f"{truth.root.name}, set {truth.image_set}, {rules}."
    for task, competitions in scores.tasks.items():
        for competition, classes in competitions.items():
            yield ""
            yield f"{competition} ({task})"
            yield from _format_classes(classes)
            yield from _format_missing(classes, scores.missing.get(competition, ()))
            if with_coco and task == "detection":
                yield f"  {_format_coco(classes)}"
    for competition, entry in scores.segmentations.items():
        yield ""
        painted = ", painted from the detections" if entry.is_painted else ""
        yield f"{competition} (segmentation{painted}), percent"
        yield from _format_segmentation(truth, entry)
    for note in scores.notes:
        yield f"Note: {note}"


def _format_classes(classes: Mapping[str, ClassScore]) -> Iterator[str]:
    width = max(len(name) for name in (*classes, "mean of 20"))
    has_roc = any(score.auc is not None for score in classes.values())
    heads = f"{'AP':>7}  {'positives':>9}{'      AUC      EER' if has_roc else ''}"
    yield f"  {'':<{width}}  {heads}"
    for name, score in classes.items():
        line = f"  {name:<{width}}  {_format(score.curve.ap):>7}  {score.curve.npos:>9,}"
        if score.auc is not None and score.eer is not None:
            line += f"  {_format(score.auc):>7}  {_format(score.eer):>7}"
        yield line
    aps = [score.curve.ap for score in classes.values()]
    if known := sum(not math.isnan(ap) for ap in aps):
        yield f"  {f'mean of {known}':<{width}}  {_format(average(aps)):>7}"


def _format_missing(classes: Mapping[str, ClassScore], missing: Sequence[str]) -> Iterator[str]:
    """Over how many of all classes the mean is, and which have no file or no number."""
    unknown = [name for name, score in classes.items() if math.isnan(score.curve.ap)]
    total = len(classes) + len(missing)
    known = len(classes) - len(unknown)
    if known < total:
        reasons = {"missing": missing, "without a number": unknown}
        texts = (f"{reason}: {', '.join(names)}" for reason, names in reasons.items() if names)
        yield f"  over {known} of {format_count(total, 'class', 'classes')}; {'; '.join(texts)}"


def _format_segmentation(truth: Truth, entry: SegmentationScore) -> Iterator[str]:
    names = ("background", *truth.classes)
    width = max(map(len, (*names, "mean of 21")))
    rows = zip(names, entry.result.accuracies.tolist(), entry.entered, entry.wanted, strict=True)
    for name, accuracy, is_entered, is_wanted in rows:
        if not is_wanted:
            continue
        mark = "" if is_entered else "  not entered"
        yield f"  {name:<{width}}  {_format(accuracy, 2):>8}{mark}"
    known = sum(not math.isnan(accuracy) for accuracy in entry.result.accuracies[entry.entered])
    yield f"  {f'mean of {known}':<{width}}  {_format(entry.mean_entered, 2):>8}"
    if entry.wanted.all():
        yield f"  {'kit mean':<{width}}  {_format(entry.result.mean, 2):>8}"


def format_coco_means(methods: Mapping[str, Scores]) -> Iterator[str]:
    """A line of COCO's AP for each method and competition in detection."""
    for name, scores in methods.items():
        for competition, classes in scores.tasks.get("detection", {}).items():
            yield f"{name}, {competition}: {_format_coco(classes)}"


def _format_coco(classes: Mapping[str, ClassScore]) -> str:
    by_class = measure_coco_classes(classes)
    mean = average_coco(by_class)
    known = sum(not math.isnan(scores.ap) for scores in by_class.values())
    return (
        f"COCO's AP {_format(mean.ap)}, at 0.5 {_format(mean.ap50)}, at 0.75 {_format(mean.ap75)}, "
        f"over {format_count(known, 'class', 'classes')}; difficult objects count as crowds"
    )


def make_document(
    truth: Truth, scores: Scores, *, most_points: int | None = None, with_ours: bool = False
) -> Any:
    """The document of docs/scores.schema.json; `most_points` of curves, with measures of ours."""
    from importlib.metadata import version  # not needed for text

    tasks: dict[str, Any] = {}
    for task, competitions in scores.tasks.items():
        unasked = truth.unasked if task in ("classification", "detection") else {}
        tasks[task] = {}
        for name, classes in competitions.items():
            shaped = {
                class_name: _shape(class_score, most_points)
                | ({"unasked": int(unasked[class_name].sum())} if class_name in unasked else {})
                for class_name, class_score in classes.items()
            }
            tasks[task][name] = {"classes": shaped, "missing": list(scores.missing.get(name, ()))}
            if with_ours:
                layouts = None if truth.rules is Rules.VOC2007 else scores.layouts.get(name)
                tasks[task][name]["ours"] = measure_ours(truth, task, classes, layouts)
    if scores.segmentations:
        names = np.array(("background", *truth.classes))
        tasks["segmentation"] = {
            competition: _shape_segmentation(entry, names)
            for competition, entry in scores.segmentations.items()
        }
    document = {
        "schema": SCHEMA,
        "versions": {name: version(name) for name in ("vockit", "numpy")},
        "tree": truth.root.resolve().name,
        "set": truth.image_set,
        "rules": truth.rules.value,
        "tasks": tasks,
        "notes": list(scores.notes),
    }
    return plain(document)


def _shape_segmentation(entry: SegmentationScore, names: NDArray[np.str_]) -> dict[str, Any]:
    columns = names, entry.result.accuracies, entry.entered
    shown = zip(*(column[entry.wanted].tolist() for column in columns), strict=True)
    return {
        "classes": {
            class_name: {"iou_percent": value, "entered": is_in}
            for class_name, value, is_in in shown
        },
        "mean": entry.result.mean,
        "mean_entered": entry.mean_entered,
        "painted": entry.is_painted,
        "confusion": entry.result.confusion.tolist(),
    }


def _shape(score: ClassScore, most_points: int | None) -> dict[str, Any]:
    curve = score.curve
    shape: dict[str, Any] = {
        "ap": curve.ap,
        "npos": curve.npos,
        "recall": _thin(curve.recall, most_points),
        "precision": _thin(curve.precision, most_points),
    }
    if score.evidence is not None and score.evidence.left_out:
        shape["left_out"] = score.evidence.left_out
    if score.auc is not None and score.eer is not None and score.rates is not None:
        false, true = (_thin(rates, most_points) for rates in score.rates)
        shape |= {"auc": score.auc, "eer": score.eer, "roc": {"false": false, "true": true}}
    return shape


def _thin(values: Floats, most: int | None) -> list[float]:
    if most is not None and len(values) > most:
        values = values[np.linspace(0, len(values) - 1, most).astype(int)]
    return list(map(float, values))


def plain(value: Any) -> Any:
    """JSON values with the text "NaN" for NaN, "Infinity" and "-Infinity" for the infinities."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def _format(value: float, digits: int = 4) -> str:
    return "NaN" if math.isnan(value) else f"{value:.{digits}f}"


Cell = float | int | str | None
BOLD = "bold"
ITALIC = "italic"
_LATEX = {BOLD: r"\textbf{%s}", ITALIC: r"\textit{%s}", "": "%s"}


@dataclass(frozen=True)
class ScoreTable:
    """A table whose first column names the rows; ranked, it marks the first three by column.

    `factor` 100 shows shares in percent.
    """

    name: str
    title: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    is_ranked: bool = False
    factor: float = 100
    decimals: int = 1

    def cells(self) -> list[list[tuple[str, str]]]:
        """The text and the mark of each cell but the first, row by row."""
        columns = zip(*(row for _, row in self.rows), strict=True)
        marks = list(zip(*map(self._mark, columns), strict=True))
        return [
            [(self._format(cell), mark) for cell, mark in zip(row, marks[number], strict=True)]
            for number, (_, row) in enumerate(self.rows)
        ]

    def _mark(self, column: Sequence[Cell]) -> list[str]:
        known = [cell for cell in column if isinstance(cell, float) and not math.isnan(cell)]
        if not self.is_ranked or len(column) < 2:
            return [""] * len(column)
        places = [sum(other > cell for other in known) if cell in known else 9 for cell in column]
        return [BOLD if not place else ITALIC if place < 3 else "" for place in places]

    def _format(self, cell: Cell) -> str:
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return "–"
        if isinstance(cell, float):
            return f"{self.factor * cell:.{self.decimals}f}"
        return f"{cell:,}" if isinstance(cell, int) else cell

    @property
    def is_text(self) -> bool:
        """Whether the cells are words, which read better from the left."""
        return all(isinstance(cell, str) for _, row in self.rows for cell in row)

    def as_csv(self) -> str:
        """The table as CSV, its values unrounded; NaN and what is missing are empty."""
        rows = [
            [label, *("" if isinstance(cell, float) and math.isnan(cell) else cell for cell in row)]
            for label, row in self.rows
        ]
        return format_csv(Table(self.name, self.title, "", self.heads, rows))

    def as_latex(self) -> str:
        """The table as LaTeX, a `tabular` in a `table`."""
        lines = []
        for (label, _), cells in zip(self.rows, self.cells(), strict=True):
            texts = (_LATEX[mark] % escape_latex(text.replace("–", "--")) for text, mark in cells)
            lines.append(" & ".join([escape_latex(label), *texts]) + r" \\")
        heads = " & ".join(map(escape_latex, self.heads))
        columns = "r" * (len(self.heads) - 1)
        caption = escape_latex(self.title)
        begin = rf"\begin{{table}}\centering\caption{{{caption}}}\label{{tab:{self.name}}}"
        tabular = rf"\begin{{tabular}}{{l{columns}}}\hline"
        end = r"\hline\end{tabular}\end{table}"
        return "\n".join([begin, tabular, rf"{heads} \\ \hline", *lines, end, ""])


MEAN_NOTE = "the mean is over the classes that the methods have in common, counted next to it"


def tabulate(
    name: str, title: str, scores: Mapping[str, Mapping[str, float]], *, factor: float = 100
) -> ScoreTable:
    """Methods by class, with the mean over the classes that all have a number of, and their count.

    A method without a class in common with the others has no mean.
    """
    classes = list(dict.fromkeys(name for by_class in scores.values() for name in by_class))
    common = find_common(scores)
    rows: list[tuple[str, list[Cell]]] = []
    for method, by_class in scores.items():
        count = len(common.classes) if method in common.methods else 0
        cells = (by_class.get(name) for name in classes)
        rows.append((method, [common.mean(method, by_class), count, *cells]))
    return ScoreTable(name, title, ["method", "mean", "of", *classes], rows, True, factor)
