"""An entry: what was read of a participant's results, and what is wrong with it.

Nothing is scored here, and no label of the set is needed: `evaluate` scores what an entry holds,
and `check-results` says what it remarks, so that both give one verdict.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from vockit.foreign.identity import RELEASE_FILE
from vockit.format import tree
from vockit.format.plural import format_count
from vockit.format.release_digest import find_release_digest

from .curves import Floats, Ints, Rules
from .errors import EvaluateError, Problem, SubmissionError
from .layout import LayoutResult
from .metrics import Detections
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


def _nothing_found(truth: Truth, results: Path, selection: Selection) -> str:
    if results.is_file():
        return f"{results} holds no detection of the classes that were asked for."
    pattern = re.compile(r"(comp\d+)_(?:(?:cls|det|action|layout)_)?([^_.]+)")
    matches = [pattern.match(path.stem) for path in sorted(results.glob("*/*"))]
    there = ""
    if inner := next(iter(sorted(results.glob("*/Main"))), None):
        there = f" There are results in {inner.parent}; name that folder."
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
