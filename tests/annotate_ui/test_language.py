"""The languages of the pages: every sentence has its translation, and the browser chooses."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment

import annotate_ui
from annotate_ui.app import TEXTS
from annotate_ui.pages import errors
from annotate_ui.pages.views import GROUPS, PAGES
from web import language

from .house import House

FOLDER = Path(annotate_ui.__file__).parent
GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
PARTS = (
    "annotate_ui/api/*.py",
    "annotate_ui/pages/*.py",
    "operate/classes.py",
    "work/*.py",
    "work/segment/leases.py",
    "work/segment/proposals.py",
    "work/segment/saving.py",
)
"""What tells people on pages what they are refused."""
TELLING = ("Error", "Complaint")
VALUE = re.compile(r"\{\d\}|%\(\w+\)s")


def list_page_sentences() -> set[str]:
    """The sentences of scripts and templates, and those that Python gives to templates."""
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    sentences = {"Findings", "Difficult", *GROUPS, *errors.TITLES.values()}
    sentences |= {word for page in PAGES for word in (page.title, page.purpose)}
    for path in FOLDER.glob("templates/*.html"):
        found = environment.extract_translations(path.read_text())  # type: ignore[attr-defined]
        sentences |= {str(sentence) for _, _, sentence in found}
    for path in FOLDER.glob("static/app/texts/*.js"):
        sentences |= set(list_tagged(path.read_text()))
    return sentences


def list_tagged(script: str) -> Iterator[str]:
    """The keys of all t`...` in a script; the first `${...}` becomes {0}, and so on."""
    opened: list[list[str]] = []  # what is open: a template with its tag and its parts, or {
    for token in re.findall(r"\bt`|`|\$\{|[{}]|[^`${}t]+|.", script, re.DOTALL):
        is_text = bool(opened) and opened[-1][0] != "{"
        if token[-1] == "`" and not is_text:
            opened.append([token])
        elif token[-1] == "`":
            tag, *parts = opened.pop()
            if tag == "t`":
                yield "".join([*parts, token[:-1]])
        elif token == "${":
            number = sum(part.startswith("{") for part in opened[-1])
            opened[-1].append(f"{{{number}}}")
            opened.append(["{"])
        elif is_text:
            opened[-1].append(token)
        elif token == "{":
            opened.append(["{"])
        elif token == "}":
            opened.pop()


def has_words(sentence: str) -> bool:
    return re.search(r"[^\W\d_]", VALUE.sub("", sentence)) is not None


TRANSLATIONS = language.load_translations(TEXTS)


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_each_sentence_of_the_pages_is_translated_with_its_values(code: str) -> None:
    translated = TRANSLATIONS[code].pages
    sentences = {sentence for sentence in list_page_sentences() if has_words(sentence)}
    assert sentences - translated.keys() == set(), "missing"
    assert translated.keys() - sentences == set(), "superfluous"
    for english, other in translated.items():
        assert sorted(VALUE.findall(english)) == sorted(VALUE.findall(other)), english


def list_told(*patterns: str) -> tuple[set[str], set[str]]:
    """All texts of Python files with x for their values, and those that are an error's own."""
    texts, raised = dict[ast.expr, str](), list[ast.expr]()
    for path in (path for pattern in patterns for path in FOLDER.parent.glob(pattern)):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                parts = [one.value if isinstance(one, ast.Constant) else "x" for one in node.values]
                texts[node] = "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts[node] = node.value
            elif isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called.endswith(TELLING) and not called.startswith("click."):
                    raised += node.args[:1]
    return set(texts.values()), {texts[node] for node in raised if node in texts}


def test_every_message_of_the_server_is_translated(house: House) -> None:
    messages = TRANSLATIONS["de"].messages
    stages = ("annotate_ui/**/*.py", "web/*.py", "operate/*.py", "work/**/*.py", "qa/*_checks.py")
    texts, _ = list_told(*stages, "catalog/stuck.py")
    wordy = [text for text in texts if has_words(text.replace("x", ""))]
    patterns = [".*".join(map(re.escape, text.split("x"))) for text in wordy]
    said = re.compile("|".join(patterns))
    assert [one for one in messages if not said.fullmatch(VALUE.sub("x", one))] == []
    assert all({*VALUE.findall(other)} <= {*VALUE.findall(one)} for one, other in messages.items())
    told = list_told(*PARTS, "qa/*_checks.py")[1]
    with house.app.test_request_context(headers=GERMAN):
        silent = {one for one in told if language.translate(one) == one}
    assert {one for one in silent if "is wrong: " not in one} == set()


def test_every_text_of_a_page_is_marked_for_translation() -> None:
    for path in FOLDER.glob("static/app/texts/*.js"):
        assert re.findall(r'(?:: |\? |=> )["`][A-Z][a-z][^"`]* [^"`]*["`]', path.read_text()) == []


def test_the_browser_chooses_the_language_of_pages_scripts_and_errors(house: House) -> None:
    ann = house.ann()
    home = ann.get("/", headers=GERMAN).text
    assert '<html lang="de">' in home
    assert "Hallo, ann" in home
    german = ann.get("/annotate", headers=GERMAN).text
    script = re.findall(r'<script src="([^"]+)"', german)[0]
    assert german.index(script) < german.index('type="module"'), "the sentences come first"
    assert "Wird gespeichert" in ann.get(script).text
    english = ann.get("/annotate", headers={"Accept-Language": "fr"}).text
    assert '<html lang="en">' in english
    assert re.findall(r"<script src=", english) == []
