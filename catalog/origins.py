"""Where imported objects stood in the files of another tool, and what these say besides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from .session import in_parts
from .tables import Annotation, Origin, Person

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


def describe_imports(session: Session, image_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """What is known of the import of each image, as JSON has it: who, when, tool, place, objects.

    Images that were not imported with labels of another tool are left out.
    """
    rows = select(Origin, Annotation.saved_at, Person.name)
    rows = rows.join(Annotation, Annotation.id == Origin.annotation_id)
    rows = rows.join(Person, Person.id == Annotation.person_id)
    imports: dict[int, dict[str, Any]] = {}
    for some_ids in in_parts(sorted(image_ids), _MOST_IDS):
        of_images = rows.where(Origin.image_id.in_(some_ids)).order_by(Origin.annotation_id)
        for origin, at, name in session.execute(of_images).tuples():
            imports[origin.image_id] = {
                "person": name,
                "at": at.isoformat(),
                "revision": origin.annotation_id,
                "tool": origin.form,
                "place": origin.place,
                "objects": origin.objects,
            }
    return imports


def _read(form: str, value: Mapping[str, Any]) -> ObjectOrigin:
    attributes = value.get("attributes", {})
    return ObjectOrigin(form, value["place"], attributes, tuple(value.get("stated", ())))
