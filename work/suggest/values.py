"""What a detector says, as plain values, and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from catalog.states import SuggestionKind
from vockit.errors import SettingsError

Floats = NDArray[np.float64]
Advance = Callable[[int], None]
Watch = Callable[[str, int, str], AbstractContextManager[Advance]]
"""Shows progress: a label, the total and its unit."""

AT_ONCE = 20_000
"""Detections that are judged, and stored under the write lock, together."""
_MOST_CHARS = {"model": 200, "version": 100, "licence": 200}


class SuggestionError(SettingsError):
    """A set of suggestions, or the way it was named, cannot be used; nothing was stored."""


@dataclass(frozen=True, slots=True)
class Mask:
    """The pixels of a detection: `counts` is COCO's compressed RLE of a mask of this size."""

    height_px: int
    width_px: int
    counts: str


@dataclass(frozen=True, slots=True)
class Polygons:
    """The outline of a detection: polygons, each flat as x0, y0, x1, y1, ..., of any photograph."""

    rings: Sequence[Sequence[float]]

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of them all."""
        across = [x for ring in self.rings for x in ring[::2]]
        down = [y for ring in self.rings for y in ring[1::2]]
        return min(across), min(down), max(across), max(down)


Part = tuple[str, tuple[float, float, float, float]]
"""The detector's word for a part, and its edges as those of its detection."""


@dataclass(frozen=True)
class Detections:
    """Some detections, column by column.

    `images` are numbers of images, or names of their files; `classes` are the detector's words.
    `edges` (n x 4) are left, top, right and bottom in pixels from the picture's corner or, with
    `is_share`, in shares of its width and height. `faults` counts what could not be read, by
    reason. Parts are those of each detection.
    """

    images: Sequence[int | str]
    classes: Sequence[str]
    edges: Floats
    confidences: Floats
    masks: Sequence[Mask | Polygons | None] | None = None
    parts: Sequence[Sequence[Part]] | None = None
    is_share: bool = False
    faults: Mapping[str, int] = field(default_factory=dict)


Detection = tuple[int | str, str, tuple[float, float, float, float], float, Mask | None]
"""Image, class, edges as Detections has them, confidence, pixels."""


def gather(rows: Iterable[Detection]) -> Iterator[Detections]:
    """Single detections, gathered as `add_set` takes them."""
    rows = iter(rows)
    while some := list(islice(rows, AT_ONCE)):
        images, classes, edges, confidences, masks = zip(*some, strict=True)
        yield Detections(
            images=images,
            classes=classes,
            edges=np.array(edges, np.float64).reshape(-1, 4),
            confidences=np.array(confidences, np.float64),
            masks=masks if any(masks) else None,
        )


@dataclass(frozen=True, kw_only=True)
class SetInfo:
    """Who suggests: a version of a model; `sha256` is the digest of the file, or of the model.

    `replaces_earlier` sets of the model, which people do not see any more once this one is loaded.
    """

    model: str
    version: str
    sha256: str
    kind: SuggestionKind = SuggestionKind.FILE
    licence: str | None = None
    person_id: int | None = None
    min_confidence: float = 0.0
    replaces_earlier: bool = False

    def __post_init__(self) -> None:
        """Raise SuggestionError for a name that no table or sentence could show."""
        for name, most in _MOST_CHARS.items():
            text = getattr(self, name)
            if text is None:
                continue
            if not (text.strip() and len(text) <= most):
                chars = len(text.strip())
                raise SuggestionError(f"The {name} must have 1 to {most} characters, not {chars}.")
            if not text.isprintable():
                raise SuggestionError(f"The {name} must be one line of printable characters.")


@dataclass
class LoadReport:
    """What came of a set: what was stored, what was left out and changed, by reason.

    `images` have suggestions; in `blanks` the model looked at as many more and found nothing.
    `first` has for each reason what it was first true of.
    """

    set_id: int = 0
    read: int = 0
    suggestions: int = 0
    images: int = 0
    blanks: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    unknown_classes: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
