"""Who stands for the import of a tree or of labels: their rows are the makers' work, not ours."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from .states import Source
from .tables import Person, Query

_MOST_NAME_CHARS = 100


def import_name(tree_name: str) -> str:
    """The name of the person who stands for the import of a tree or of labels."""
    return f"import {tree_name}"[:_MOST_NAME_CHARS]


def load_imports(session: Session) -> dict[int, str]:
    """By the ids of the people who stand for an import the names of what was imported."""
    is_import = Query.source.in_((Source.VOC, Source.DATASET))
    trees = session.scalars(select(Query.keyword).where(is_import))
    names = {import_name(name): name for name in trees}
    people = select(Person.id, Person.name).where(Person.name.in_(names))
    rows = session.execute(people.where(Person.ended_at.is_not(None))).tuples()
    return {person_id: names[name] for person_id, name in rows}
