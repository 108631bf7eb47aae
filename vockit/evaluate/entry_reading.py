"""Reads an entry: the files of a folder of results, judged by their form, task by task."""

from __future__ import annotations

import os
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Generic

import numpy as np

from vockit.foreign.identity import RELEASE_FILE
from vockit.format import tree

from .coco_results import NO_IDS, CocoIds, read_coco_results
from .curves import Floats, Ints, Rules
from .entry import (
    ALL,
    Entry,
    Key,
    Person,
    Rated,
    Require,
    Selection,
    find_other_release,
)
from .errors import ChoiceError, EvaluateError, Problem
from .layout import LayoutResult
from .metrics import Detections
from .misnamed import refuse_misnamed_in
from .results import COMPETITIONS, Rows, read_layouts, read_rows
from .truth import Truth

_FOLDERS = ("Main", "Segmentation", "Layout", "Action")


def read_entry(
    truth: Truth,
    results: Path,
    selection: Selection = ALL,
    coco_ids: CocoIds = NO_IDS,
    *,
    require: Require,
) -> Entry:
    """What a folder of results, or a file of COCO's results, holds for the set of `truth`.

    Masks are not read. Raises EvaluateError where there are no results, or where the tree's lists
    cannot be read.
    """
    is_coco = is_coco_file(results)
    if not results.is_dir() and not is_coco:
        raise ChoiceError(_describe_no_results(results))
    if results.name in _FOLDERS and not (results / results.name).is_dir():
        raise ChoiceError(
            f"{results} is one of the folders of results; name the one above it, {results.parent}."
        )
    _refuse_unknown_words(truth, selection)
    _refuse_other_release(truth, results)
    entry = Entry(truth, results, selection, require)
    if is_coco:
        _read_coco(entry, coco_ids)
    else:
        refuse_misnamed_in(results)
        _read_folder(entry)
    entry.note_withdrawn()
    return entry


def _describe_no_results(results: Path) -> str:
    if results.is_file():
        return (
            f"{results} is no results: expected a folder with Main, Segmentation, Layout or "
            "Action, a .tar, .tar.gz or .zip of one, or a .json of COCO's results."
        )
    return f"No results in {results}; name the folder or file that holds them."


def _read_folder(entry: Entry) -> None:
    """What each competition has in the folder."""
    truth = entry.truth
    is_2007 = truth.rules is Rules.VOC2007
    for competition in COMPETITIONS["classification"]:
        _read_classification(entry, competition)
    for competition in COMPETITIONS["detection"]:
        _read_detection(entry, competition)
    for competition in COMPETITIONS["action"]:
        _read_action(entry, competition)
    for competition in COMPETITIONS["layout_2007" if is_2007 else "layout"]:
        _read_layout(entry, competition)
    for competition in COMPETITIONS["segmentation"]:
        folder = entry.results / "Segmentation" / f"{competition}_{truth.image_set}_cls"
        if folder.is_dir() and entry.selection.wants(competition):
            entry.require(truth, "segmentation")
            entry.masks[competition] = folder


def is_coco_file(results: Path) -> bool:
    """Whether the results are a file in COCO's form."""
    return results.is_file() and results.suffix.lower() == ".json"


def _refuse_unknown_words(truth: Truth, selection: Selection) -> None:
    known = [f"comp{number}" for number in range(1, 13)]
    words = (*truth.classes, *truth.actions, "background", "head", "hand", "foot")
    for kind, given, names in (
        ("competition", selection.competitions, known),
        ("class", selection.classes, words),
    ):
        if unknown := sorted(set(given) - set(names)):
            there = ", ".join(names)
            raise ChoiceError(f"Unknown {kind} {unknown[0]!r}; there are {there}.")


def _refuse_other_release(truth: Truth, results: Path) -> None:
    """Raise EvaluateError where results say that they were made for another release."""
    if made_for := find_other_release(truth, results):
        raise EvaluateError(
            f"{results / RELEASE_FILE} says that these results were made for {made_for}, and "
            f"{truth.root} is not that release; name the release that they were made for, or make "
            "them for this one."
        )


def _find_files(
    entry: Entry, competition: str, word: str, names: Iterable[str]
) -> list[tuple[str, Path]]:
    """The files of a competition, with their classes.

    Notes files that are of no class, and those that are no files to read, such as links that lead
    nowhere and pipes; their classes count as missing, as do classes without a file.
    """
    folder = entry.results / ("Action" if word == "action" else "Main")
    start = f"{competition}_{word}_{entry.truth.image_set}_"
    paths = {path.stem.removeprefix(start): path for path in folder.glob(f"{start}*.txt")}
    wanted = [name for name in names if entry.selection.wants(competition, name)]
    if competition in (entry.selection.competitions or [competition]):
        for name in sorted(set(paths) - set(names)):
            entry.notes.append(f"{paths[name].name} was not scored: {name} is no class here.")
    files = [(name, paths[name]) for name in wanted if name in paths and paths[name].is_file()]
    for name in sorted(set(wanted) & set(paths) - dict(files).keys()):
        entry.note_unreadable(paths[name], f"{name} counts as missing")
    if files:
        entry.missing[competition] = [name for name in wanted if name not in dict(files)]
    return files


@dataclass(frozen=True)
class _RatedTask(Generic[Key]):
    """A task whose files rate items, such as images, in the rows of each class.

    `list_items` gives the listed items of a class with their labels, `read_keys` the items that
    rows name. A row of an item that is not listed counts neither way where `is_unasked` says so;
    else it is a mistake, for which `tell` has the words.
    """

    task: str
    word: str
    names: Sequence[str]
    columns: int
    list_items: Callable[[str], tuple[Mapping[Key, int], Ints | None]]
    read_keys: Callable[[Rows], list[Key]]
    is_unasked: Callable[[Key], bool]
    tell: Callable[[Key], str]


def _read_classification(entry: Entry, competition: str) -> None:
    truth = entry.truth
    task = _RatedTask(
        task="classification",
        word="cls",
        names=truth.classes,
        columns=1,
        list_items=truth.class_items,
        read_keys=lambda rows: rows.ids,
        is_unasked=lambda image_id: image_id in truth.images_and_tasters,
        tell=_unknown_image(truth),
    )
    if rated := _read_rated(entry, competition, task):
        entry.classification[competition] = rated


def _read_action(entry: Entry, competition: str) -> None:
    truth = entry.truth
    task = _RatedTask(
        task="action",
        word="action",
        names=truth.actions,
        columns=2,
        list_items=truth.action_items,
        read_keys=_read_persons,
        is_unasked=lambda person: person in truth.action_persons,
        tell=_tell_person,
    )
    if rated := _read_rated(entry, competition, task):
        entry.action[competition] = rated


def _read_persons(rows: Rows) -> list[Person]:
    """The image and the number of the object that each row names; -1 where it names no number."""
    numbers = (int(number) if number.is_integer() else -1 for number in rows.numbers[:, 0].tolist())
    return list(zip(rows.ids, numbers, strict=True))


def _tell_person(key: Person) -> str:
    return f"expected a person that Action lists, got {key[0][:60]} {key[1]}"


def _read_rated(entry: Entry, competition: str, task: _RatedTask[Key]) -> dict[str, Rated[Key]]:
    """The rated items of each class of which the competition has a file."""
    files = _find_files(entry, competition, task.word, task.names)
    if files:
        entry.require(entry.truth, task.task)
    rated = dict[str, Rated[Key]]()
    for name, path in files:
        items, labels = task.list_items(name)
        rows = read_rows(path, task.columns)
        confidences, left_out = _take_confidences(entry, rows, items, task)
        rated[name] = Rated(items, labels, confidences, left_out)
    return rated


def _take_confidences(
    entry: Entry, rows: Rows, numbers: Mapping[Key, int], task: _RatedTask[Key]
) -> tuple[Floats, int]:
    """The confidence of each listed item: that of its last row, -inf without any.

    Also how many rows are of unasked items that are not listed. Others are problems.
    """
    keys = task.read_keys(rows)
    confidences = np.full(len(numbers), -np.inf)
    left_out = 0
    entry.problems += rows.problems
    entry.rows += len(keys)
    for line, key, values in zip(rows.lines, keys, rows.numbers, strict=True):
        if (number := numbers.get(key)) is not None:
            confidences[number] = values[-1]
        elif task.is_unasked(key):
            left_out += 1
        elif entry.is_withdrawn(str(key[0] if isinstance(key, tuple) else key)):
            continue
        else:
            entry.unknown_rows += 1
            entry.problems.append(Problem(rows.path, int(line), task.tell(key)))
    if repeated := len(keys) - len(set(keys)):
        note = f"{rows.path.name}: {repeated:,} rows repeat an item; of each, the last row counts."
        entry.notes.append(note)
    if unrated := len(numbers.keys() - keys):
        note = f"{rows.path.name}: {unrated:,} of {len(numbers):,} items have no row and rank last."
        entry.notes.append(note)
    return confidences, left_out


def _read_detection(entry: Entry, competition: str) -> None:
    truth = entry.truth
    files = _find_files(entry, competition, "det", truth.classes)
    if files:
        entry.require(truth, "detection")
    for name, path in files:
        rows = read_rows(path, 5)
        entry.problems += rows.problems
        numbers = np.fromiter(map(truth.images.get, rows.ids, repeat(-1)), np.int64)
        entry.rows += len(numbers)
        if not len(numbers):
            entry.notes.append(f"{path.name} holds no detection.")
        is_kept = np.ones(len(numbers), np.bool_)
        for place in np.flatnonzero(numbers < 0):
            if rows.ids[place] in truth.tasters:
                continue
            if entry.is_withdrawn(rows.ids[place]):
                is_kept[place] = False
                continue
            entry.unknown_rows += 1
            message = _unknown_image(truth)(rows.ids[place])
            entry.problems.append(Problem(path, int(rows.lines[place]), message))
        kept = rows.numbers[is_kept]
        detections = Detections(numbers[is_kept], kept[:, 0], kept[:, 1:])
        entry.detection.setdefault(competition, {})[name] = detections


def _read_coco(entry: Entry, ids: CocoIds) -> None:
    """COCO's results, as the competition for detection that was asked for, else the first."""
    truth = entry.truth
    entry.require(truth, "detection")
    selection = entry.selection
    competition = next(filter(selection.wants, COMPETITIONS["detection"]), None)
    if competition is None:
        raise ChoiceError(
            "COCO's results hold detections; leave out --competition, or choose one of "
            f"{', '.join(COMPETITIONS['detection'])}."
        )
    by_class, problems = read_coco_results(entry.results, truth, ids, entry.is_withdrawn)
    entry.problems += problems
    wanted = [name for name in truth.classes if selection.wants(competition, name)]
    there = {name: by_class[name] for name in wanted if name in by_class}
    if there:
        entry.detection[competition] = there
    entry.missing[competition] = [name for name in wanted if name not in by_class]


def _unknown_image(truth: Truth) -> Callable[[str], str]:
    return lambda image_id: f"expected an image of the set {truth.image_set}, got {image_id[:60]!r}"


def _read_layout(entry: Entry, competition: str) -> None:
    """The layouts of a competition, if there are any that can be read; others are noted."""
    truth = entry.truth
    is_2007 = truth.rules is Rules.VOC2007
    path = entry.layout_path(competition)
    if not entry.selection.wants(competition):
        return
    if not path.is_file():
        if os.path.lexists(path):
            entry.note_unreadable(path, "there are no layouts")
        return
    entry.require(truth, "layout")
    if not truth.has_set(tree.LAYOUT):
        entry.notes.append(f"{path.name} was not read: the tree lists no persons of this set.")
        return
    layouts, problems = read_layouts(path, has_boxes=is_2007, is_like_kit=truth.is_like_kit)
    entry.problems += problems
    if problems:
        return
    listed = {*truth.layout_images} if is_2007 else {key[0] for key in truth.layout_persons}
    layouts = [
        layout
        for layout in layouts
        if layout.key[0] in listed or not entry.is_withdrawn(layout.key[0])
    ]
    entry.layout[competition] = layouts
    if is_2007:
        entry.problems += [
            Problem(path, layout.line, _unknown_image(truth)(layout.key[0]))
            for layout in layouts
            if layout.key[0] not in listed
        ]
    else:
        entry.notes += _note_skipped(path, layouts, truth.layout_persons)


def _note_skipped(
    path: Path, layouts: Sequence[LayoutResult], persons: Collection[Person]
) -> Iterator[str]:
    """A note on layouts that the kit passes over."""
    unknown = sum(layout.key not in persons for layout in layouts)
    repeated = len(layouts) - len({layout.key for layout in layouts})
    if unknown or repeated:
        skipped = f"{unknown:,} layouts of unknown persons and {repeated:,} second ones"
        yield f"{path.name}: {skipped} were skipped, as the kit does."
