"""The guidelines: read by everybody, written by organisers, every version kept.

The newest version of the organisers holds, else the preset's, in the language of the reader.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Annotated

from markdown_it import MarkdownIt
from pydantic import AfterValidator, Field

from annotate_ui.guard import EVERYBODY
from catalog.preset import Preset, fit_guidelines, has_translated_guidelines
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.tables import LiveSetting
from web.guard import Later
from web.language import choose_language, translate
from work.bodies import Body, without_nul
from work.live_settings import SettingStaleError, find_setting, list_versions, save_setting
from work.visit import Visit

from .answers import make_stale
from .names import PersonName
from .schemas import Answer, Base, Reply, Routes, Shown

NAME = "guidelines"
blueprint = Routes(NAME, __name__, url_prefix="/guidelines")
Markdown = Annotated[str, Field(max_length=200_000), AfterValidator(without_nul)]


class GuidelinesBody(Body):
    """A new version, and the number of the one that it started from."""

    base: Base
    markdown: Markdown


class PreviewBody(Body):
    """A text that is not saved yet."""

    markdown: Markdown


class Guidelines(Answer):
    """One version; number 0 is what the party came with."""

    number: int
    markdown: str
    html: str


class GuidelinesPreview(Answer):
    """How a text would look."""

    html: str


class GuidelinesVersion(Answer):
    """Who saved a version, and when."""

    number: int
    set_at: datetime
    person: PersonName


class GuidelinesVersions(Answer):
    """All versions, newest first."""

    versions: list[GuidelinesVersion]


@blueprint.on_get("", *EVERYBODY, answers=Guidelines)
def show_guidelines(visit: Visit) -> Reply:
    """The version that holds."""
    return load_guidelines(visit)


@blueprint.on_put("", shows=Shown("base"), answers=Guidelines)
def put_guidelines(visit: Visit, body: GuidelinesBody) -> Later:
    """The new version; of two that started from the same one, the second gets a conflict."""
    try:
        version = save_setting(visit, NAME, {"markdown": body.markdown}, base=body.base)
    except SettingStaleError as error:
        stale = error
        return Later(lambda later: make_stale(stale, load_guidelines(later)))
    return Later(lambda later: _make_guidelines(later, version))


@blueprint.on_post("/preview", only_reads=True, answers=GuidelinesPreview)
def preview_guidelines(visit: Visit, body: PreviewBody) -> Reply:
    """How a text would look; nothing is saved."""
    return GuidelinesPreview(html=render_guidelines(body.markdown))


@blueprint.on_get("/versions", answers=GuidelinesVersions)
def show_versions(visit: Visit) -> Reply:
    """Who saved which version and when, newest first."""
    versions = [
        GuidelinesVersion(
            number=version.number,
            set_at=version.set_at,
            person=PersonName.model_validate(version.person),
        )
        for version in list_versions(visit.session, NAME)
    ]
    return GuidelinesVersions(versions=versions)


@blueprint.on_get("/versions/<int:number>", answers=Guidelines)
def show_version(visit: Visit, number: int) -> Reply:
    """One version; 0 is what the party came with."""
    version = visit.session.get(LiveSetting, (NAME, number))
    if version is None and number:
        raise NotFoundError(say("The guidelines have no version {number}.", number=number))
    return _make_guidelines(visit, version)


def load_guidelines(visit: Visit) -> Guidelines:
    """The version that holds now: its number (0 is the preset's), Markdown and HTML."""
    return _make_guidelines(visit, find_setting(visit.session, NAME))


def render_guidelines(markdown: str) -> str:
    """HTML of the Markdown; HTML within it comes out as text, and no style is inline."""
    return render_with_contents(markdown, "")[0]


def prepare_rendering() -> None:
    """Let mdurl make its tables for addresses, since a second thread would read half of them."""
    render_guidelines("<https://example.org/%20>")


@lru_cache(maxsize=32)
def render_with_contents(markdown: str, prefix: str = "part-") -> tuple[str, list[tuple[str, str]]]:
    """The HTML, and id and words of each heading of the second rank; no ids without a prefix."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(markdown)
    contents = list[tuple[str, str]]()
    for token, inner in pairwise([*tokens, *tokens[-1:]]):
        # inline styles are forbidden: a cell's alignment becomes a class
        style = str(token.attrs.pop("style", ""))
        if style.startswith("text-align:"):
            token.attrJoin("class", f"align-{style.removeprefix('text-align:')}")
        if prefix and (token.type, token.tag) == ("heading_open", "h2"):
            words = "".join(child.content for child in inner.children or ())
            contents.append((f"{prefix}{len(contents) + 1}", words))
            token.attrSet("id", contents[-1][0])
    return str(parser.renderer.render(tokens, parser.options, {})), contents


def _make_guidelines(visit: Visit, version: LiveSetting | None) -> Guidelines:
    """The version, or the preset's text where there is none."""
    if version is not None:
        number = version.number
        markdown = str(version.value["markdown"])
    else:
        number = 0
        markdown = _translate_guidelines(visit.party.file_preset, choose_language())
    return Guidelines(number=number, markdown=markdown, html=render_guidelines(markdown))


@lru_cache(maxsize=16)
def _translate_guidelines(preset: Preset, language: str) -> str:
    """The preset's guidelines in the request's language, where vocparty has them in it."""
    file = f"guidelines.{language}.md"
    if not has_translated_guidelines(preset, file):
        return preset.guidelines
    return fit_guidelines(preset, file, translate)
