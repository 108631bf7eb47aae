"""The language of a page: English, or another one that the browser asks for and that has a file.

The application that is created says where its translations are: a folder with CODE.json for each
language but English, which stands in the code.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from flask import Flask, current_app, request

TRANSLATIONS = "translations"
"""Their name among the application's extensions."""
ENGLISH = "en"
_VALUE = re.compile(r"\{(\d)\}")


@dataclass(frozen=True)
class Translation:
    """The sentences of one language by the English ones: those of pages, and of the server."""

    pages: dict[str, str]
    messages: dict[str, str]

    @cached_property
    def patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """What matches each English message with values in it, and the translated message."""
        return [
            (_make_pattern(english), translated) for english, translated in self.messages.items()
        ]

    def translate(self, text: str) -> str:
        """The text in this language; the text itself where there is no translation."""
        if text in self.pages:
            return self.pages[text]
        for pattern, translated in self.patterns:
            if match := pattern.fullmatch(text):
                return _fill_in(translated, match.groups())
        return text

    def format_script(self) -> bytes:
        """A script that gives the sentences of pages to the modules loaded after it."""
        sentences = json.dumps(self.pages, ensure_ascii=False)
        return f"globalThis.translation = {sentences};\n".encode()


def load_translations(folder: Path) -> dict[str, Translation]:
    """Each language's translation by its code; raises KeyError where a file lacks a part."""
    translations = {}
    for path in sorted(folder.glob("*.json")):
        sentences = json.loads(path.read_text(encoding="utf-8"))
        translations[path.stem] = Translation(sentences["pages"], sentences["messages"])
    return translations


def use_translations(app: Flask, translations: dict[str, Translation]) -> None:
    """Let the application answer in these languages and in English."""
    app.extensions[TRANSLATIONS] = translations
    app.jinja_env.globals["language"] = choose_language


def choose_language() -> str:
    """The code of the language that suits the request best."""
    languages = (ENGLISH, *current_app.extensions[TRANSLATIONS])
    return request.accept_languages.best_match(languages, default=ENGLISH)


def translate(text: str) -> str:
    """The text in the request's language; English where there is no translation.

    A text may be a sentence with values in it: "Image 3 is not known." has the translation of
    "Image {0} is not known."
    """
    translation = current_app.extensions[TRANSLATIONS].get(choose_language())
    return text if translation is None else translation.translate(text)


def _fill_in(sentence: str, values: tuple[str, ...]) -> str:
    return _VALUE.sub(lambda place: values[int(place[1])], sentence)


def _make_pattern(english: str) -> re.Pattern[str]:
    parts = re.split(r"\{\d\}", english)
    return re.compile("(.*)".join(map(re.escape, parts)), re.DOTALL)
