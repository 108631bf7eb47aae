"""Everything below /api/v1: one module a noun."""

from __future__ import annotations

from flask import Blueprint

from . import (
    board,
    clusters,
    difficult,
    findings,
    gold,
    guidelines,
    history,
    lookup,
    openapi,
    party,
    people,
    queue,
    reviews,
    tasks,
    wall,
)

MODULES = (
    openapi,
    party,
    tasks,
    reviews,  # before history: a number that no image has is then 404, not 405
    history,
    wall,
    gold,
    guidelines,
    queue,
    board,
    people,
    findings,
    lookup,
    difficult,
    clusters,
)


def make_api() -> Blueprint:
    """The routes of all modules."""
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    for module in MODULES:
        api.register_blueprint(module.blueprint)
    return api
