"""The JSON interface as an OpenAPI 3.1 document, made from the routes and the bodies they read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from inspect import getdoc
from typing import Any

from flask import Flask, current_app
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from werkzeug.routing import IntegerConverter, Rule

from annotate_ui.guard import EVERYBODY
from catalog.tables.base import MAX_ID
from web.guard import find_access
from work.visit import Visit

from .schemas import Answer, Reply, Routes

Json = dict[str, Any]

blueprint = Routes("openapi", __name__)

PREFIX = "/api/v1"
_VARIABLE = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_TEXT = {"type": "string"}
_NUMBER: Json = {"type": "integer", "minimum": 0, "maximum": MAX_ID}
_ERROR: Json = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": _TEXT, "message": _TEXT, "field": _TEXT},
        }
    },
}
_ERRORS = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
_STATUSES = {
    "2XX": "Done.",
    "400": "The body is not JSON (malformed), or the CSRF token is missing or old (csrf).",
    "401": "No session, or the link was ended (signed_out).",
    "403": "The role does not allow it (forbidden).",
    "404": "There is no such thing (not_found).",
    "405": "There is such a path, but not with this method (not_allowed).",
    "409": "Saved in between (stale), another person holds the image (lease_lost), its rows "
    "contradict each other (stuck), or the page was opened for another person or party "
    "(other_person, other_party).",
    "413": "The body is larger than the party allows (too_large).",
    "422": "A field is wrong and is named; nothing was saved (invalid).",
    "429": "Too many requests; Retry-After says for how long to wait (too_many).",
    "503": "Catalogue or image store do not answer; repeat the same request (unavailable).",
}


class OpenApiDocument(Answer):
    """The interface as an OpenAPI 3.1 document."""

    openapi: str
    info: Json
    paths: Json
    components: Json


_INTRODUCTION = """What the pages, the simulated people of the demo and any script of yours speak.
A change that an existing client would notice gets a new number.

A personal link is `/enter/TOKEN`: `POST` exchanges the token for a session cookie. Each request
that changes something carries the header `X-CSRFToken` with the token of `GET /api/v1/session`, and
in its body `opened_for`, the person and party of that answer: after another person signed in with
the same cookies, it is refused.

Boxes are VOC's: whole numbers, the first pixel is 1, both ends inside. Of an answer 409, `head` is
the newest of what was to be changed, and `kept_as` the number under which what was sent is kept.
`/images/SHA256.jpg` gives an image, `/crops/SHA256/XMIN-YMIN-XMAX-YMAX.jpg` an object of it."""


@blueprint.on_get("/openapi.json", *EVERYBODY, answers=OpenApiDocument)
def show(_visit: Visit) -> Reply:
    """The document of the running application."""
    return OpenApiDocument(**make_document(current_app))


def make_document(app: Flask) -> Json:
    """The OpenAPI document of an application's routes below /api/v1."""
    rules = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith(f"{PREFIX}/")]
    bodies, answers, components = _make_schemas(app, rules)
    paths: dict[str, Json] = {}
    for rule in sorted(rules, key=lambda rule: rule.rule):
        (method,) = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        body = None if method == "GET" else bodies[rule.endpoint]
        path = paths.setdefault(_VARIABLE.sub(r"{\1}", rule.rule), {})
        path[method.lower()] = _describe(app, rule, method, body, answers[rule.endpoint])
    return {
        "openapi": "3.1.0",
        "info": {"title": "vocparty", "version": version("vocparty"), "description": _INTRODUCTION},
        "paths": paths,
        "components": {
            "schemas": {**components, "Error": _ERROR},
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": "vocparty"},
                "csrf": {"type": "apiKey", "in": "header", "name": "X-CSRFToken"},
            },
        },
    }


def _make_schemas(
    app: Flask, rules: Sequence[Rule]
) -> tuple[dict[str, Json], dict[str, Json], Json]:
    """The body and the content of the answer of each endpoint, and the schemas they refer to."""
    views: dict[str, Any] = {rule.endpoint: app.view_functions[rule.endpoint] for rule in rules}
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = []
    for view in views.values():
        models.append((view.body_model, "validation"))
        if view.answer_model is not str:
            models.append((view.answer_model, "serialization"))
    schemas, document = models_json_schema(models, ref_template="#/components/schemas/{model}")
    table = {"text/csv": {"schema": _TEXT}}
    bodies = {name: schemas[view.body_model, "validation"] for name, view in views.items()}
    answers = {
        name: table
        if view.answer_model is str
        else _as_json(schemas[view.answer_model, "serialization"])
        for name, view in views.items()
    }
    return bodies, answers, document.get("$defs", {})


def _describe(app: Flask, rule: Rule, method: str, body: Json | None, answer: Json) -> Json:
    """One operation: who may call it, its variables, its body, its answer and its errors."""
    access = find_access(app, rule.endpoint)
    assert access is not None
    kinds = {
        name: _NUMBER if isinstance(converter, IntegerConverter) else _TEXT
        for name, converter in rule._converters.items()
    }
    summary, _, more = (getdoc(app.view_functions[rule.endpoint]) or "").partition("\n")
    described: Json = {
        "operationId": f"{method.lower()}_{rule.endpoint.replace('.', '_')}",
        "summary": summary,
        "description": more.strip(),
        "x-roles": sorted(access.roles),
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": schema}
            for name, schema in sorted(kinds.items())
        ],
        "responses": {
            status: {"description": text, "content": answer if status == "2XX" else _ERRORS}
            for status, text in _STATUSES.items()
        },
    }
    if access.roles:
        described["security"] = [{"session": [], "csrf": []} if body else {"session": []}]
    if body:
        described["requestBody"] = {"content": _as_json(body)}
    return described


def _as_json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}
