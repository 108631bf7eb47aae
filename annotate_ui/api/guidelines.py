"""The guidelines: read by everybody, written by organisers, every version kept.

The newest version of the organisers holds, else the preset's.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

from markdown_it import MarkdownIt
from pydantic import AfterValidator, Field

from catalog.refusals import NotFoundError
from catalog.tables import LiveSetting
from web.guard import EVERYBODY
from work.bodies import without_nul
from work.live_settings import find_setting, list_versions, save_setting
from work.visit import Visit

from .answers import Json, save_or_head, tell
from .schemas import Base, Reply, Routes, like, shape
from .told import PersonName

NAME = "guidelines"
blueprint = Routes(NAME, __name__, url_prefix="/guidelines")
Markdown = Annotated[str, Field(max_length=200_000), AfterValidator(without_nul)]


Guidelines = shape(
    "Guidelines: one version; number 0 is what the party came with.",
    number=int,
    markdown=str,
    html=str,
)
GuidelinesVersion = shape(
    "GuidelinesVersion: who saved a version, and when.",
    **like(LiveSetting, "number set_at"),
    person=PersonName,
)


@blueprint.on_get("", *EVERYBODY, told=Guidelines)
def show_guidelines(visit: Visit) -> Reply:
    """The version that holds."""
    return load_guidelines(visit)


@blueprint.on_put("", told=Guidelines)
def put_guidelines(visit: Visit, *, base: Base, markdown: Markdown) -> Reply:
    """The new version; of two that started from the same one, the second gets a conflict."""
    return save_or_head(
        lambda: _format(visit, save_setting(visit, NAME, {"markdown": markdown}, base=base)),
        lambda: load_guidelines(visit),
    )


@blueprint.on_post("/preview", told={"html": str})
def preview_guidelines(visit: Visit, *, markdown: Markdown) -> Reply:
    """How a text would look; nothing is saved."""
    return {"html": render_guidelines(markdown)}


@blueprint.on_get("/versions", told={"versions": [GuidelinesVersion]})
def show_versions(visit: Visit) -> Reply:
    """Who saved which version and when, newest first."""
    versions = list_versions(visit.session, NAME)
    return {"versions": [tell(GuidelinesVersion, version) for version in versions]}


@blueprint.on_get("/versions/<int:number>", told=Guidelines)
def show_version(visit: Visit, number: int) -> Reply:
    """One version; 0 is what the party came with."""
    version = visit.session.get(LiveSetting, (NAME, number))
    if version is None and number:
        raise NotFoundError(f"The guidelines have no version {number}.")
    return _format(visit, version)


def load_guidelines(visit: Visit) -> Json:
    """The version that holds now: its number (0 is the preset's), Markdown and HTML."""
    return _format(visit, find_setting(visit.session, NAME))


@lru_cache(maxsize=16)
def render_guidelines(markdown: str) -> str:
    """HTML of the Markdown; HTML within it comes out as text, and no style is inline."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(markdown)
    for token in tokens:  # inline styles are forbidden: a cell's alignment becomes a class
        style = str(token.attrs.pop("style", ""))
        if style.startswith("text-align:"):
            token.attrJoin("class", f"align-{style.removeprefix('text-align:')}")
    return str(parser.renderer.render(tokens, parser.options, {}))


def _format(visit: Visit, version: LiveSetting | None) -> Json:
    markdown = version.value["markdown"] if version else visit.party.preset.guidelines
    number = version.number if version else 0
    return {"number": number, "markdown": markdown, "html": render_guidelines(markdown)}
