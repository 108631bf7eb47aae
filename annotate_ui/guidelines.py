"""The party's guidelines as HTML that the content security policy lets through."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.token import Token


def render_guidelines(markdown: str) -> str:
    """HTML of the Markdown; HTML within it comes out as text, and no style is inline."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(markdown)
    for token in tokens:
        _unstyle(token)
    return str(parser.renderer.render(tokens, parser.options, {}))


def _unstyle(token: Token) -> None:
    """Turn a cell's inline alignment into a class, as inline styles are forbidden."""
    style = str(token.attrs.pop("style", ""))
    if style.startswith("text-align:"):
        token.attrJoin("class", f"align-{style.removeprefix('text-align:')}")
