"""Everything below /api/v1: one module a noun."""

from __future__ import annotations

from flask import Blueprint, Flask

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
    presence,
    queue,
    reviews,
    segments,
    tasks,
    wall,
)
from .answers import PartyJson
from .schemas import IdConverter

MODULES = (
    openapi,
    party,
    tasks,
    reviews,  # before history: a number that no image has is then 404, not 405
    history,
    segments,
    wall,
    gold,
    guidelines,
    queue,
    board,
    people,
    findings,
    lookup,
    difficult,
    presence,
    clusters,
)


def serve_api(app: Flask) -> None:
    """Add the routes of all modules, and the way in which they read and write values."""
    app.json = PartyJson(app)
    app.url_map.converters["int"] = IdConverter
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    for module in MODULES:
        api.register_blueprint(module.blueprint)
    app.register_blueprint(api)
