"""The pages that people open; what they show of the party comes by the JSON interface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Flask, render_template
from flask.typing import ResponseReturnValue
from flask.wrappers import Response

from annotate_ui.api.answers import format_moment
from annotate_ui.organise.board import describe_ago
from annotate_ui.organise.guidelines import load_guidelines
from annotate_ui.organise.people import display_name
from annotate_ui.roles import EVERYBODY, allowed, find_access
from annotate_ui.visit import Visit, current_service
from catalog.states import Role

from .statistics import describe_statistics

pages = Blueprint("pages", __name__)

Values = Callable[[Visit], dict[str, Any]]
ORGANISERS = (Role.ORGANISER,)
MOUNTED, JUDGING = "mounted.html", "judging.html"  # pages that a module fills
ROLE_TITLES = {
    Role.ORGANISER: "organiser",
    Role.ANNOTATOR: "annotator",
    Role.CHECKER: "checker",
}


@dataclass(frozen=True)
class Page:
    """A page of the menu, at /NAME, from its template (NAME.html without one)."""

    name: str
    title: str
    purpose: str
    roles: tuple[Role, ...] = ORGANISERS
    values: Values = lambda _visit: {}
    template: str = ""

    @property
    def endpoint(self) -> str:
        """What `url_for` takes."""
        return f"pages.{self.name}"


def _describe_guidelines(visit: Visit) -> dict[str, Any]:
    return {"guidelines_html": load_guidelines(visit.session, visit.party).html}


PAGES = (
    Page("annotate", "Annotate", "draw the objects of the next image", EVERYBODY),
    Page("check", "Check", "accept, mend or return what others drew", (Role.CHECKER,)),
    Page("guidelines", "Guidelines", "what to draw and how", EVERYBODY, _describe_guidelines),
    Page(
        "training",
        "Training",
        "the guidelines step by step, with examples",
        EVERYBODY,
        template=MOUNTED,
    ),
    Page(
        "feedback",
        "My work",
        "what was fixed or returned, and how you did over time",
        EVERYBODY,
        template=MOUNTED,
    ),
    Page("board", "Board", "where the party stands", template=MOUNTED),
    Page("images", "Images", "look images up and correct them", template=MOUNTED),
    Page("wall", "Wall", "the latest annotations, and a word to who drew them", template=MOUNTED),
    Page("people", "People", "links, roles and party codes", template=MOUNTED),
    Page(
        "statistics",
        "Statistics",
        "the tables and figures of the papers",
        values=describe_statistics,
    ),
    Page(
        "queue", "Queue", "which images come first, and which classes are wanted", template=MOUNTED
    ),
    Page(
        "findings", "Findings", "what the automatic checks found, right or wrong", template=JUDGING
    ),
    Page("disputes", "Disputes", "settle what went back and forth too often", template=MOUNTED),
    Page("gold", "Gold", "gold and training images, and who may begin", template=MOUNTED),
    Page("difficult", "Difficult", "judge objects by their crops", template=JUDGING),
    Page("clusters", "Near-duplicates", "confirm or split what dedup put together"),
)


@pages.get("/")
@allowed(*EVERYBODY)
def home(visit: Visit) -> ResponseReturnValue:
    """The ways to everything that the person may open."""
    return render_template("home.html", person=visit.person)


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


def _make_view(page: Page) -> Callable[[], Response]:
    @allowed(*page.roles)
    def view(visit: Visit) -> ResponseReturnValue:
        template = page.template or f"{page.name}.html"
        values = page.values(visit)
        return render_template(template, view=page.name, person=visit.person, **values)

    return view


def _may_open(app: Flask, page: Page, role: Role) -> bool:
    access = find_access(app, page.endpoint)
    return access is not None and role in access.roles


for _page in PAGES:
    pages.add_url_rule(f"/{_page.name}", _page.name, _make_view(_page))
