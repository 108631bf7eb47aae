"""The JSON interface, version 1 (docs/api.md): one module a noun, thin views."""

from __future__ import annotations

from flask import Blueprint

from . import (
    board,
    clusters,
    difficult,
    disputes,
    findings,
    gold,
    guidelines,
    leases,
    mine,
    party,
    people,
    preferences,
    queue,
    reviews,
    revisions,
    session,
    tasks,
    training,
    wall,
)

_MODULES = (
    wall,
    training,
    people,
    board,
    session,
    party,
    tasks,
    leases,
    revisions,
    reviews,
    mine,
    guidelines,
    queue,
    preferences,
    clusters,
    difficult,
    findings,
    disputes,
    gold,
)


def make_api() -> Blueprint:
    """Everything below /api/v1."""
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    for module in _MODULES:
        api.register_blueprint(module.blueprint)
    return api
