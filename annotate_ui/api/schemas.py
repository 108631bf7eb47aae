"""The bodies that the JSON interface takes, read strictly, and routes that say what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partialmethod, wraps
from inspect import signature
from types import GenericAlias
from typing import Annotated, Any, TypeVar, get_origin, get_type_hints

from flask import Blueprint, request
from flask.wrappers import Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from sqlalchemy.orm import Mapped
from werkzeug.routing import IntegerConverter, Map

from catalog import tables
from catalog.refusals import InvalidError, MalformedError, expect_one_of, refuse
from catalog.states import Role
from catalog.tables.base import MAX_ID as MAX_ID
from web.guard import allowed
from web.opened_for import OpenedFor
from work.bodies import Body
from work.visit import Visit

_WHOLE_FIELDS = ("box", "point")  # a wrong corner is told as a wrong box
_PLAIN = {
    "missing": "expected a value, got none",
    "extra_forbidden": "there is no such field",
    "string_pattern_mismatch": "expected letters A-Z, digits and '-' only",
    "model_type": "expected an object with fields",
}


Base = Annotated[int, Field(ge=0, le=MAX_ID)]
"""The version of a setting that a change started from; 0 where it was never set."""


class Told(BaseModel):
    """What all answers share: no field that is not described."""

    model_config = ConfigDict(extra="forbid")


def shape(called: str, base: type[Told] = Told, /, **fields: Any) -> type[Told]:
    """The description of an answer, as in `"Name: what it is."`: fields with their types.

    `[of]` is a list of such, `(of, default)` may be left out, and `class_` is the field "class".
    """
    name, _, doc = called.partition(": ")
    wanted: dict[str, Any] = {}
    for field, of in fields.items():
        kind, default = of if isinstance(of, tuple) else (of, ...)
        many = GenericAlias(list, *kind) if isinstance(kind, list) else kind
        wanted[field.rstrip("_")] = (many, default)
    return create_model(name, __base__=base, __doc__=doc[:1].upper() + doc[1:], **wanted)


def each(kind: Any, names: str) -> dict[str, Any]:
    """Fields of a shape that have the same type."""
    return dict.fromkeys(names.split(), kind)


def like(row: type, names: str) -> dict[str, Any]:
    """Fields of a shape with the types that they have in a table or a dataclass."""
    hints = get_type_hints(row, localns=vars(tables))
    found = {name: hints[name] for name in names.split()}
    return {name: it.__args__[0] if get_origin(it) is Mapped else it for name, it in found.items()}


B = TypeVar("B", bound=Body)


def parse_body(model: type[B], data: bytes) -> B:
    """The body that the bytes hold; an empty one counts as `{}`.

    Raises MalformedError where they are not JSON and InvalidError for the first wrong field.
    """
    try:
        return model.model_validate_json(data.strip() or b"{}")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "json_invalid":
            raise MalformedError(f"The body is not JSON: {first['ctx']['error']}.") from error
        whole = (at for at, part in enumerate(first["loc"], start=1) if part in _WHOLE_FIELDS)
        field = ".".join(map(str, first["loc"][: next(whole, None)]))
        message = _PLAIN.get(first["type"]) or first["msg"]
        said = f"{field or 'The body'} is wrong: {message[:1].lower()}{message[1:]}."
        raise InvalidError(said, field=field or None) from error


def parse_number(
    args: Mapping[str, str], name: str, *, least: int = 0, most: int = MAX_ID
) -> int | None:
    """The number that a query string gives, or None; raises InvalidError for anything else."""
    word = args.get(name)
    if word is None:
        return None
    if not (word.isascii() and word.isdecimal() and len(word) < 11 and least <= int(word) <= most):
        refuse(name, f"expected a number from {least} to {most}")
    return int(word)


def parse_choice(args: Mapping[str, str], name: str, words: Iterable[str]) -> str | None:
    """The word that a query string gives, or None; raises InvalidError for one not expected."""
    word, known = args.get(name), tuple(words)
    if word is not None and word not in known:
        refuse(name, expect_one_of(known, word))
    return word


def _add_opened_for(model: type[Body]) -> type[Body]:
    """The body as it is sent: also with the person and party that its page was opened for."""
    opened: dict[str, Any] = {"opened_for": (OpenedFor, Field(exclude=True))}
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **opened)


Reply = dict[str, Any] | Response | tuple[dict[str, Any], int]
View = Callable[..., Reply]


class IdConverter(IntegerConverter):
    """`<int:...>` of an address: a number that fits the catalogue's columns."""

    def __init__(self, url_map: Map) -> None:
        super().__init__(url_map, max=MAX_ID)


class Routes(Blueprint):
    """The routes of one noun, for organisers and the roles that each names.

    A view gets the visit, the numbers of its address and what was sent: as `body`, whose type says
    how it is read, or each field as a keyword-only argument. Without either nothing may be sent.
    `told` is what it answers: a model, the fields of one (none: `{}`), or str for a table as CSV.
    """

    def _on(
        self,
        method: str,
        rule: str,
        *roles: Role,
        only_reads: bool = False,
        told: type[Told] | type[str] | dict[str, Any] = {},  # noqa: B006  only read
    ) -> Callable[[View], View]:
        def register(view: View) -> View:
            hints = get_type_hints(view, include_extras=True)
            fields: dict[str, Any] = {
                name: (hints[name], ... if it.default is it.empty else it.default)
                for name, it in signature(view).parameters.items()
                if it.kind is it.KEYWORD_ONLY
            }
            named = f"{self.name}_{view.__name__}".title().replace("_", "")
            plain = hints.get("body") or create_model(f"{named}Body", __base__=Body, **fields)
            model = _add_opened_for(plain)
            answers = shape(named, **told) if isinstance(told, dict) else told

            @allowed(*roles, only_reads=only_reads)
            @wraps(view)
            def answer(visit: Visit, /, **values: Any) -> Reply:
                if method != "GET":
                    body = parse_body(model, request.get_data())
                    sent = {name: getattr(body, name) for name in fields}
                    values |= {"body": body} if "body" in hints else sent
                return view(visit, **values)

            answer.__dict__.update(body_model=model, answer_model=answers)  # for openapi.py
            self.add_url_rule(rule, view.__name__, answer, methods=[method])
            return view

        return register

    on_get: partialmethod[Callable[[View], View]] = partialmethod(_on, "GET")
    on_post: partialmethod[Callable[[View], View]] = partialmethod(_on, "POST")
    on_put: partialmethod[Callable[[View], View]] = partialmethod(_on, "PUT")
