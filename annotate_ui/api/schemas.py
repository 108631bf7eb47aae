"""The bodies that the JSON interface takes, read strictly, and routes that say what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partialmethod, wraps
from typing import Annotated, Any, TypeVar, get_type_hints

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue
from flask.wrappers import Response
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    SerializeAsAny,
    ValidationError,
    create_model,
)

from annotate_ui.guard import allowed
from catalog.refusals import InvalidError, MalformedError, expect_one_of, refuse
from catalog.sentences import Sentence, say
from catalog.states import Role
from catalog.tables.base import MAX_ID as MAX_ID
from web.guard import Later
from web.language import translate
from web.opened_for import OpenedFor
from work.bodies import Body
from work.visit import Visit

_WHOLE_FIELDS = ("box", "point")  # a wrong corner is told as a wrong box
_PLAIN = {
    "missing": say("expected a value, got none"),
    "extra_forbidden": say("there is no such field"),
    "string_pattern_mismatch": say("expected letters A-Z, digits and '-' only"),
    "model_type": say("expected an object with fields"),
}


Base = Annotated[int, Field(ge=0, le=MAX_ID)]
"""The version of a setting that a change started from; 0 where it was never set."""


class Answer(BaseModel):
    """What all answers share: no field that is not described; what was not set is left out."""

    model_config = ConfigDict(extra="forbid")


class NoAnswer(Answer):
    """Nothing; the status says that it was done."""


class NoBody(Body):
    """Nothing is sent."""


class ErrorAnswer(Answer):
    """What an answer says of an error, in the language of the request."""

    code: str
    message: str


class Conflict(Answer):
    """Another change came before: `head` is the newest, `kept_as` the number of what was sent.

    An answer, not an error: an error would undo the transaction that keeps the work.
    """

    error: ErrorAnswer
    kept_as: int | None = None
    head: SerializeAsAny[Answer] | None = None


def make_error(code: str, message: Sentence) -> ErrorAnswer:
    """An error, its message in the language of the request."""
    return ErrorAnswer(code=code, message=translate(message))


Version = Annotated[str, Field(min_length=1, max_length=100)]
"""The version of what a page showed, as the answer that filled the page gave it."""


class VersionBody(Body):
    """The version of what the sender was shown, and nothing else."""

    version: Version


@dataclass(frozen=True)
class Now:
    """What is there now of what a page showed: its version, and what a page shows of it."""

    version: str
    head: Answer | None = None


@dataclass(frozen=True)
class Shown:
    """The field of a body, or the variable of an address, that says what the page showed.

    `load` gives what is there now, by the variables of the address, and lets no other transaction
    change it until this one ends. Without it the change compares where it writes, since it keeps
    what comes too late (work/saving.py), or does what it can of a list.
    """

    field: str
    load: Callable[..., Now] | None = None

    def find_conflict(self, visit: Visit, body: Body, variables: Mapping[str, Any]) -> Reply | None:
        """409 with what is there now, where the page showed something else; else None."""
        if self.load is None:
            return None
        now = self.load(visit, **variables)
        if getattr(body, self.field) == now.version:
            return None
        message = say(
            "This changed since your page showed it, so nothing was done. Look at it again."
        )
        return Conflict(error=make_error("stale", message), head=now.head), 409


ClassId = Annotated[
    str,
    Field(validation_alias=AliasChoices("class_id", "class"), serialization_alias="class"),
]
"""The field that JSON calls "class": the id of a class."""


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
            raise MalformedError(
                say("The body is not JSON: {problem}.", problem=first["ctx"]["error"])
            ) from error
        whole = (at for at, part in enumerate(first["loc"], start=1) if part in _WHOLE_FIELDS)
        field = ".".join(map(str, first["loc"][: next(whole, None)]))
        expected = _PLAIN.get(first["type"]) or _quote_pydantic(first["msg"])
        if field:
            refuse(field, expected)
        raise InvalidError(say("The body is wrong: {expected}.", expected=expected)) from error


def _quote_pydantic(message: str) -> Sentence:
    """What Pydantic says of a value, which is English in every language."""
    return say("{text}", text=message[:1].lower() + message[1:])


def parse_number(
    args: Mapping[str, str], name: str, *, least: int = 0, most: int = MAX_ID
) -> int | None:
    """The number that a query string gives, or None; raises InvalidError for anything else."""
    word = args.get(name)
    if word is None:
        return None
    if not (word.isascii() and word.isdecimal() and len(word) < 11 and least <= int(word) <= most):
        refuse(name, say("expected a number from {least} to {most}", least=least, most=most))
    return int(word)


def parse_choice(args: Mapping[str, str], name: str, words: Iterable[str]) -> str | None:
    """The word that a query string gives, or None; raises InvalidError for one not expected."""
    word = args.get(name)
    known = tuple(words)
    if word is not None and word not in known:
        refuse(name, expect_one_of(known, word))
    return word


@cache
def _add_opened_for(model: type[Body]) -> type[Body]:
    """The body as it is sent: also with the person and party that its page was opened for."""
    opened: dict[str, Any] = {"opened_for": (OpenedFor, Field(exclude=True))}
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **opened)


Reply = Answer | Response | tuple[Answer, int]
"""An answer of status 200, a file, or an answer with its status."""
View = Callable[..., Reply | Later]


class Routes(Blueprint):
    """The routes of one noun, for organisers and the roles that each names.

    A view gets the visit, the variables of its address and, where something may be sent, `body`,
    whose type says how it is read. `shows` says what the page of a change showed; it is compared
    with what is there now before the view is called. `answers` is the class of what it answers, or
    str for a table as CSV.
    """

    def _on(
        self,
        method: str,
        rule: str,
        *roles: Role,
        only_reads: bool = False,
        shows: Shown | None = None,
        answers: type[Answer] | type[str] = NoAnswer,
    ) -> Callable[[View], View]:
        def register(view: View) -> View:
            body_type: type[Body] | None = get_type_hints(view).get("body")
            model = _add_opened_for(body_type or NoBody)

            def read() -> Body | None:
                return None if method == "GET" else parse_body(model, request.get_data())

            @allowed(*roles, only_reads=only_reads, read=read, send=_send)
            @wraps(view)
            def answer(visit: Visit, /, sent: Body | None, **variables: Any) -> Reply | Later:
                conflict = shows.find_conflict(visit, sent, variables) if shows and sent else None
                if body_type is not None:
                    variables["body"] = sent
                return conflict or view(visit, **variables)

            answer.__dict__.update(body_model=model, answer_model=answers, shows=shows)
            self.add_url_rule(rule, view.__name__, answer, methods=[method])
            return view

        return register

    on_get: partialmethod[Callable[[View], View]] = partialmethod(_on, "GET")
    on_post: partialmethod[Callable[[View], View]] = partialmethod(_on, "POST")
    on_put: partialmethod[Callable[[View], View]] = partialmethod(_on, "PUT")


def _send(reply: Reply) -> ResponseReturnValue:
    """The reply as Flask takes it."""
    if isinstance(reply, tuple):
        answer, status = reply
        return jsonify(answer), status
    return jsonify(reply) if isinstance(reply, Answer) else reply
