"""The pages that people open; what they show of the party comes by the JSON interface."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Flask, render_template
from flask.typing import ResponseReturnValue

from catalog.states import Role

from .answers import format_moment
from .board import describe_ago
from .guidelines import load_guidelines
from .people import display_name
from .roles import EVERYBODY, allowed, find_access
from .service import current_service
from .visit import Visit

pages = Blueprint("pages", __name__)

ROLE_TITLES = {
    Role.ORGANISER: "organiser",
    Role.ANNOTATOR: "annotator",
    Role.CHECKER: "checker",
}


@dataclass(frozen=True)
class Page:
    """A page that the ways between pages lead to."""

    endpoint: str
    title: str
    purpose: str


PAGES = (
    Page("pages.annotate", "Annotate", "draw the objects of the next image"),
    Page("pages.check", "Check", "accept, mend or return what others drew"),
    Page("pages.guidelines", "Guidelines", "what to draw and how"),
    Page("organising.training", "Training", "the guidelines step by step, with examples"),
    Page("pages.board", "Board", "where the party stands"),
    Page("organising.wall", "Wall", "the latest annotations, and a word to who drew them"),
    Page("organising.people", "People", "links, roles and party codes"),
    Page("organising.statistics", "Statistics", "the tables and figures of the papers"),
    Page("steering.queue", "Queue", "which images come first, and which classes are wanted"),
    Page("steering.findings", "Findings", "what the automatic checks found, right or wrong"),
    Page("steering.disputes", "Disputes", "settle what went back and forth too often"),
    Page("steering.gold", "Gold", "gold and training images, and who may begin"),
    Page("steering.difficult", "Difficult", "judge objects by their crops"),
    Page("pages.clusters", "Near-duplicates", "confirm or split what dedup put together"),
)


@pages.get("/")
@allowed(*EVERYBODY)
def home(visit: Visit) -> ResponseReturnValue:
    """The ways to everything that the person may open."""
    return render_template("home.html", person=visit.person)


@pages.get("/annotate")
@allowed(*EVERYBODY)
def annotate(visit: Visit) -> ResponseReturnValue:
    """The annotation page."""
    return render_template("annotate.html", person=visit.person)


@pages.get("/check")
@allowed(Role.CHECKER)
def check(visit: Visit) -> ResponseReturnValue:
    """The checking page."""
    return render_template("check.html", person=visit.person)


@pages.get("/guidelines")
@allowed(*EVERYBODY)
def guidelines(visit: Visit) -> ResponseReturnValue:
    """The guidelines to read at leisure."""
    html = load_guidelines(visit.session, visit.party).html
    return render_template("guidelines.html", person=visit.person, guidelines_html=html)


@pages.get("/board")
@allowed(Role.ORGANISER)
def board(visit: Visit) -> ResponseReturnValue:
    """Where the party stands, for organisers."""
    return render_template("board.html", person=visit.person)


@pages.get("/clusters")
@allowed(Role.ORGANISER)
def clusters(visit: Visit) -> ResponseReturnValue:
    """The clusters of near-duplicates, for organisers."""
    return render_template("clusters.html", person=visit.person)


def prepare_templates(app: Flask) -> None:
    """Give templates the party's name, the ways between pages and the filters they use."""

    def list_pages(role: Role) -> list[Page]:
        return [page for page in PAGES if _may_open(app, page, role)]

    app.jinja_env.filters.update(
        display_name=display_name,
        moment=format_moment,
        ago=describe_ago,
        role_title=ROLE_TITLES.__getitem__,
    )
    app.context_processor(
        lambda: {
            "party_name": current_service().party.settings.name,
            "pages_for": list_pages,
        }
    )


def _may_open(app: Flask, page: Page, role: Role) -> bool:
    access = find_access(app, page.endpoint)
    return access is not None and role in access.roles
