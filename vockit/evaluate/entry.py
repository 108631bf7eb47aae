"""An entry: what a folder of results holds for a set, read and judged by its form.

Nothing is scored here, and no label of the set is needed: `evaluate` scores what this reads, and
`check-results` says what this remarks, so that both give one verdict.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from vockit.foreign.identity import RELEASE_FILE
from vockit.format import tree
from vockit.format.plural import format_count
from vockit.format.release_digest import find_release_digest

from .coco_results import NO_IDS, CocoIds, read_coco_results
from .curves import Floats, Ints, Rules
from .errors import ChoiceError, EvaluateError, Problem, SubmissionError
from .layout import LayoutResult
from .metrics import Detections
from .results import COMPETITIONS, Rows, read_layouts, read_rows
from .truth import Truth

Key = TypeVar("Key", bound=Hashable)
Person = tuple[str, int]
"""An image and the number of an object in it."""
Require = Callable[[Truth, str], None]
"""Raises EvaluateError where a tree cannot score a task, before files of that task are read."""


@dataclass(frozen=True)
class Selection:
    """What to score, everything if empty, and the least confidence of detections in masks."""

    competitions: Collection[str] = ()
    classes: Collection[str] = ()
    least_confidence: float = -np.inf

    def wants(self, competition: str, name: str | None = None) -> bool:
        """Whether a competition, and a class in it, is to be scored."""
        is_wanted = not self.competitions or competition in self.competitions
        return is_wanted and (name is None or not self.classes or name in self.classes)


ALL = Selection()


@dataclass(frozen=True)
class Rated(Generic[Key]):
    """The listed items of a class in order, with an entry's confidences.

    `labels` is None where the tree has no label file of the class.
    """

    items: Mapping[Key, int]
    labels: Ints | None
    confidences: Floats
    left_out: int = 0
    """Rows of what was not asked, which are judged neither way."""


@dataclass
class Entry:
    """What was read of a participant's results, and what is wrong with it.

    What each task holds is by competition, then by class. `masks` are the folders of class masks.
    `notes` say what was read with care. `missing` are the classes that were asked for and have no
    file that can be read, by competition. `rows` are those of text files, `unknown_rows` those of
    items that the set does not list.
    """

    truth: Truth
    results: Path
    selection: Selection
    require: Require
    classification: dict[str, dict[str, Rated[str]]] = field(default_factory=dict)
    detection: dict[str, dict[str, Detections]] = field(default_factory=dict)
    action: dict[str, dict[str, Rated[Person]]] = field(default_factory=dict)
    layout: dict[str, Sequence[LayoutResult]] = field(default_factory=dict)
    masks: dict[str, Path] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: dict[str, list[str]] = field(default_factory=dict)
    rows: int = 0
    unknown_rows: int = 0
    withdrawn: Counter[str] = field(default_factory=Counter)
    """The rows on each image that was withdrawn from the release since; they are left out."""

    def is_withdrawn(self, image_id: str) -> bool:
        """Whether an image that is not listed was withdrawn since; counts the row if so."""
        is_gone = image_id in self.truth.identity.withdrawn
        self.withdrawn[image_id] += is_gone
        return is_gone

    def note_withdrawn(self) -> None:
        """Note how many rows were left out, if any."""
        rows = self.withdrawn.total()
        gone = sum(count > 0 for count in self.withdrawn.values())
        if rows:
            self.notes.append(
                f"{format_count(gone, 'image')} of these results {'was' if gone == 1 else 'were'} "
                f"withdrawn from {self.truth.root.resolve().name} since; what is said of them was "
                f"left out ({format_count(rows, 'row')})."
            )

    @property
    def competitions(self) -> list[tuple[str, str]]:
        """Task and competition of all that there is to score."""
        tasks = ("classification", "detection", "action", "layout")
        listed = [(task, name) for task in tasks for name in getattr(self, task)]
        return listed + [("segmentation", name) for name in self.masks]

    def note_unreadable(self, path: Path, consequence: str) -> None:
        """Note that something of that name is no file that can be read, and what follows."""
        kind = "a link that leads nowhere" if not path.exists() else "no regular file"
        self.notes.append(f"{path.name} was not scored: it is {kind}; {consequence}.")

    def layout_path(self, competition: str) -> Path:
        """Where the layouts of a competition are."""
        ending = "_person" if self.truth.rules is Rules.VOC2007 else ""
        name = f"{competition}_layout_{self.truth.image_set}{ending}.xml"
        return self.results / "Layout" / name

    def refuse_faults(self) -> None:
        """Raise SubmissionError with all problems, or EvaluateError where nothing is to score."""
        if self.problems:
            raise SubmissionError(self.problems, self._guess_reason())
        if not self.competitions:
            reason = _nothing_found(self.truth, self.results, self.selection)
            raise EvaluateError(" ".join([reason, *self.notes, self._guess_reason()]).strip())

    def _guess_reason(self) -> str:
        """A sentence on results that seem to be made for something else; else no text."""
        name = self.results.resolve().name
        if tree.TREE_NAME.fullmatch(name) and name != self.truth.root.resolve().name:
            return (
                f"The folder is named {name}, but the tree {self.truth.root.resolve().name}: are "
                "these the results of another year?"
            )
        if self.rows and self.rows == self.unknown_rows:
            return (
                f"No row names an image of the set {self.truth.image_set}: are these results for "
                "another release or another set?"
            )
        return ""


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
        raise ChoiceError(f"No results in {results}; name the folder or file that holds them.")
    _refuse_unknown_words(truth, selection)
    _refuse_other_release(truth, results)
    entry = Entry(truth, results, selection, require)
    if is_coco:
        _read_coco(entry, coco_ids)
    else:
        _read_folder(entry)
    entry.note_withdrawn()
    return entry


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


def find_other_release(truth: Truth, results: Path) -> str | None:
    """The release that results say they were made for, where that is not the one of `truth`.

    One from which images were withdrawn since is the same: it keeps the digest that it had.
    """
    path = results / RELEASE_FILE
    if not path.is_file():
        return None
    words = path.read_text("utf-8", "replace").split()
    name = truth.root.resolve().name
    is_named = words[:1] == [name] and len(words) > 1
    if is_named and words[1] in (find_release_digest(truth.root), truth.identity.digest):
        return None
    return words[0][:60] if words and words[0] != name else f"another release named {name}"


def _nothing_found(truth: Truth, results: Path, selection: Selection) -> str:
    if results.is_file():
        return f"{results} holds no detection of the classes that were asked for."
    pattern = re.compile(r"(comp\d+)_(?:(?:cls|det|action|layout)_)?([^_.]+)")
    matches = [pattern.match(path.stem) for path in sorted(results.glob("*/*"))]
    there = ""
    if others := sorted({match[2] for match in matches if match} - {truth.image_set}):
        there = f" There are files of {', '.join(others)}; choose with --set."
    names = {match[1] for match in matches if match and match[2] == truth.image_set}
    if selection.competitions and (others := sorted(names.difference(selection.competitions))):
        there = f" There are files of {', '.join(others)}; choose with --competition."
        chosen = ", ".join(sorted(selection.competitions))
        return f"{results} holds no results of {chosen} for the set {truth.image_set}.{there}"
    return (
        f"{results} holds no results for the set {truth.image_set}; expected files such as "
        f"Main/comp3_det_{truth.image_set}_person.txt.{there}"
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


def _read_classification(entry: Entry, competition: str) -> None:
    truth = entry.truth
    files = _find_files(entry, competition, "cls", truth.classes)
    if files:
        entry.require(truth, "classification")
    for name, path in files:
        images, labels = truth.class_items(name)
        rows = read_rows(path, 1)
        tell = _unknown_image(truth)
        confidences, left_out = _take_confidences(
            entry, rows, rows.ids, images, truth.images_and_tasters, tell
        )
        rated = Rated(images, labels, confidences, left_out)
        entry.classification.setdefault(competition, {})[name] = rated


def _read_action(entry: Entry, competition: str) -> None:
    truth = entry.truth
    files = _find_files(entry, competition, "action", truth.actions)
    if files:
        entry.require(truth, "action")
    for name, path in files:
        persons, labels = truth.action_items(name)
        rows = read_rows(path, 2)
        numbers = (
            int(number) if number.is_integer() else -1 for number in rows.numbers[:, 0].tolist()
        )
        keys = list(zip(rows.ids, numbers, strict=True))
        confidences, left_out = _take_confidences(
            entry, rows, keys, persons, truth.action_persons, _tell_person
        )
        rated = Rated(persons, labels, confidences, left_out)
        entry.action.setdefault(competition, {})[name] = rated


def _tell_person(key: Person) -> str:
    return f"expected a person that Action lists, got {key[0][:60]} {key[1]}"


def _take_confidences(
    entry: Entry,
    rows: Rows,
    keys: list[Key],
    numbers: Mapping[Key, int],
    unasked: Container[Key],
    tell: Callable[[Key], str],
) -> tuple[Floats, int]:
    """The confidence of each listed item: that of its last row, -inf without any.

    Also how many rows are of `unasked` items that are not listed. Others are problems.
    """
    confidences = np.full(len(numbers), -np.inf)
    left_out = 0
    entry.problems += rows.problems
    entry.rows += len(keys)
    for line, key, values in zip(rows.lines, keys, rows.numbers, strict=True):
        if (number := numbers.get(key)) is not None:
            confidences[number] = values[-1]
        elif key in unasked:
            left_out += 1
        elif entry.is_withdrawn(str(key[0] if isinstance(key, tuple) else key)):
            continue
        else:
            entry.unknown_rows += 1
            entry.problems.append(Problem(rows.path, int(line), tell(key)))
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
