"""The report: a folder of self-contained pages with all tables, figures and galleries as files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import jinja2
import numpy as np

from vockit.format.own_files import has_list, write_own_files
from vockit.format.plural import format_count

from .common import CommonClasses, find_common
from .comparing import (
    CompetitionComparison,
    compare_methods,
    describe_common,
    make_comparison,
)
from .competition import Competition, Section
from .curves import Rules
from .errors import ChoiceError, explain_write_errors
from .figures import draw_matrix
from .galleries import Pictures
from .other_report import compare_reports
from .people_comparison import PeopleComparison
from .people_show import describe_people, make_people, make_people_sections
from .scores import Scores, list_accuracies, list_competitions
from .sections import make_sections, make_significance
from .show import MEAN_NOTE, RULES_TEXT, SCHEMA, ScoreTable, make_document, tabulate
from .truth import Truth
from .two_tests import compare_tests, is_one_of_two, measure_intervals

SCORES = "scores.json"
REPORT = "report"
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class ReportOptions:
    """The folder, the methods that rank images, another report's scores, the party's address.

    `people` are second annotators next to the methods, where the release has any.
    """

    folder: Path
    panel: Sequence[str] = ()
    other_scores: Path | None = None
    url: str = ""
    people: PeopleComparison | None = None


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
        raise ChoiceError(f"{target} holds other files; name a new folder for the report.")
    with explain_write_errors(), TemporaryDirectory() as folder:
        part = Path(folder)
        _write_all(truth, methods, options, part)
        paths = sorted(path for path in part.rglob("*") if path.is_file())
        files = {path.relative_to(part).as_posix(): path.read_bytes() for path in paths}
        write_own_files(target, files, kind=REPORT)


def _write_all(
    truth: Truth, methods: Mapping[str, Scores], options: ReportOptions, folder: Path
) -> None:
    comparison = compare_methods(truth, methods)
    method_text = describe_method(truth, methods, comparison.competitions)
    pictures = Pictures(truth, folder / "galleries")
    pages = list(_make_pages(truth, methods, comparison.competitions, options.panel, pictures))
    if options.people is not None:
        pages.append(_make_people_page(truth, options.people, pictures))
    index = list(_make_index(truth, methods, options, method_text))
    listed = f"{format_count(len(methods), 'method')}: {', '.join(methods)}."
    rules = f"Rules of {truth.rules}: {RULES_TEXT[truth.rules]}. {listed}"
    if len(methods) > 1 and comparison.compared.passed_over:
        index[0].lines.append(comparison.compared.sentence)
    _write_pages(folder, truth, [_Page("index", "", rules, index), *pages], options.url)
    _write_files(folder, [*index, *(section for page in pages for section in page.sections)])
    document = {
        "schema": SCHEMA,
        "methods": {
            name: make_document(truth, scores, most_points=500) for name, scores in methods.items()
        },
        "comparison": make_comparison(comparison.competitions),
        "compared": comparison.compared.as_json(),
    }
    if options.people is not None:
        document["people"] = make_people(options.people)
    if is_one_of_two(truth):
        document["intervals"] = measure_intervals(truth, methods)
    (folder / "method.txt").write_text(method_text + "\n")
    (folder / SCORES).write_text(json.dumps(document))


def _make_index(
    truth: Truth, methods: Mapping[str, Scores], options: ReportOptions, method_text: str
) -> Iterator[Section]:
    """The sections of the first page."""
    yield Section("Summary", [], [_sum_up(truth, methods)])
    yield Section("How it was evaluated", [method_text])
    if options.other_scores is not None:
        yield compare_reports(methods, truth, options.other_scores)
        if is_one_of_two(truth):
            yield from compare_tests(truth, methods, options.other_scores)
    notes = [f"{name}: {note}" for name, scores in methods.items() for note in scores.notes]
    if notes:
        yield Section("Notes on the files", notes)


def _write_pages(folder: Path, truth: Truth, pages: Sequence[_Page], url: str) -> None:
    """Write the first page and those of the competitions, which it lists."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE), autoescape=True, undefined=jinja2.StrictUndefined
    )
    template = environment.get_template("report.html")
    style = (_HERE / "report.css").read_text()
    home = f"Results on {truth.name}"
    for page in (replace(pages[0], title=home), *pages[1:]):
        text = template.render(
            page=page, pages=pages[1:], url=url, home=home, style=style, version=version("vockit")
        )
        (folder / f"{page.name}.html").write_text(text)


def _sum_up(truth: Truth, methods: Mapping[str, Scores]) -> ScoreTable:
    """The mean of each method by competition, over the classes that its methods have in common."""
    numbers_of = {method: _list_numbers(truth, scores) for method, scores in methods.items()}
    entries = list(dict.fromkeys(name for numbers in numbers_of.values() for name in numbers))
    columns: dict[str, dict[str, float]] = {}
    for entry in entries:
        entered = {
            method: numbers[entry] for method, numbers in numbers_of.items() if entry in numbers
        }
        common = find_common(entered)
        head = f"{entry}, {format_count(len(common.classes), 'class', 'classes')}"
        columns[head] = {
            method: common.mean(method, numbers) for method, numbers in entered.items()
        }
    rows = [(method, [column.get(method) for column in columns.values()]) for method in methods]
    title = "Mean AP, or mean accuracy of masks (%), over the classes that the methods share"
    return ScoreTable("summary", title, ["method", *columns], rows, True)


def _list_numbers(truth: Truth, scores: Scores) -> dict[str, dict[str, float]]:
    """The share of each class, 0 to 1, by the name of the entry."""
    numbers = {
        f"{name} ({task})": {label: score.curve.ap for label, score in classes.items()}
        for task, competitions in scores.tasks.items()
        for name, classes in competitions.items()
    }
    for name, entry in scores.segmentations.items():
        accuracies = list_accuracies(truth, entry)
        numbers[f"{name} (masks)"] = {
            label: accuracy / 100 for label, accuracy in accuracies.items()
        }
    return numbers


def _describe_best(best: str, common: CommonClasses, mean_text: str) -> str:
    """Which method has the best mean, over which classes, and which methods have no mean."""
    count = format_count(len(common.classes), "class", "classes")
    if len(common.methods) < 2:
        return f"{best} alone has numbers: {mean_text} over {count}."
    return f"{best} has the best {mean_text}, over {describe_common(common)}."


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
        mean = page.common.mean(best, page.aps[best])
        summary = _describe_best(best, page.common, f"mean AP, {100 * mean:.1f} %")
        yield _Page(name, f"{name}: {task}", summary, list(make_sections(page)))
    for name in dict.fromkeys(
        competition for scores in methods.values() for competition in scores.segmentations
    ):
        yield _make_segmentation_page(truth, name, methods, by_name.get(("segmentation", name)))


def _make_people_page(truth: Truth, people: PeopleComparison, pictures: Pictures) -> _Page:
    """Second annotators next to the methods, on the images that they had."""
    summary = next(describe_people(people))
    sections = list(make_people_sections(truth, people, pictures))
    return _Page("people", "people and methods", summary, sections)


def _make_segmentation_page(
    truth: Truth, name: str, methods: Mapping[str, Scores], compared: CompetitionComparison | None
) -> _Page:
    entries = {
        method: s.segmentations[name] for method, s in methods.items() if name in s.segmentations
    }
    classes = ("background", *truth.classes)
    rows = {method: list_accuracies(truth, entry) for method, entry in entries.items()}
    common = find_common(rows)
    title = f"Accuracy by class (%); {MEAN_NOTE}"
    scores = Section("Scores", [], [tabulate(f"{name}-seg-accuracy", title, rows, factor=1)])
    if all(entry.is_painted for entry in entries.values()):
        scores.lines.append("The masks are painted from the boxes of the detection entry.")
    means = {method: common.mean(method, rows[method]) for method in entries}
    best = max(means, key=lambda method: np.nan_to_num(means[method], nan=-1))
    caption = f"{best}: pixels by true class (%)"
    confusion = entries[best].result.confusion
    matrix = draw_matrix(f"{name}-seg-confusion", caption, classes, ("", ""), confusion)
    sections = [scores]
    if compared:
        sections.append(make_significance(compared))
    sections.append(Section("Confusion", drawings=[matrix]))
    summary = _describe_best(best, common, f"mean accuracy, {means[best]:.1f} %")
    return _Page(f"{name}-segmentation", f"{name}: segmentation", summary, sections)


_HOW_AP = {
    True: "the area under the precision/recall curve, precision made monotone (2010)",
    False: "the mean of the best precisions at eleven recalls (2007)",
}
"""How average precision is computed, by whether the rules are those of 2012."""


def describe_method(
    truth: Truth, methods: Mapping[str, Scores], compared: Sequence[CompetitionComparison]
) -> str:
    """A paragraph on the evaluation that can be pasted into a paper.

    It says what was done alone: which tests were made, and of which tasks there are results.
    """
    sentences = [
        f"Results were evaluated on the {truth.image_set} set of {truth.root.resolve().name} by "
        f"the rules of the PASCAL VOC development kit of {truth.rules}, with vocparty "
        f"{version('vockit')}."
    ]
    tasks = {task for scores in methods.values() for task in scores.tasks}
    if tasks:
        how = _HOW_AP[truth.rules is Rules.VOC2012]
        sentences.append(f"Average precision is {how}.")
    if "detection" in tasks:
        sentences.append(
            "A detection is right if its intersection over union with the object of its class that "
            "it overlaps most is at least 0.5; further detections of the object are wrong, and "
            "those on objects marked difficult count neither way."
        )
    if tasks:
        sentences.append("Equal confidences keep the order of the file.")
    which = "that have a number" if len(methods) < 2 else "that the methods have in common"
    sentences.append(f"Means are over the classes {which}.")
    return " ".join([*sentences, *_describe_tests(compared)])


def _describe_tests(compared: Sequence[CompetitionComparison]) -> Iterator[str]:
    """The tests of differences that were made, and in which competitions."""
    if not compared:
        return
    entered = ", ".join(comparison.competition for comparison in compared)
    yield (
        f"Differences ({entered}) were tested over the classes that the methods have in common, by "
        "a paired bootstrap over images (1,000 replicates, percentile intervals of 95 %)."
    )
    ranked = ", ".join(
        comparison.competition for comparison in compared if comparison.ranks is not None
    )
    if ranked:
        yield (
            f"Over classes ({ranked}), they were tested by the Friedman test with Nemenyi's "
            "critical difference."
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
