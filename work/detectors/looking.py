"""Looks for objects in the party's waiting images, and shows twelve of them before any is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.image_store import ImageStore
from catalog.tables import Image, Suggestion, SuggestionBlank, SuggestionSet
from vockit.evaluate.errors import explain_write_errors
from vockit.format.own_files import write_own_files
from vockit.format.plural import format_count
from vockit.viewers.page import Mark, Slide, write_viewer
from vockit.viewers.sets import find_colour
from work.suggest.values import Detection
from work.suggest.waiting import IS_WAITING

from .finder import Finder
from .trained import read_pixels

Item = TypeVar("Item")
SHOWN = 12
"""Pictures that a person sees before suggestions are stored."""


@dataclass(frozen=True)
class WaitingImage:
    """An image that nobody has annotated yet."""

    image_id: int
    sha256: str
    size_wh: tuple[int, int]


@dataclass(frozen=True)
class Look:
    """How to look: with which detector, from which confidence on."""

    finder: Finder
    min_confidence: float

    def find(self, store: ImageStore, waiting: WaitingImage) -> list[Detection]:
        """What is in an image, best first; raises ImageStoreError and ModelError."""
        pixels = read_pixels(store, waiting.sha256)
        detections = self.finder.find(pixels, self.min_confidence)
        names = self.finder.classes
        rows = zip(
            detections.labels.tolist(),
            detections.edges.tolist(),
            detections.confidences.tolist(),
            strict=True,
        )
        return [
            (waiting.image_id, names[label], (left, top, right, bottom), confidence, None)
            for label, (left, top, right, bottom), confidence in rows
        ]


def list_waiting(session: Session, model_sha256: str, min_confidence: float) -> list[WaitingImage]:
    """The images that wait for annotation and that this model has not looked at.

    Where it found nothing of at least a higher confidence, it looks again.
    """
    is_of_model = (SuggestionSet.sha256 == model_sha256, SuggestionSet.withdrawn_at.is_(None))
    has_some = (
        select(Suggestion.id)
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(Suggestion.image_id == Image.id, *is_of_model)
    )
    has_none = (
        select(SuggestionBlank.image_id)
        .join(SuggestionSet, SuggestionSet.id == SuggestionBlank.set_id)
        .where(
            SuggestionBlank.image_id == Image.id,
            SuggestionSet.min_confidence <= min_confidence,
            *is_of_model,
        )
    )
    waiting = select(Image.id, Image.sha256, Image.width, Image.height).order_by(Image.id)
    waiting = waiting.where(IS_WAITING, ~has_some.exists(), ~has_none.exists())
    return [
        WaitingImage(image_id, sha256, (width, height))
        for image_id, sha256, width, height in session.execute(waiting)
    ]


def choose_shown(waiting: Sequence[Item]) -> list[Item]:
    """Twelve of them, evenly over the whole list."""
    places = np.unique(np.linspace(0, len(waiting) - 1, SHOWN).round().astype(int))
    return [waiting[place] for place in places.tolist()] if waiting else []


def write_look(
    folder: Path, title: str, store: ImageStore, rows_of: Mapping[WaitingImage, Sequence[Detection]]
) -> Path:
    """A page of these images with what was found, in a folder with copies of the pictures.

    Raises ForeignFileError where another index.html is there, ImageStoreError and WriteError.
    """
    pictures = {f"{waiting.image_id}.jpg": store.get(waiting.sha256) for waiting in rows_of}
    with explain_write_errors():
        folder.mkdir(parents=True, exist_ok=True)
        write_own_files(folder, pictures, kind="look")
    names = sorted({name for rows in rows_of.values() for _, name, *_ in rows})
    colours = {name: find_colour(place) for place, name in enumerate(names)}
    slides = [
        Slide(
            image_id=str(waiting.image_id),
            picture=folder / f"{waiting.image_id}.jpg",
            size_wh=waiting.size_wh,
            marks=[_mark(row, colours) for row in rows],
            head=format_count(len(rows), "suggestion"),
        )
        for waiting, rows in rows_of.items()
    ]
    return write_viewer(folder, title, slides)


def _mark(row: Detection, colours: Mapping[str, str]) -> Mark:
    _, name, (left, top, right, bottom), confidence, _ = row
    label = f"{name} {confidence:.2f}"
    return Mark((left + 1, top + 1, right, bottom), ("object",), label, label, colours[name])
