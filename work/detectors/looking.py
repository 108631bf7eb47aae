"""Looks for objects in the party's waiting images, and shows twelve of them before any is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.box import Box
from catalog.image_store import ImageStore
from catalog.states import ImageState
from catalog.tables import Image, Suggestion, SuggestionSet
from vockit.format.own_files import write_own_files
from vockit.viewers.page import Mark, Slide, write_viewer
from vockit.viewers.sets import find_colour

from .finder import Finder
from .kinds import Detections
from .trained import read_pixels

SHOWN = 12
"""Pictures that a person sees before suggestions are stored."""
MOST_BOXES = 200
"""Of one image; what a page shows."""


@dataclass(frozen=True)
class WaitingImage:
    """An image that nobody has annotated yet."""

    image_id: int
    sha256: str
    size_wh: tuple[int, int]


@dataclass(frozen=True)
class FoundBox:
    """A box that a detector found, in whole pixels from 1 with both ends inside."""

    image_id: int
    class_name: str
    box: Box
    confidence: float


@dataclass(frozen=True)
class Look:
    """How to look: with which detector, from which confidence on, and whose class is which of ours.

    `classes` has an empty name for a class that the party leaves out.
    """

    finder: Finder
    classes: Mapping[str, str]
    min_confidence: float

    def find(self, store: ImageStore, waiting: WaitingImage) -> list[FoundBox]:
        """The best boxes of an image; raises ImageStoreError and ModelError."""
        pixels = read_pixels(store, waiting.sha256)
        found = self.finder.find(pixels, self.min_confidence)
        return list(self._name(found, waiting))[:MOST_BOXES]

    def _name(self, found: Detections, waiting: WaitingImage) -> Iterator[FoundBox]:
        names = [self.classes.get(name, "") for name in self.finder.classes]
        rows = zip(found.edges, found.confidences.tolist(), found.labels.tolist(), strict=True)
        for edges, confidence, label in rows:
            if names[label]:
                box = _as_box(edges.tolist(), waiting.size_wh)
                yield FoundBox(waiting.image_id, names[label], box, min(confidence, 1.0))


def _as_box(edges: Sequence[float], size_wh: tuple[int, int]) -> Box:
    """The whole pixels between edges, at least one, inside the image."""
    left, top, right, bottom = (round(edge) for edge in edges)
    xmin, ymin = min(left + 1, size_wh[0]), min(top + 1, size_wh[1])
    xmax = max(xmin, min(right, size_wh[0]))
    ymax = max(ymin, min(bottom, size_wh[1]))
    return Box(xmin, ymin, xmax, ymax)


def list_waiting(session: Session, model_sha256: str) -> list[WaitingImage]:
    """The images that wait for annotation and have no suggestion of this model."""
    has_some = (
        select(Suggestion.id)
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(
            Suggestion.image_id == Image.id,
            SuggestionSet.sha256 == model_sha256,
            SuggestionSet.withdrawn_at.is_(None),
        )
    )
    waiting = select(Image.id, Image.sha256, Image.width, Image.height).order_by(Image.id)
    waiting = waiting.where(Image.state == ImageState.POOL, ~has_some.exists())
    return [
        WaitingImage(image_id, sha256, (width, height))
        for image_id, sha256, width, height in session.execute(waiting)
    ]


def choose_shown(waiting: Sequence[WaitingImage]) -> list[WaitingImage]:
    """Twelve of them, evenly over the whole list."""
    places = np.unique(np.linspace(0, len(waiting) - 1, SHOWN).round().astype(int))
    return [waiting[place] for place in places.tolist()] if waiting else []


def write_look(
    folder: Path, title: str, store: ImageStore, found: Mapping[WaitingImage, Sequence[FoundBox]]
) -> Path:
    """A page of these images with their boxes in a folder, with copies of the pictures.

    Raises ForeignFileError where another index.html is there, ImageStoreError and WriteError.
    """
    names = sorted({box.class_name for boxes in found.values() for box in boxes})
    colours = {name: find_colour(place) for place, name in enumerate(names)}
    pictures = {f"{waiting.image_id}.jpg": store.get(waiting.sha256) for waiting in found}
    folder.mkdir(parents=True, exist_ok=True)
    write_own_files(folder, pictures, kind="look")
    slides = list[Slide]()
    for waiting, boxes in found.items():
        marks = [
            Mark(
                box.box.xyxy,
                ("object",),
                f"{box.class_name} {box.confidence:.2f}",
                colour=colours[box.class_name],
            )
            for box in boxes
        ]
        head = f"{len(boxes)} suggestion{'' if len(boxes) == 1 else 's'}"
        picture = folder / f"{waiting.image_id}.jpg"
        slides.append(Slide(str(waiting.image_id), picture, waiting.size_wh, marks, head))
    return write_viewer(folder, title, slides)
