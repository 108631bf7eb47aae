"""One annotation file as values: what the XML says, and remarks on what is not as the norm says.

What a file does not have is None here; a record knows nothing of the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass

NO_BOM = "expected no BOM (byte order mark), which the development kit cannot read"
Number = int | float
"""A coordinate; an integer wherever the value is whole."""


@dataclass(frozen=True, slots=True)
class VocBox:
    """A bndbox: 1-based, both ends inside; nothing is checked, so that any file can be told."""

    xmin: Number
    ymin: Number
    xmax: Number
    ymax: Number


@dataclass(frozen=True, slots=True)
class VocPoint:
    """A point on the body (the action images of 2011 and 2012)."""

    x: Number
    y: Number


@dataclass(frozen=True, slots=True)
class VocPart:
    """A head, hand or foot with its own box."""

    name: str
    box: VocBox


@dataclass(frozen=True, slots=True)
class VocAction:
    """Whether an object performs one action."""

    name: str
    is_performed: bool


@dataclass(frozen=True, slots=True)
class VocObject:
    """One annotated instance; `actions` is None where the file does not say."""

    name: str
    box: VocBox
    pose: str | None = None
    truncated: bool | None = None
    occluded: bool | None = None
    difficult: bool | None = None
    parts: tuple[VocPart, ...] = ()
    actions: tuple[VocAction, ...] | None = None
    point: VocPoint | None = None


@dataclass(frozen=True, slots=True)
class VocSource:
    """Where photograph and annotation came from; `flickrid` is in the release of 2007 only."""

    database: str | None = None
    annotation: str | None = None
    image: str | None = None
    flickrid: str | None = None


@dataclass(frozen=True, slots=True)
class VocOwner:
    """Who took the photograph (the release of 2007 only)."""

    flickrid: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class VocSize:
    """The photograph's pixels and colour components."""

    width: Number
    height: Number
    depth: Number | None = None


@dataclass(frozen=True, slots=True)
class VocImage:
    """One annotation file; objects stand in the annotators' order, which is significant."""

    filename: str
    objects: tuple[VocObject, ...]
    folder: str | None = None
    source: VocSource | None = None
    owner: VocOwner | None = None
    size: VocSize | None = None
    segmented: bool | None = None


@dataclass(frozen=True, order=True)
class Remark:
    """One deviation: the line (from 1), the rule's short name and a sentence on it."""

    line: int
    rule: str
    message: str


class Remarks:
    """Remarks as they are found; the same remark is kept once."""

    def __init__(self) -> None:
        self._found: dict[Remark, None] = {}

    def add(self, line: int, rule: str, message: str) -> None:
        """Keep one more remark."""
        self._found.setdefault(Remark(line, rule, message))

    def sorted(self) -> tuple[Remark, ...]:
        """All remarks, by line."""
        return tuple(sorted(self._found))
