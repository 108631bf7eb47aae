"""Where imported objects stood in the files of another tool, and what these say besides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from .session import in_parts
from .tables import Origin

_MOST_IDS = 2_000


class ObjectOrigin(NamedTuple):
    """The tool, where the object stood in its files, and its attributes: text by name.

    `stated` names the fields that the file has for it; the others have an initial value.
    """

    form: str
    place: str
    attributes: Mapping[str, str] = {}
    stated: tuple[str, ...] = ()


def load_origins(session: Session, image_ids: Iterable[int]) -> dict[int, dict[str, ObjectOrigin]]:
    """The origins of imported objects, by their keys, by image; images without any are left out.

    A key stays with its object from revision to revision; one that people drew has another key.
    """
    columns = Origin.image_id, Origin.form, Origin.objects
    origins = defaultdict[int, dict[str, ObjectOrigin]](dict)
    for some_ids in in_parts(sorted(image_ids), _MOST_IDS):
        statement = select(*columns).where(Origin.image_id.in_(some_ids))
        for image_id, form, objects in session.execute(statement).tuples():
            origins[image_id] |= {key: _read(form, value) for key, value in objects.items()}
    return dict(origins)


def _read(form: str, value: Mapping[str, Any]) -> ObjectOrigin:
    attributes = value.get("attributes", {})
    return ObjectOrigin(form, value["place"], attributes, tuple(value.get("stated", ())))
