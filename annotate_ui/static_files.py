"""The pages' own scripts, styles and pictures."""

from __future__ import annotations

from pathlib import Path

from flask import Flask, send_from_directory
from flask.typing import ResponseReturnValue

from .roles import open_to_everyone

FOLDER = Path(__file__).parent / "static"


def serve_static_files(app: Flask) -> None:
    """Add the endpoint `static`, which Flask would add without naming a role."""
    app.add_url_rule("/static/<path:filename>", "static", send_static)


@open_to_everyone("the sign-in page needs them, and they hold nothing of the party")
def send_static(filename: str) -> ResponseReturnValue:
    """A file, to be asked for again each time but sent again only when it changed."""
    response = send_from_directory(FOLDER, filename, max_age=None)
    response.headers["Cache-Control"] = "no-cache"
    return response
