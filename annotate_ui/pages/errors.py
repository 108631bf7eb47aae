"""The page of an error."""

from __future__ import annotations

from flask import render_template

from catalog.sentences import say

_STRANGER = say("Open your personal link again, or ask the organiser for a new link.")
TITLES = {403: "No access", 404: "Not found", 429: "Slow down"}


def show_error(status: int, message: str) -> str:
    """The page for an answer with this status; people who are signed out learn how to come in."""
    if status == 401:
        return render_template("signed_out.html", message=_STRANGER)
    title = TITLES.get(status, "This did not work")
    return render_template("error.html", title=title, message=message)
