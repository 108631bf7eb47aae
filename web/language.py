"""The language of a page: English, or another one that the browser asks for and that has a file.

`texts/` has what every server says; the application that is created says where its own translations
are: a folder with CODE.json for each language but English, which stands in the code. A sentence is
looked up by its template (catalog/sentences.py), a text without values by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from flask import Flask, current_app, request

from catalog.sentences import Sentence, Value, fill_in

TRANSLATIONS = "translations"
"""Their name among the application's extensions."""
ENGLISH = "en"


@dataclass(frozen=True)
class Translation:
    """The sentences of one language, by their English text.

    Scripts say those of `pages`, and on the pages that list work those of `organising` too.
    Only the server says those of `messages`, in a template or by `say`. `terms` are words such as
    classes, roles and states. `signs` maps the signs of English numbers, such as "." and "%", to
    those of this language.
    """

    pages: dict[str, str]
    messages: dict[str, str]
    terms: dict[str, str]
    signs: dict[str, str]
    organising: dict[str, str] = field(default_factory=dict)

    def translate(self, text: str) -> str:
        """The text in this language; English where there is no translation."""
        if not isinstance(text, Sentence):
            return self._look_up(text)
        template = self._look_up(text.template)
        return fill_in(template, text.values, self.format_value)

    def format_value(self, value: Value, form: str) -> str:
        """The text of a value within a sentence of this language."""
        if isinstance(value, str):
            return format(self.translate(value) if isinstance(value, Sentence) else value, form)
        if isinstance(value, int | float):
            return "".join(self.signs.get(sign, sign) for sign in format(value, form))
        return ", ".join(self.format_value(item, form) for item in value)

    def _look_up(self, english: str) -> str:
        for texts in (self.messages, self.terms, self.pages, self.organising):
            if english in texts:
                return texts[english]
        return english


def format_script(sentences: dict[str, str]) -> bytes:
    """A script that gives these sentences to the modules loaded after it."""
    added = json.dumps(sentences, ensure_ascii=False)
    return f"Object.assign((globalThis.translation ??= {{}}), {added});\n".encode()


def load_translations(*folders: Path) -> dict[str, Translation]:
    """Each language's translation by its code, from all of these folders.

    Raises TypeError where a file has a part that is none.
    """
    merged = dict[str, dict[str, dict[str, str]]]()
    for path in sorted(path for folder in folders for path in folder.glob("*.json")):
        parts = merged.setdefault(path.stem, {})
        for name, texts in json.loads(path.read_text(encoding="utf-8")).items():
            parts[name] = parts.get(name, {}) | texts
    return {code: Translation(**parts) for code, parts in merged.items()}


def use_translations(app: Flask, translations: dict[str, Translation]) -> None:
    """Let the application answer in these languages and in English."""
    app.extensions[TRANSLATIONS] = translations
    app.jinja_env.globals["language"] = choose_language
    app.jinja_env.filters["translated"] = translate
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        translate,
        lambda singular, plural, number: translate(singular if number == 1 else plural),
        newstyle=True,
    )


def choose_language() -> str:
    """The code of the language that suits the request best."""
    languages = (ENGLISH, *current_app.extensions[TRANSLATIONS])
    return request.accept_languages.best_match(languages, default=ENGLISH)


def translate(text: str) -> str:
    """The text in the request's language; English where there is no translation."""
    return find_translator()(text)


def find_translator() -> Callable[[str], str]:
    """What translates into the request's language, also once the request is over."""
    translation = current_app.extensions[TRANSLATIONS].get(choose_language())
    return str if translation is None else translation.translate
