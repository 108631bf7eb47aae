"""The pages that people open; what they show of the party comes by the JSON interface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Flask, render_template
from flask.typing import ResponseReturnValue
from flask.wrappers import Response

from annotate_ui.api.answers import format_moment
from annotate_ui.api.guidelines import load_guidelines
from annotate_ui.organise.board import describe_ago
from annotate_ui.organise.people import display_name
from annotate_ui.roles import EVERYBODY, allowed, find_access
from annotate_ui.visit import Visit, current_service
from annotate_ui.work.feedback import load_weeks
from annotate_ui.work.tasks import count_tasks
from catalog.states import Role

from .statistics import describe_statistics

pages = Blueprint("pages", __name__)

GROUPS = ("Work", "Quality", "People", "Progress")
Values = Callable[[Visit], dict[str, Any]]
CHECKERS, ORGANISERS = (Role.CHECKER,), (Role.ORGANISER,)
MOUNTED = "mounted.html"  # a page that a module fills
_JUDGING, _CLUSTERS = (ORGANISERS, "judging.html"), (ORGANISERS, "clusters.html")


@dataclass(frozen=True)
class Page:
    """A page of the menu, at /NAME, with what its template shows; organisers see the groups."""

    name: str
    title: str
    purpose: str
    group: str = "Work"
    roles: tuple[Role, ...] = ORGANISERS
    template: str = MOUNTED
    values: Values = lambda _visit: {}

    @property
    def endpoint(self) -> str:
        """What `url_for` takes."""
        return f"pages.{self.name}"


_GUIDELINES: tuple[str, Values] = (
    "guidelines.html",
    lambda visit: {"guidelines_html": load_guidelines(visit)["html"]},
)
_STATISTICS = ("statistics.html", describe_statistics)
PAGES = (
    Page(
        "annotate",
        "Annotate",
        "draw the objects of the next image",
        "Work",
        EVERYBODY,
        "annotate.html",
    ),
    Page(
        "check", "Check", "accept, fix or return what others drew", "Work", CHECKERS, "check.html"
    ),
    Page("guidelines", "Guidelines", "what to draw and how", "Work", EVERYBODY, *_GUIDELINES),
    Page("training", "Training", "the guidelines step by step, with examples", "Work", EVERYBODY),
    Page("feedback", "My work", "what was fixed or returned, and how you did", "Work", EVERYBODY),
    Page("board", "Board", "where the party stands", "Progress"),
    Page("images", "Images", "look images up and correct them", "Quality"),
    Page("wall", "Wall", "the latest annotations, and a word to who drew them", "Progress"),
    Page("people", "People", "links, roles and party codes", "People"),
    Page(
        "statistics",
        "Statistics",
        "tables and figures of the papers",
        "Progress",
        ORGANISERS,
        *_STATISTICS,
    ),
    Page("queue", "Queue", "which images come first, and which classes are wanted"),
    Page(
        "findings",
        "Findings",
        "what the automatic checks found, right or wrong",
        "Quality",
        *_JUDGING,
    ),
    Page("disputes", "Disputes", "settle what went back and forth too often", "Quality"),
    Page("gold", "Gold", "gold and training images, and who may begin", "People"),
    Page("difficult", "Difficult", "judge objects by their crops", "Quality", *_JUDGING),
    Page(
        "clusters",
        "Near-duplicates",
        "confirm or split what dedup put together",
        "Quality",
        *_CLUSTERS,
    ),
)


@pages.get("/")
@allowed(*EVERYBODY)
def home(visit: Visit) -> ResponseReturnValue:
    """Where the person stands, and the ways to everything that they may open."""
    waits, weeks = count_tasks(visit), load_weeks(visit)
    return render_template("home.html", person=visit.person, waits=waits, week=weeks[-1:])


@pages.get("/guidelines/edit")
@allowed(Role.ORGANISER)
def edit_guidelines(visit: Visit) -> ResponseReturnValue:
    """The guidelines as Markdown, with a preview."""
    return render_template(MOUNTED, view="guidelines", person=visit.person)


@pages.get("/history")
@allowed(*EVERYBODY)
def show_history(visit: Visit) -> ResponseReturnValue:
    """The revisions of the image that the query names."""
    return render_template(MOUNTED, view="history", person=visit.person)


def prepare_templates(app: Flask) -> None:
    """Give templates the party's name, the ways between pages and the filters they use."""

    def list_pages(role: Role) -> list[Page]:
        accesses = ((page, find_access(app, page.endpoint)) for page in PAGES)
        return [page for page, access in accesses if access is not None and role in access.roles]

    def group_pages(role: Role) -> dict[str, list[Page]]:
        listed = list_pages(role)
        return {name: [page for page in listed if page.group == name] for name in GROUPS}

    filters = {"display_name": display_name, "moment": format_moment, "ago": describe_ago}
    app.jinja_env.filters.update(filters)
    app.context_processor(
        lambda: {
            "party_name": current_service().party.settings.name,
            "pages_for": list_pages,
            "groups_for": group_pages,
        }
    )


def _make_view(page: Page) -> Callable[[], Response]:
    @allowed(*page.roles)
    def view(visit: Visit) -> ResponseReturnValue:
        values = page.values(visit)
        return render_template(page.template, view=page.name, person=visit.person, **values)

    return view


for _page in PAGES:
    pages.add_url_rule(f"/{_page.name}", _page.name, _make_view(_page))
