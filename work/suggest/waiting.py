"""Writing the photographs that wait for annotation, for a detector elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import and_, select

from catalog.at_rest import rests_in
from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image
from vockit.foreign.folder import new_folder, write_file

from .photographs import name_file
from .values import Advance, SuggestionError

IDS_FILE = "images.json"
IS_WAITING = and_(
    rests_in((ImageState.POOL, ImageState.RETURNED)),
    Image.taster.is_(None),
)
"""Images that people have still to annotate and that show suggestions: not for one task alone."""


@dataclass(frozen=True)
class WrittenImages:
    """How many photographs were written, and the numbers of those that the store cannot give."""

    written: int
    lost: tuple[int, ...]


def load_waiting(party: Party) -> list[Image]:
    """The images that people have still to annotate, in the order of their numbers."""
    waiting = select(Image).where(IS_WAITING).order_by(Image.id)
    with party.catalogue.reading() as session:
        return list(session.scalars(waiting))


def write_waiting(
    party: Party, images: Sequence[Image], out: Path, advance: Advance
) -> WrittenImages:
    """Write the images and `images.json` into a new folder.

    images.json has their numbers, sizes and the party's classes as an instances file of COCO.
    Raises SuggestionError where there are none, FolderTakenError, WriteError.
    """
    if not images:
        raise SuggestionError("No photograph waits for annotation, so there is nothing to write.")
    party.store.refuse_inside(out)
    listed: list[dict[str, Any]] = []
    lost: list[int] = []
    with new_folder(out) as folder:
        for image in images:
            advance(1)
            try:
                data = party.store.get(image.sha256)
            except (ImageMissingError, ImageDamagedError):
                lost.append(image.id)
                continue
            name = f"{name_file(image.id, image.sha256)}.jpg"
            write_file(folder, name, data)
            size = {"width": image.width, "height": image.height}
            listed.append({"id": image.id, "file_name": name} | size)
        classes = enumerate(party.preset.class_names, start=1)
        document = {
            "images": listed,
            "categories": [{"id": number, "name": name} for number, name in classes],
            "annotations": [],
        }
        write_file(folder, IDS_FILE, f"{json.dumps(document, indent=1)}\n".encode())
    return WrittenImages(len(listed), tuple(lost))
