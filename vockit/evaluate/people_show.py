"""People next to the methods, as text, as JSON values, and as sections of a report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from vockit.format.plural import format_count, is_or_are
from vockit.report.intervals import Interval

from .competition import Section
from .detection_errors import BACKGROUND, KIND_TEXT
from .galleries import MOST, Pictures, Shot
from .people_comparison import EVERY, ByClass, Figures, PeopleComparison
from .show import Cell, ScoreTable, plain
from .truth import Truth

_COLUMNS = {
    "precision": "precision",
    "recall": "recall",
    "overlap": "mean IoU",
    "ap": "AP",
    "iou": "IoU",
}
"""The figures of a method, and what a column of each is called."""
_AT_ONCE = (
    "People name no confidence: their AP is the best that any order of their answers could have, "
    "also where it begins with what they denied, so that it may be high where their recall is low. "
    "Precision, recall and IoU of a method are those at the confidence of its best F1 on these "
    "images, class by class, which favours it. The rows of all are over the classes that every "
    "method entered. Intervals of 95 % are over images."
)


def describe_people(comparison: PeopleComparison) -> Iterator[str]:
    """Sentences on who stands behind the figures, and what they say."""
    yield (
        f"{_say_behind(comparison)} Methods are scored on the same images. The truth was made by "
        "people, too: this measures how far they agree, not how right they are."
    )
    yield _AT_ONCE
    if comparison.discarded:
        count = comparison.discarded
        yield (
            f"{format_count(count, 'image')} of the test sets that the second person would have "
            f"discarded {is_or_are(count)} left out."
        )


def _say_behind(comparison: PeopleComparison) -> str:
    """How many images and people there are, of boxes and of masks."""
    texts = list[str]()
    if comparison.images:
        people = format_count(comparison.people, "person", "people")
        images = format_count(comparison.images, "image")
        texts.append(f"{people} who annotated {images} without seeing the truth")
    if comparison.masks:
        people = format_count(comparison.mask_people, "person", "people")
        masks = format_count(comparison.masks, "image")
        texts.append(f"{people} who drew the masks of {masks} in the boxes of the truth")
    if not texts:
        return "The method people has no image of this set any more."
    return f"The method people is {'; '.join(texts)}."


def describe_lacking(comparison: PeopleComparison) -> Iterator[str]:
    """What the second annotators saw that the truth lacks, and how else their boxes differ."""
    if not comparison.kinds:
        return
    counts = Counter(box.class_name for box in comparison.lacking)
    listed = ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))
    boxes = format_count(len(comparison.lacking), "box", "boxes")
    images = format_count(len({box.image_id for box in comparison.lacking}), "image")
    yield (
        "What the second annotators saw that the truth lacks: "
        + (f"{boxes} in {images} ({listed})." if comparison.lacking else "nothing.")
    )
    others = [
        f"{count:,} {kind} ({KIND_TEXT[kind]})"
        for kind, count in comparison.kinds.items()
        if count and kind != BACKGROUND
    ]
    if others:
        yield f"Their other boxes that count as wrong: {'; '.join(others)}."


def format_people(comparison: PeopleComparison) -> Iterator[str]:
    """A table for each task, and sentences."""
    yield ""
    yield "People and methods, on the images that a second person annotated"
    yield from (f"  {line}" for line in describe_people(comparison))
    for task, by_method in comparison.tasks.items():
        yield ""
        yield f"{task} (percent)"
        yield from _format_task(by_method)
    yield from describe_lacking(comparison)


def _format_task(by_method: Mapping[str, ByClass]) -> Iterator[str]:
    rows = list(_list_rows(by_method))
    names = _list_figures(figures for _, _, figures in rows)
    width = max(len(name) for _, name, _ in rows)
    label = max(len(method) for method, _, _ in rows)
    heads = "".join(f"  {_COLUMNS[name]:<22}" for name in names)
    yield f"  {'':<{width}}  {'':<{label}}  objects{heads}".rstrip()
    for method, name, figures in rows:
        cells = "".join(f"  {_format(getattr(figures, column)):<22}" for column in names)
        yield f"  {name:<{width}}  {method:<{label}}  {figures.objects:>7,}{cells}".rstrip()


def _list_rows(by_method: Mapping[str, ByClass]) -> Iterator[tuple[str, str, Figures]]:
    """Each class that anything is known of, people first, then the methods; all come last."""
    classes = dict.fromkeys(name for by_class in by_method.values() for name in by_class)
    for name in [*(name for name in classes if name != EVERY), EVERY]:
        for method, by_class in by_method.items():
            if name in by_class and _list_figures([by_class[name]]):
                yield method, name, by_class[name]


def _list_figures(figures: Iterable[Figures]) -> list[str]:
    """The figures that any row has a number of."""
    rows = list(figures)
    return [name for name in _COLUMNS if any(_is_known(getattr(row, name)) for row in rows)]


def _is_known(interval: Interval) -> bool:
    return not math.isnan(interval.value)


def _format(interval: Interval) -> str:
    if not _is_known(interval):
        return "NaN"
    low, high = (f"{100 * side:.1f}" for side in (interval.low, interval.high))
    return f"{100 * interval.value:5.1f} ({low} to {high})"


def make_people(comparison: PeopleComparison) -> Any:
    """The comparison as JSON values; each figure is a list of value, low and high."""
    shaped = asdict(comparison) | {
        "tasks": {
            task: {
                method: {name: _shape(figures) for name, figures in by_class.items()}
                for method, by_class in by_method.items()
            }
            for task, by_method in comparison.tasks.items()
        }
    }
    return plain(shaped)


def _shape(figures: Figures) -> dict[str, Any]:
    shaped: dict[str, Any] = {"objects": figures.objects}
    for name in _COLUMNS:
        interval = getattr(figures, name)
        if _is_known(interval):
            shaped[name] = [interval.value, interval.low, interval.high]
    return shaped


def make_people_sections(
    truth: Truth, comparison: PeopleComparison, pictures: Pictures
) -> Iterator[Section]:
    """The sections of the page: who, a table and a drawing for each task, what is lacking."""
    yield Section("Who and how", list(describe_people(comparison)), is_ours=True)
    for task, by_method in comparison.tasks.items():
        tables = [_tabulate(task, by_method)]
        yield Section(task.capitalize(), [], tables, is_ours=True)
    if comparison.kinds:
        yield _make_lacking(truth, comparison, pictures)


def _tabulate(task: str, by_method: Mapping[str, ByClass]) -> ScoreTable:
    rows = list(_list_rows(by_method))
    names = _list_figures(figures for _, _, figures in rows)
    heads = [head for name in names for head in (_COLUMNS[name], "from", "to")]
    cells: list[tuple[str, list[Cell]]] = []
    for method, name, figures in rows:
        line: list[Cell] = [method, figures.objects]
        for column in names:
            interval = getattr(figures, column)
            line += [interval.value, interval.low, interval.high]
        cells.append((name, line))
    title = f"{task.capitalize()}, percent, with intervals of 95 %"
    return ScoreTable(f"people-{task}", title, ["class", "method", "objects", *heads], cells)


def _make_lacking(truth: Truth, comparison: PeopleComparison, pictures: Pictures) -> Section:
    section = Section("What the truth lacks", list(describe_lacking(comparison)), is_ours=True)
    numbers = truth.images
    for name in dict.fromkeys(box.class_name for box in comparison.lacking):
        boxes = [box for box in comparison.lacking if box.class_name == name][:MOST]
        shots = [Shot(numbers[box.image_id], "", np.array(box.box)) for box in boxes]
        section.galleries.append((name, pictures.take(f"people-{name}", shots)))
    return section
