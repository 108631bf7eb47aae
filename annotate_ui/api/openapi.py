"""The JSON interface as an OpenAPI 3.1 document, made from the routes and the bodies they read."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any, Literal

from flask import Flask, current_app
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from werkzeug.routing import IntegerConverter, Rule

from annotate_ui.roles import EVERYBODY, find_access
from annotate_ui.security import MAX_ID
from annotate_ui.visit import Visit

from .schemas import Body, Reply, Routes

Json = dict[str, Any]

blueprint = Routes("openapi", __name__)

PREFIX = "/api/v1"
_VARIABLE = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_TEXT = {"type": "string"}
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
_IS_ERROR = {"$ref": "#/components/schemas/Error"}
_STATUSES = {
    "2XX": "Done.",
    "400": "The body is not JSON (malformed), or the CSRF token is missing or old (csrf).",
    "401": "No session, or the link was ended (signed_out).",
    "403": "The role does not allow it (forbidden).",
    "404": "There is no such thing (not_found).",
    "405": "There is such a path, but not with this method (not_allowed).",
    "409": "Saved in between (stale), or another person holds the image (lease_lost).",
    "413": "The body is larger than the party allows (too_large).",
    "422": "A field is wrong and is named; nothing was saved (invalid).",
    "429": "Too many requests; Retry-After says for how long to wait (too_many).",
    "503": "Catalogue or image store do not answer; repeat the same request (unavailable).",
}


@blueprint.on_get("/openapi.json", *EVERYBODY)
def show(_visit: Visit) -> Reply:
    """The document of the running application."""
    return make_document(current_app)


def make_document(app: Flask) -> Json:
    """The OpenAPI document of an application's routes below /api/v1."""
    rules = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith(f"{PREFIX}/")]
    models: dict[str, type[Body]] = {
        rule.endpoint: getattr(app.view_functions[rule.endpoint], "body_model", Body)
        for rule in rules
    }
    told: dict[str, type[BaseModel] | None] = {
        it.endpoint: getattr(app.view_functions[it.endpoint], "answer_model", None) for it in rules
    }
    given: list[tuple[type[BaseModel], Literal["validation"]]] = [
        *(
            (models[it.endpoint], "validation")
            for it in rules
            if {"POST", "PUT"} & (it.methods or set())
        ),
        *((model, "validation") for model in told.values() if model),
    ]
    bodies, schemas = models_json_schema(given, ref_template="#/components/schemas/{model}")
    paths: dict[str, Json] = {}
    for rule in sorted(rules, key=lambda it: it.rule):
        path = paths.setdefault(_VARIABLE.sub(r"{\1}", rule.rule), {})
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            body = bodies.get((models[rule.endpoint], "validation"))
            answer = told[rule.endpoint]
            shape = bodies[answer, "validation"] if answer else {"type": "object"}
            path[method.lower()] = _describe(app, rule, method, body, shape)
    return {
        "openapi": "3.1.0",
        "info": {"title": "vocparty", "version": version("vocparty")},
        "paths": paths,
        "components": {
            "schemas": {**schemas.get("$defs", {}), "Error": _ERROR},
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": "vocparty"},
                "csrf": {"type": "apiKey", "in": "header", "name": "X-CSRFToken"},
            },
        },
    }


def _describe(app: Flask, rule: Rule, method: str, body: Json | None, shape: Json) -> Json:
    """One operation: who may call it, its variables, its body, and the errors it may answer."""
    access = find_access(app, rule.endpoint)
    assert access is not None
    described: Json = {
        "operationId": f"{method.lower()}_{rule.endpoint.replace('.', '_')}",
        "summary": (app.view_functions[rule.endpoint].__doc__ or "").partition("\n")[0],
        "x-roles": sorted(access.roles),
        "parameters": [_describe_variable(rule, name) for name in sorted(rule.arguments)],
        "responses": {
            status: _describe_answer(text, shape if status == "2XX" else _IS_ERROR)
            for status, text in _STATUSES.items()
        },
    }
    if access.roles:
        described["security"] = [{"session": [], "csrf": []} if body else {"session": []}]
    if body:
        described["requestBody"] = {"content": {"application/json": {"schema": body}}}
    return described


def _describe_variable(rule: Rule, name: str) -> Json:
    is_number = isinstance(rule._converters[name], IntegerConverter)
    schema: Json = {"type": "integer", "minimum": 0, "maximum": MAX_ID} if is_number else _TEXT
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _describe_answer(text: str, schema: Json) -> Json:
    return {"description": text, "content": {"application/json": {"schema": schema}}}
