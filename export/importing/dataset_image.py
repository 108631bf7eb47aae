"""One image of a labelled dataset on its way into the party, and the report of an import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catalog.licences import Licence, check_option
from vockit.errors import SettingsError
from vockit.foreign.datasets.forms import VOC_TREE
from vockit.foreign.datasets.opening import is_voc_tree
from vockit.foreign.datasets.values import ForeignImage, Note, NoteKind
from vockit.format.plural import format_count
from vockit.format.text import escape_unstorable

from .tree_image import ImportTreeError, TreeImage


class ImportDatasetError(ImportTreeError):
    """The dataset cannot be imported as it was asked for."""


@dataclass(frozen=True)
class DatasetOrder:
    """What to import and how.

    `words` maps the dataset's class names to the party's; one mapped to nothing is left out.
    `year`, `only_known` and `no_owners` are for whole VOC trees alone.
    """

    path: Path
    form: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    name: str | None = None
    licence: str | None = None
    require_licence: bool = False
    is_dry: bool = False
    year: int | None = None
    only_known: bool = False
    no_owners: bool = False

    def is_of_tree(self) -> bool:
        """Whether it is a whole VOC tree, as asked or as the files show."""
        return self.form == VOC_TREE or (self.form is None and is_voc_tree(self.path))

    def find_licence(self, licences: Mapping[str, Licence]) -> Licence | None:
        """The licence of photographs without one, of those; ImportDatasetError."""
        try:
            return check_option(self.licence, licences)
        except SettingsError as error:
            raise ImportDatasetError(str(error)) from error


@dataclass(kw_only=True)
class DatasetImage(TreeImage):
    """An image of a dataset: what its labels say, then its file and rows."""

    foreign: ForeignImage
    notes: Sequence[Note] = ()
    made_of: str = ""  # the format that its picture came in, where that is no JPEG
    was_there: bool = False
    known_digests: frozenset[str] = frozenset()  # of the picture that was there
    outlined: int = 0  # objects that came with an outline
    origins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Where each object stands in the files, and its other attributes, by its key."""

    @property
    def attributed(self) -> int:
        """How many objects came with attributes that VOC lacks."""
        return sum("attributes" in origin for origin in self.origins.values())

    @property
    def origin(self) -> dict[str, str | None]:
        """What the photo's row has of the dataset; no dataset names owners."""
        return {
            "owner_id": None,
            "owner_name": None,
            "page_url": None,
            "title": escape_unstorable(self.foreign.name[:1_000]),
            **self.licence_columns,
        }


COUNTED_RULES = frozenset({"rounded", "attributes", "attributes cut", "flag not said"})
"""Of these notes a report holds the count and the first; a dataset may have one for each object."""


@dataclass
class DatasetReport:
    """What an import took, left out and changed.

    `counts` are of all notes, by kind and rule; `notes` are those that are listed one by one.
    """

    form: str
    name: str
    is_dry: bool
    found: int
    is_accepted: bool  # as it came, instead of waiting for a check
    words: Mapping[str, str | None]
    imported: int = 0
    were_there: int = 0
    objects: Counter[str] = field(default_factory=Counter)
    outlines: int = 0
    attributed: int = 0
    negatives: int = 0
    unlicensed: int = 0
    converted: Counter[str] = field(default_factory=Counter)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    notes: list[Note] = field(default_factory=list)
    unused_words: tuple[str, ...] = ()  # of --map, which no object of the dataset has
    lacking: tuple[str, ...] = ()  # classes of the party that no list of the dataset has
    sets: Counter[str] = field(default_factory=Counter)  # that the dataset's paths name

    def note(self, notes: Sequence[Note]) -> None:
        """Count and keep these notes."""
        for note in notes:
            rule = note.kind.value, note.rule
            if rule not in self.counts or note.rule not in COUNTED_RULES:
                self.notes.append(note)
            self.counts[rule] += note.count

    def add(self, image: DatasetImage) -> None:
        """Count what became of an image."""
        if image.was_there:
            self.were_there += 1
            return
        is_skipped = bool(image.reason)
        # of an image that is skipped nothing was changed
        self.note(
            [note for note in image.notes if not (is_skipped and note.kind is NoteKind.CHANGED)]
        )
        if image.reason:
            self.skipped.append((image.foreign.place, image.reason))
            return
        self.imported += 1
        if image.foreign.set_name:
            self.sets[image.foreign.set_name] += 1
        self.objects.update(item.class_name for item in image.objects)
        self.outlines += image.outlined
        self.attributed += image.attributed
        self.negatives += not image.objects
        self.unlicensed += image.licence is None
        if image.made_of:
            self.converted[image.made_of] += 1


def describe(image: DatasetImage, form: str) -> str:
    """Where the image's annotation came from and what was changed, for its revision."""
    changed = [f"{note.place}: {note.message}" for note in image.notes][:_MOST_CHANGES]
    more = len(image.notes) - len(changed)
    lines = [f"Imported from {form}: {image.foreign.place}.", *changed]
    if more:
        lines.append(f"{format_count(more, 'more note')}.")
    return escape_unstorable("\n".join(lines))


_MOST_CHANGES = 20
