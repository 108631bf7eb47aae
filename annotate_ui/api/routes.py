"""Everything below /api/v1: one module a noun."""

from __future__ import annotations

from importlib import import_module

from flask import Blueprint, Flask

from .answers import PartyJson
from .schemas import IdConverter

# reviews before history: a number that no image has is then 404, not 405
MODULES = """openapi party tasks reviews history segments wall gold guidelines queue board people
findings lookup difficult presence clusters"""


def serve_api(app: Flask) -> None:
    """Add the routes of all modules, and the way in which they read and write values."""
    app.json = PartyJson(app)
    app.url_map.converters["int"] = IdConverter
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    for name in MODULES.split():
        api.register_blueprint(import_module(f".{name}", __package__).blueprint)
    app.register_blueprint(api)
