"""The pages on which organisers steer the party while it runs: the queue, the guidelines."""

from __future__ import annotations

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from catalog.states import Role

from .roles import allowed
from .visit import Visit

steering = Blueprint("steering", __name__)


@steering.get("/queue")
@allowed(Role.ORGANISER)
def queue(visit: Visit) -> ResponseReturnValue:
    """What comes first, and which classes are wanted."""
    return render_template("queue.html", person=visit.person)


@steering.get("/guidelines/edit")
@allowed(Role.ORGANISER)
def edit_guidelines(visit: Visit) -> ResponseReturnValue:
    """The guidelines as Markdown, with a preview."""
    return render_template("edit_guidelines.html", person=visit.person)
