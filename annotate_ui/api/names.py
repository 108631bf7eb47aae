"""Names of people and words of the dataset, as answers hold them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, model_validator

from catalog.sentences import name_term
from catalog.tables import Person
from web.language import translate
from work.people import display_name

from .schemas import Answer

Term = Annotated[str, AfterValidator(lambda word: translate(name_term(word)))]
"""A word of the party's preset or of the checks, in the language of the request."""


def show_name(person: Person) -> str:
    """The person's name as pages show it, in the language of the request."""
    return translate(display_name(person))


class PersonName(Answer):
    """A person as others see them; made of a row or of these fields."""

    id: int
    name: str

    @model_validator(mode="before")
    @classmethod
    def _read_row(cls, row: Any) -> Any:
        return {"id": row.id, "name": show_name(row)} if isinstance(row, Person) else row


class Word(Answer):
    """A word of the dataset by its id, and how people read it."""

    id: str
    display: Term
