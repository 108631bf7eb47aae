"""The languages of a challenge's pages: every sentence has its translation, values and all."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from jinja2 import Environment

from catalog.sentences import list_places
from challenge.pages.app import TEXTS
from challenge.values import Deed
from tests.annotate_ui.test_language import GERMAN, VALUE, has_words, list_said
from web.app import TEXTS as SHARED
from web.language import load_translations

from .house import House

TEMPLATES = TEXTS.parent / "templates"
TRANSLATIONS = load_translations(SHARED, TEXTS)
OWN = load_translations(TEXTS)


def list_page_sentences() -> set[str]:
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    return {
        str(sentence)
        for path in TEMPLATES.glob("*.html")
        for _, _, sentence in environment.extract_translations(path.read_text())  # type: ignore[attr-defined]
        if has_words(str(sentence))
    }


def list_messages(*packages: str) -> set[str]:
    return {
        str(template.value)
        for _, _, templates in list_said(packages)
        for template in templates
        if isinstance(template, ast.Constant) and has_words(str(template.value))
    }


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_each_sentence_of_the_pages_is_translated_with_its_values(code: str) -> None:
    pages = TRANSLATIONS[code].pages
    assert list_page_sentences() - pages.keys() == set(), "missing"
    assert pages.keys() - list_page_sentences() == set(), "superfluous"
    for english, other in pages.items():
        assert sorted(VALUE.findall(english)) == sorted(VALUE.findall(other)), english


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_each_sentence_of_the_server_is_translated_with_its_values(code: str) -> None:
    messages = TRANSLATIONS[code].messages
    assert list_messages("challenge", "web") - messages.keys() == set(), "missing"
    assert OWN[code].messages.keys() - list_messages("challenge") == set(), "superfluous"
    for english, other in messages.items():
        assert set(list_places(english)) == set(list_places(other)), english


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_the_words_of_the_log_are_translated(code: str) -> None:
    assert TRANSLATIONS[code].terms.keys() == {deed.value for deed in Deed}


def test_a_page_and_a_refusal_are_german_for_a_german_browser(house: House) -> None:
    ann, *_ = house.team()
    page = ann.get("/team", headers=GERMAN).text
    assert '<html lang="de">' in page
    assert "Einreichungen offen" in page
    assert "There" not in ann.get("/submissions/9", headers=GERMAN).text


def test_no_word_of_a_template_stands_outside_of_a_sentence() -> None:
    """Plain words between tags would stay English."""
    for path in sorted(TEMPLATES.glob("*.html")):
        assert not find_plain_words(path), path.name


NO_WORDS = r"\{#.*?#\}|<pre>.*?</pre>|\{% trans.*?endtrans %\}|<!doctype html>"


def find_plain_words(path: Path) -> list[str]:
    text = re.sub(NO_WORDS, "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", text, flags=re.DOTALL)
    return re.findall(r">[^<>]*[A-Za-z]{3,}[^<>]*<", text)
