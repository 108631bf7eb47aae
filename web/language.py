"""The language of a page: English, or another one that the browser asks for and that has a file."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from flask import request

TEXTS = Path(__file__).parents[1] / "annotate_ui" / "static" / "app" / "texts"
LANGUAGES = ("en", *sorted(path.stem for path in TEXTS.glob("*.json")))
"""English stands in the code; each other language has texts/CODE.json."""


def choose_language() -> str:
    """The code of the language that suits the request best."""
    return request.accept_languages.best_match(LANGUAGES, default="en")


def translate(text: str) -> str:
    """The text in the request's language; English where there is no translation.

    A text may be a sentence with values in it: "Image 3 is not known." has the translation of
    "Image {0} is not known."
    """
    return _translate(choose_language(), text)


@lru_cache(maxsize=4096)
def _translate(language: str, text: str) -> str:
    sentences = load_sentences(language)
    if text in sentences["pages"]:
        return sentences["pages"][text]
    for english, translated in sentences["messages"].items():
        pattern = "(.*)".join(re.escape(part) for part in re.split(r"\{\d\}", english))
        if match := re.fullmatch(pattern, text, re.DOTALL):
            return re.sub(r"\{(\d)\}", lambda at: match[int(at[1]) + 1], translated)
    return text


@lru_cache
def load_sentences(language: str) -> dict[str, dict[str, str]]:
    """Each English sentence with its translation: those of pages, and those of the server."""
    if language == "en":
        return {"pages": {}, "messages": {}}
    sentences: dict[str, dict[str, str]] = json.loads((TEXTS / f"{language}.json").read_text())
    return sentences
