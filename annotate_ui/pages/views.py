"""The pages that people open; what they show of the party comes by the JSON interface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Flask, render_template, request
from flask.typing import ResponseReturnValue
from flask.wrappers import Response
from sqlalchemy import select

from annotate_ui.api.addresses import image_url
from annotate_ui.api.answers import format_moment
from annotate_ui.api.class_rules import find_rules, has_many, split_rules
from annotate_ui.api.guidelines import (
    load_guidelines,
    render_guidelines,
    render_with_contents,
)
from annotate_ui.api.names import show_name
from annotate_ui.guard import EVERYBODY, allowed
from annotate_ui.service import current_service
from catalog.states import Role
from catalog.tables import SegmentChoice, SuggestionSet
from web.language import translate
from work.board import describe_ago
from work.home import load_home
from work.visit import Visit

from .statistics import describe_statistics

pages = Blueprint("pages", __name__)

GROUPS = {
    "Work": "annotate check verify presence segment segment_check guidelines training feedback "
    "queue",
    "Quality": "images findings pairs disputes difficult clusters",
    "People": "people gold",
    "Progress": "board wall statistics",
}
"""The organiser's menu: the names of each group's pages."""
Values = Callable[[Visit], dict[str, Any]]
CHECKERS = (Role.CHECKER,)
ORGANISERS = (Role.ORGANISER,)
MOUNTED = "mounted.html"  # a page that a module fills
SEGMENT = "segment.html"  # in the menu where images are chosen to be segmented
JUDGING = "judging.html"
_JUDGING = (ORGANISERS, JUDGING)
_CLUSTERS = (ORGANISERS, "clusters.html")


@dataclass(frozen=True)
class Page:
    """A page of the menu, with what its template shows."""

    name: str
    title: str
    purpose: str
    roles: tuple[Role, ...] = ORGANISERS
    template: str = MOUNTED
    values: Values = lambda _visit: {}

    @property
    def endpoint(self) -> str:
        """What `url_for` takes."""
        return f"pages.{self.name}"

    @property
    def address(self) -> str:
        """Its path; a page below another has both their names."""
        return "/" + self.name.replace("_", "/")


def _show_guidelines(visit: Visit) -> dict[str, Any]:
    """The guidelines with a table of contents; of many classes, the rules that are searched for."""
    classes = visit.party.preset.classes
    markdown = load_guidelines(visit).markdown
    find = request.args.get("find", "").strip()
    rules = list[str]()
    if has_many(classes):
        markdown, of_class = split_rules(markdown, classes)
        rules = find_rules(of_class, classes, find) if find else []
    html, contents = render_with_contents(markdown)
    return {
        "guidelines_html": html,
        "contents": contents,
        "classes": len(classes) if has_many(classes) else 0,
        "find": find,
        "rules_html": render_guidelines("\n\n".join(rules)),
    }


def _choose_questions(visit: Visit) -> dict[str, Any]:
    """Whether the party asks by its plan of questions or class by class."""
    return {"asks": "questions" if visit.party.settings.questions.on else "classes"}


_GUIDELINES: tuple[str, Values] = ("guidelines.html", _show_guidelines)
_PRESENCE: tuple[str, Values] = (JUDGING, _choose_questions)
_STATISTICS = (ORGANISERS, "statistics.html", describe_statistics)
PAGES = (
    Page("annotate", "Annotate", "draw the objects of the next image", EVERYBODY, "annotate.html"),
    Page("check", "Check", "accept, fix or return the work of others", CHECKERS, "check.html"),
    Page("segment", "Segment", "outline the objects of the next image", EVERYBODY, SEGMENT),
    Page("segment_check", "Check segments", "accept, fix or return outlines", CHECKERS, SEGMENT),
    Page("presence", "Presence", "which images show a class", EVERYBODY, *_PRESENCE),
    Page("verify", "Verify", "which suggested boxes are right", EVERYBODY, JUDGING),
    Page("guidelines", "Guidelines", "what to draw and how", EVERYBODY, *_GUIDELINES),
    Page("training", "Training", "the guidelines step by step, with examples", EVERYBODY),
    Page("feedback", "My work", "what was fixed or returned, and your results", EVERYBODY),
    Page("board", "Board", "progress, people and settings", values=_choose_questions),
    Page("images", "Images", "find images and correct them"),
    Page("wall", "Wall", "the latest annotations, with comments to their authors"),
    Page("people", "People", "links, roles and party codes"),
    Page("statistics", "Statistics", "tables and figures of the VOC papers", *_STATISTICS),
    Page("queue", "Queue", "which images come first, and which classes are wanted"),
    Page("findings", "Findings", "results of the automatic checks", *_JUDGING),
    Page("pairs", "Pairs", "boxes that lie on one another", CHECKERS, JUDGING),
    Page("disputes", "Disputes", "decide about images that were returned too often"),
    Page("gold", "Gold", "gold images, training images, and people in training"),
    Page("difficult", "Difficult", "mark the objects that are hard to recognise", *_JUDGING),
    Page("clusters", "Near-duplicates", "confirm or split the groups that dedup found", *_CLUSTERS),
)


@pages.get("/")
@allowed(*EVERYBODY)
def home(visit: Visit) -> ResponseReturnValue:
    """What comes next for the person, what came back, and what needs an organiser."""
    return render_template("home.html", person=visit.person, home=load_home(visit))


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
    """Give templates the party's name, the ways between pages, the language and filters."""

    def list_pages(role: Role) -> list[Page]:
        with current_service().party.catalogue.reading() as session:
            is_segmenting = session.scalar(select(SegmentChoice.image_id).limit(1)) is not None
            is_suggesting = session.scalar(select(SuggestionSet.id).limit(1)) is not None
        settings = current_service().party.settings
        is_asking = settings.annotate.presence_pass or settings.questions.on
        is_boxing = settings.questions.boxes
        return [
            page
            for page in PAGES
            if role in (*page.roles, Role.ORGANISER)
            and (is_segmenting or page.template != SEGMENT)
            and (is_asking or page.name != "presence")
            and (is_suggesting or is_boxing or page.name != "verify")
        ]

    def group_pages(role: Role) -> dict[str, list[Page]]:
        listed = {page.name: page for page in list_pages(role)}
        return {
            group: [listed[name] for name in names.split() if name in listed]
            for group, names in GROUPS.items()
        }

    app.jinja_env.filters.update(
        display_name=show_name,
        moment=format_moment,
        ago=lambda moment, at: translate(describe_ago(moment, at)),
        image_url=image_url,
    )
    app.jinja_env.globals.update(
        pages_for=list_pages,
        groups_for=group_pages,
        opened_for=lambda person: {
            "person_id": person.id,
            "party_id": current_service().party_id,
        },
    )
    app.context_processor(lambda: {"party_name": current_service().party.settings.name})


def _make_view(page: Page) -> Callable[[], Response]:
    @allowed(*page.roles)
    def view(visit: Visit) -> ResponseReturnValue:
        values = page.values(visit)
        return render_template(page.template, view=page.name, person=visit.person, **values)

    return view


for _page in PAGES:
    pages.add_url_rule(_page.address, _page.name, _make_view(_page))
