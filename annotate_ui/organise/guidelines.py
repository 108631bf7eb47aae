"""The guidelines: the newest version of the organisers, else the preset's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from sqlalchemy.orm import Session

from annotate_ui.visit import Visit
from catalog.party import Party
from catalog.tables import LiveSetting

from .live_settings import find_setting, save_setting

NAME = "guidelines"


@dataclass(frozen=True)
class Guidelines:
    """One version; number 0 is what the party came with."""

    number: int
    markdown: str

    @property
    def html(self) -> str:
        """What the pages show."""
        return render_guidelines(self.markdown)


def load_guidelines(session: Session, party: Party) -> Guidelines:
    """The version that holds now."""
    return _read(find_setting(session, NAME), party)


def find_guidelines(session: Session, party: Party, number: int) -> Guidelines | None:
    """An earlier version, or None where there is none of this number."""
    if number == 0:
        return _read(None, party)
    version = session.get(LiveSetting, (NAME, number))
    return _read(version, party) if version else None


def save_guidelines(visit: Visit, markdown: str, *, base: int) -> Guidelines:
    """The version that holds from now on; raises SettingStaleError where another came before."""
    version = save_setting(visit, NAME, {"markdown": markdown}, base=base)
    return _read(version, visit.party)


@lru_cache(maxsize=16)
def render_guidelines(markdown: str) -> str:
    """HTML of the Markdown; HTML within it comes out as text, and no style is inline."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(markdown)
    for token in tokens:
        _unstyle(token)
    return str(parser.renderer.render(tokens, parser.options, {}))


def _read(version: LiveSetting | None, party: Party) -> Guidelines:
    if version is None:
        return Guidelines(0, party.preset.guidelines)
    return Guidelines(version.number, version.value["markdown"])


def _unstyle(token: Token) -> None:
    """Turn a cell's inline alignment into a class, as inline styles are forbidden."""
    style = str(token.attrs.pop("style", ""))
    if style.startswith("text-align:"):
        token.attrJoin("class", f"align-{style.removeprefix('text-align:')}")
