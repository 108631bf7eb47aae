"""Results of a detector, loaded by the command, and what is stored then."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from sqlalchemy import select

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image, Suggestion, SuggestionBlank, SuggestionSet
from tests.rows import make_image
from tests.suggesting import NOON
from vocparty import main
from work.suggest.photographs import name_file

Row = tuple[int, str, tuple[int, int, int, int], float]


def add_image(party: Party, number: int = 1, state: ImageState = ImageState.POOL) -> Image:
    """A new image of 500 x 375 pixels without a file."""
    with party.catalogue.writing() as session:
        image = make_image(digest_of(f"picture {number}".encode()), NOON, state=state)
        session.add(image)
    return image


def name_of(image: Image) -> str:
    return f"{name_file(image.id, image.sha256)}.jpg"


def run(party: Party, *words: str) -> Result:
    return CliRunner().invoke(main, ["suggest", *words, "--party", str(party.folder)])


def load(party: Party, path: Path, *words: str) -> Result:
    return run(party, "load", str(path), "--model", "net", "--version", "1", *words)


def write_coco(path: Path, entries: Sequence[Any]) -> Path:
    path.write_text(json.dumps(entries))
    return path


def entry(image: Image, box: Sequence[float] = (47, 239, 148, 132), **more: Any) -> dict[str, Any]:
    of_image = {"image_id": name_of(image), "category_id": "person", "bbox": list(box)}
    return of_image | {"score": 0.9} | more


def read_rows(party: Party) -> list[Row]:
    with party.catalogue.reading() as session:
        rows = session.scalars(select(Suggestion).order_by(Suggestion.id))
        return [(row.image_id, row.class_name, row.box.xyxy, row.confidence) for row in rows]


def read_sets(party: Party) -> list[SuggestionSet]:
    with party.catalogue.reading() as session:
        return list(session.scalars(select(SuggestionSet).order_by(SuggestionSet.id)))


def boxed(tag: str, name: str, corners: Sequence[int], inner: str = "") -> str:
    names = ("xmin", "ymin", "xmax", "ymax")
    sides = "".join(f"<{key}>{side}</{key}>" for key, side in zip(names, corners, strict=True))
    return f"<{tag}><name>{name}</name><bndbox>{sides}</bndbox>{inner}</{tag}>"


def write_voc(folder: Path, image: Image, objects: Sequence[str]) -> Path:
    folder.mkdir()
    stem = name_of(image).removesuffix(".jpg")
    text = f"<annotation><filename>{stem}.jpg</filename>{''.join(objects)}</annotation>"
    (folder / f"{stem}.xml").write_text(text)
    return folder


def read_blanks(party: Party) -> list[int]:
    with party.catalogue.reading() as session:
        return list(session.scalars(select(SuggestionBlank.image_id).order_by("image_id")))
