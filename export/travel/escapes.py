"""Text from outside as each kind of file can carry it: it stays text, on one line.

The words of presets (classes, parts, actions, reasons) need none of this.
"""

from __future__ import annotations

import json
import re

MOST_CHARS = 300
"""Of one text in a file for reading; release.json and the tables have all of it."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_OVERRIDES = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~$#]|&(?=#?\w+;)|^[-+=:]|(?<=^\d)[.)]")
_HIDDEN = re.compile(r"[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # also in full width


def fit_line(text: str, most_chars: int | None = None) -> str:
    """The text on one line without control characters, cut where it is longer than that."""
    line = text if text.isprintable() else _CONTROLS.sub(" ", text)  # which takes far longer
    line = line.strip()
    if most_chars is not None and len(line) > most_chars:
        return f"{line[: most_chars - 1]}…"
    return line


def escape_markdown(text: str, most_chars: int | None = None) -> str:
    """The text as Markdown shows it: no HTML, no link, no table cell; directions stay in it."""
    line = _OVERRIDES.sub("", fit_line(text, most_chars))
    return _MARKDOWN.sub(r"\\\g<0>", line)


def quote_yaml(text: str) -> str:
    """A YAML scalar: JSON's strings are YAML's, once what YAML forbids or hides is escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def defuse_formula(text: str) -> str:
    """The text on one line, with an apostrophe in front where a spreadsheet would run it.

    OWASP, CSV Injection.
    """
    line = fit_line(text)
    return f"'{line}" if line.startswith(_FORMULA) else line
