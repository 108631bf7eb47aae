"""What a dataset of another tool holds, as plain values, and what is wrong with it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from vockit.errors import SettingsError

_SET_WORD = r"(train|valid|validation|val|test2?)(?:20\d\d)?"
_SET = re.compile(
    rf"(?:^|/){_SET_WORD}/|(?:^|[/_-]){_SET_WORD}(?:\.json, |-annotations)", re.IGNORECASE
)
"""A folder, or a table of many pictures; a picture called train-7.jpg may show a train."""
_SET_NAMES = {"valid": "val", "validation": "val"}
Corner = tuple[float, float]
"""A place in pixels from the left and the upper edge of the picture."""


class DatasetError(SettingsError):
    """The dataset, or the way it was named, cannot be read at all."""


NO_PICTURE = "its picture is not in the folder, or several are called so"


class NoteKind(StrEnum):
    """What became of something that does not come in as its file has it."""

    FILE = "file left out"
    IMAGE = "image skipped"
    OBJECT = "object left out"
    CHANGED = "changed"
    NOT_KEPT = "not kept"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that does not come in as its file has it; `rule` is the same for all of its sort.

    `place` is the file, and the line or the id in it. `count` says of how many things it speaks.
    """

    kind: NoteKind
    rule: str
    place: str
    message: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignObject:
    """One object as its file has it.

    `edges` are left, top, right and bottom in pixels, None where the rings alone tell the box.
    `rings` have their corners on the edges of pixels. With `joins_rings` the object is all that
    one of them holds, else what an odd count of them holds. `said` is the box in the file's words.
    `group_of` says that it is a box around a group, which is difficult too.
    `stated` names the flags that the file has for the object, so that no is told from not said.
    """

    key: str
    place: str
    class_name: str
    edges: tuple[float, float, float, float] | None = None
    rings: tuple[tuple[Corner, ...], ...] = ()
    joins_rings: bool = True
    said: str = ""
    truncated: bool = False
    occluded: bool = False
    difficult: bool = False
    group_of: bool = False
    view: str = ""
    stated: frozenset[str] = frozenset()
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignImage:
    """One image as the dataset names it; `reason` says why it cannot be read.

    `name` is the picture's path in the dataset. `size_wh` is what the file says, in pixels. Where
    `is_labelled` is false, nobody says what the image shows: without objects it is no negative.
    """

    name: str
    place: str
    picture: Path | None = None
    size_wh: tuple[int, int] | None = None
    objects: tuple[ForeignObject, ...] = ()
    notes: tuple[Note, ...] = ()
    licence: str | None = None
    reason: str | None = None
    is_labelled: bool = True

    @property
    def set_name(self) -> str:
        """The set that a folder of its picture or labels, or its table, names; empty for none."""
        match = _SET.search(self.name) or _SET.search(self.place)
        word = (match[1] or match[2]).lower() if match else ""
        return _SET_NAMES.get(word, word)


class ForeignDataset(ABC):
    """A dataset that was opened: what is known before its images are read.

    `words` counts the objects of each class. `listed` are the classes that every one of its images
    was searched for, as its files list them, None where they have no list. `notes` tell what of the
    whole is left out.
    """

    form: str
    root: Path

    def __init__(self) -> None:
        self.words = Counter[str]()
        self.listed: frozenset[str] | None = None
        self.notes: list[Note] = []

    @property
    def searched(self) -> frozenset[str]:
        """The classes that its images were searched for: those listed, else those of objects."""
        return frozenset(self.words) if self.listed is None else self.listed

    @abstractmethod
    def count_images(self) -> int:
        """How many images `iterate_images` gives."""

    @abstractmethod
    def iterate_images(self) -> Iterator[ForeignImage]:
        """Each image once, in an order that is the same each time."""

    def _make_whole(
        self,
        name: str,
        place: str,
        size_wh: tuple[int, int] | None,
        objects: Iterable[ForeignObject | None],
        notes: Iterable[Note],
        **more: Any,
    ) -> ForeignImage:
        """The image whose picture has this path in the dataset, with those objects that are any."""
        return ForeignImage(
            name=name,
            place=place,
            picture=self.root / name,
            size_wh=size_wh,
            objects=tuple(item for item in objects if item is not None),
            notes=tuple(notes),
            **more,
        )

    def close(self) -> None:
        """Give back what the reading holds."""
        return
