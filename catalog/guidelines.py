"""The page that tells annotators what to do: one Markdown text, fitted to a preset.

presets/guidelines.md is a Jinja template. It knows the preset and its features (the names of its
flags, `parts`, `actions`), and ends with one section for each class of VOC. A paragraph is one
line, because organisers edit the page in a text field.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, Template

if TYPE_CHECKING:
    from .preset import Preset

_FILE = Path(__file__).parent / "presets" / "guidelines.md"
_CLASSES = "## The classes\n"


def fit_guidelines(preset: Preset) -> str:
    """The page for this preset; a class that has no section gets its short rule as the section."""
    page = _load_template().render(preset=preset, **dict.fromkeys(preset.features, True))
    general, _, sections = page.partition(_CLASSES)
    written = {it.partition("\n")[0]: f"### {it.strip()}" for it in sections.split("### ")}
    chosen = (
        written.get(item.display, f"### {item.display}\n\n{item.short_rule}")
        for item in preset.classes
    )
    text = "\n\n".join([general + _CLASSES, *chosen])
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _load_template() -> Template:
    environment = Environment()  # noqa: S701  the Markdown is escaped when it is shown
    return environment.from_string(_FILE.read_text("utf-8"))
