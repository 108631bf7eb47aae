"""The report: a folder of self-contained pages with all tables, figures and galleries as files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import jinja2
import numpy as np

from vockit.format.own_files import has_list, write_own_files

from .comparing import CompetitionComparison, compare_methods, make_comparison
from .curves import Rules, average
from .errors import EvaluateError, explain_write_errors
from .figures import draw_matrix
from .galleries import Pictures
from .other_report import compare_reports
from .scores import Scores, list_competitions
from .sections import Competition, Section, make_sections, make_significance
from .show import RULES_TEXT, SCHEMA, ScoreTable, make_document, tabulate
from .truth import Truth

SCORES = "scores.json"
REPORT = "report"
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class ReportOptions:
    """The folder, the methods that rank images, another report's scores, the party's address."""

    folder: Path
    panel: Sequence[str] = ()
    other_scores: Path | None = None
    url: str = ""


@dataclass(frozen=True)
class _Page:
    name: str
    title: str
    summary: str
    sections: Sequence[Section]


def write_report(truth: Truth, methods: Mapping[str, Scores], options: ReportOptions) -> None:
    """Write the folder over an earlier report, of which it keeps no file.

    Only files that a report wrote, and that are as it wrote them, are replaced or deleted. Raises
    EvaluateError, ForeignFileError and WriteError.
    """
    target = options.folder
    is_taken = any(target.iterdir()) if target.is_dir() else os.path.lexists(target)
    if is_taken and not has_list(target, REPORT):
        raise EvaluateError(f"{target} holds other files; name a new folder for the report.")
    with explain_write_errors(), TemporaryDirectory() as folder:
        part = Path(folder)
        _write_all(truth, methods, options, part)
        paths = sorted(path for path in part.rglob("*") if path.is_file())
        files = {path.relative_to(part).as_posix(): path.read_bytes() for path in paths}
        write_own_files(target, files, kind=REPORT)


def _write_all(
    truth: Truth, methods: Mapping[str, Scores], options: ReportOptions, folder: Path
) -> None:
    compared = compare_methods(truth, methods)
    pictures = Pictures(truth, folder / "galleries")
    pages = list(_make_pages(truth, methods, compared, options.panel, pictures))
    index = [Section("Summary", [], [_sum_up(methods)])]
    index.append(Section("How it was evaluated", [describe_method(truth, methods)]))
    if options.other_scores is not None:
        index.append(compare_reports(methods, truth, options.other_scores))
    notes = [f"{name}: {note}" for name, scores in methods.items() for note in scores.notes]
    if notes:
        index.append(Section("Notes on the files", notes))
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE), autoescape=True, undefined=jinja2.StrictUndefined
    )
    template, style = environment.get_template("report.html"), (_HERE / "report.css").read_text()
    home = f"Results on {truth.name}"
    listed = f"{len(methods)} method{'s' if len(methods) > 1 else ''}: {', '.join(methods)}."
    rules = f"Rules of {truth.rules}: {RULES_TEXT[truth.rules]}. {listed}"
    for page in (_Page("index", home, rules, index), *pages):
        shown = {"page": page, "pages": pages, "url": options.url}
        text = template.render(**shown, home=home, style=style, version=version("vockit"))
        (folder / f"{page.name}.html").write_text(text)
    _write_files(folder, [*index, *(section for page in pages for section in page.sections)])
    document = {
        "schema": SCHEMA,
        "methods": {
            name: make_document(truth, scores, most_points=500) for name, scores in methods.items()
        },
        "comparison": make_comparison(compared),
    }
    (folder / "method.txt").write_text(describe_method(truth, methods) + "\n")
    (folder / SCORES).write_text(json.dumps(document))


def _sum_up(methods: Mapping[str, Scores]) -> ScoreTable:
    """The mean of each method by competition."""
    means = {
        method: {
            f"{name} ({task})": average([score.curve.ap for score in classes.values()])
            for task, competitions in scores.tasks.items()
            for name, classes in competitions.items()
        }
        | {
            f"{name} (masks)": entry.mean_entered / 100
            for name, entry in scores.segmentations.items()
        }
        for method, scores in methods.items()
    }
    heads = list(dict.fromkeys(name for by_name in means.values() for name in by_name))
    rows = [(method, [by_name.get(name) for name in heads]) for method, by_name in means.items()]
    title = "Mean AP, or mean accuracy of masks (%)"
    return ScoreTable("summary", title, ["method", *heads], rows, True)


def _make_pages(
    truth: Truth,
    methods: Mapping[str, Scores],
    compared: Sequence[CompetitionComparison],
    panel: Sequence[str],
    pictures: Pictures,
) -> Iterator[_Page]:
    by_name = {(comparison.task, comparison.competition): comparison for comparison in compared}
    for task, name in list_competitions(methods):
        entered = {
            method: scores.tasks[task][name]
            for method, scores in methods.items()
            if name in scores.tasks.get(task, {})
        }
        is_layout = task == "layout" and truth.rules is not Rules.VOC2007
        layouts = {method: methods[method].layouts[name] for method in entered} if is_layout else {}
        compared_here = by_name.get((task, name))
        page = Competition(truth, task, name, entered, pictures, compared_here, panel, layouts)
        best = page.by_mean()[0]
        mean = average([score.curve.ap for score in entered[best].values()])
        summary = f"{best} has the best mean AP, {100 * mean:.1f} %, over its classes."
        yield _Page(name, f"{name}: {task}", summary, list(make_sections(page)))
    for name in dict.fromkeys(
        competition for scores in methods.values() for competition in scores.segmentations
    ):
        yield _make_segmentation_page(truth, name, methods, by_name.get(("segmentation", name)))


def _make_segmentation_page(
    truth: Truth, name: str, methods: Mapping[str, Scores], compared: CompetitionComparison | None
) -> _Page:
    entries = {
        method: s.segmentations[name] for method, s in methods.items() if name in s.segmentations
    }
    classes = ("background", *truth.classes)
    rows = {}
    for method, entry in entries.items():
        cells = zip(classes, entry.result.accuracies.tolist(), entry.entered, strict=True)
        rows[method] = {label: accuracy for label, accuracy, is_entered in cells if is_entered}
    title = "Accuracy by class (%), over the classes that each entry gives"
    scores = Section("Scores", [], [tabulate(f"{name}-seg-accuracy", title, rows, factor=1)])
    if all(entry.is_painted for entry in entries.values()):
        scores.lines.append("The masks are painted from the boxes of the detection entry.")
    best = max(entries, key=lambda method: np.nan_to_num(entries[method].mean_entered))
    caption, confusion = f"{best}: pixels by true class (%)", entries[best].result.confusion
    matrix = draw_matrix(f"{name}-seg-confusion", caption, classes, ("", ""), confusion)
    sections = [scores, *([make_significance(compared)] if compared else [])]
    sections.append(Section("Confusion", drawings=[matrix]))
    summary = f"{best} has the best mean accuracy, {entries[best].mean_entered:.1f} %."
    return _Page(f"{name}-segmentation", f"{name}: segmentation", summary, sections)


def describe_method(truth: Truth, methods: Mapping[str, Scores]) -> str:
    """A paragraph on the evaluation that can be pasted into a paper."""
    ap = "the mean of the best precisions at eleven recalls (2007)"
    if truth.rules is Rules.VOC2012:
        ap = "the area under the precision/recall curve, precision made monotone (2010)"
    several = (
        " Differences were tested by a paired bootstrap over images (1,000 replicates, percentile "
        "intervals of 95 %) and, over classes, by the Friedman test with Nemenyi's critical "
        "difference."
    )
    return (
        f"Results were evaluated on the {truth.image_set} set of {truth.root.resolve().name} by "
        f"the rules of the PASCAL VOC development kit of {truth.rules}, with vocparty "
        f"{version('vockit')}. Average precision is {ap}. A detection is right if its "
        "intersection over union with the object of its class that it overlaps most is at least "
        "0.5; further detections of the object are wrong, and those on objects marked difficult "
        "count neither way. Equal confidences keep the order of the file. Means are over the "
        f"classes that have a number.{several if len(methods) > 1 else ''}"
    )


def _write_files(folder: Path, sections: Sequence[Section]) -> None:
    for name in ("tables", "figures"):
        (folder / name).mkdir()
    for section in sections:
        for table in section.tables:
            (folder / "tables" / f"{table.name}.csv").write_text(table.as_csv())
            (folder / "tables" / f"{table.name}.tex").write_text(table.as_latex())
        for drawing in section.drawings:
            (folder / "figures" / f"{drawing.name}.svg").write_text(drawing.svg)
            (folder / "figures" / f"{drawing.name}.pdf").write_bytes(drawing.pdf)
