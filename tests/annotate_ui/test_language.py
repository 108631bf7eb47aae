"""The languages of the pages: every sentence has its translation, and the browser chooses."""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from jinja2 import Environment

import annotate_ui
from annotate_ui.app import STATIC, TEXTS
from annotate_ui.pages import errors
from annotate_ui.pages.views import GROUPS, PAGES
from catalog.preset import load_preset
from catalog.sentences import list_places
from catalog.states import ImageState
from qa.check_list import CHECKS
from web import language
from web.app import TEXTS as SHARED
from web.static_files import StaticFiles, read_folder
from work.campaigns import FIELDS

from .house import House

FOLDER = Path(annotate_ui.__file__).parent
GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
PACKAGES = ("catalog", "dedup", "qa", "operate", "work", "web", "annotate_ui")
"""What says something on pages."""
FIRST_TEMPLATE = {"say": 0, "say_number": 1}
VALUE = re.compile(r"\{[^}]*\}|%\(\w+\)s")


def list_template_sentences() -> set[str]:
    """The sentences of templates, and those that Python gives to them."""
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    sentences = {"Findings", "Difficult", *GROUPS, *errors.TITLES.values()}
    sentences |= {word for page in PAGES for word in (page.title, page.purpose)}
    for path in FOLDER.glob("templates/*.html"):
        translations = environment.extract_translations(path.read_text())  # type: ignore[attr-defined]
        sentences |= {str(sentence) for _, _, sentence in translations}
    return {sentence for sentence in sentences if has_words(sentence)}


def list_script_sentences(script: str) -> set[str]:
    """What a script and the modules that it imports can say."""
    return {
        sentence
        for name in FILES.list_modules(script)
        if name.startswith("app/texts/")
        for sentence in list_tagged((STATIC / name).read_text())
        if has_words(sentence)
    }


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


FILES = StaticFiles(read_folder(STATIC))
TRANSLATIONS = language.load_translations(SHARED, TEXTS)


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_each_sentence_of_the_scripts_is_translated_with_its_values(code: str) -> None:
    translation = TRANSLATIONS[code]
    shared = list_script_sentences("app/texts.js")
    organising = list_script_sentences("app/organising_texts.js") - shared
    assert len(organising) > 200
    assert shared - translation.pages.keys() == set(), "missing"
    assert translation.pages.keys() - shared == set(), "superfluous"
    assert organising - translation.organising.keys() == set(), "missing"
    assert translation.organising.keys() - organising == set(), "superfluous"
    for english, other in (translation.pages | translation.organising).items():
        assert sorted(VALUE.findall(english)) == sorted(VALUE.findall(other)), english


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_each_sentence_of_the_templates_is_translated_with_its_values(code: str) -> None:
    translation = TRANSLATIONS[code]
    translated = translation.pages | translation.organising | translation.messages
    sentences = list_template_sentences()
    assert sentences - translated.keys() == set(), "missing"
    for english in sentences:
        assert sorted(VALUE.findall(english)) == sorted(VALUE.findall(translated[english])), english


PAGES_OF_ALL = "/annotate /check /segment /segment/check /presence /verify /guidelines /training"
PAGES_OF_ORGANISERS = (
    "/feedback /board /images /wall /people /queue /findings /disputes /gold /difficult /clusters "
    "/guidelines/edit /history"
)


@pytest.mark.parametrize("address", f"{PAGES_OF_ALL} {PAGES_OF_ORGANISERS}".split())
def test_each_page_loads_what_its_scripts_say(house: House, address: str) -> None:
    olga = house.olga()
    page = olga.get(address, headers=GERMAN).text
    loaded = "".join(olga.get(link).text for link in re.findall(r'<script src="([^"]+)"', page))
    scripts = re.findall(r'type="module" src="/static/\w+/(app/[^"]+)"', page)
    assert scripts
    said = {sentence for script in scripts for sentence in list_script_sentences(script)}
    missing = {
        sentence
        for sentence in said
        if json.dumps(sentence, ensure_ascii=False) + ":" not in loaded
    }
    assert missing == set()


def list_said(packages: Sequence[str]) -> Iterator[tuple[str, ast.Call, list[ast.expr]]]:
    """Each call of `say` and `say_number` in these packages, its place and its templates."""
    files = (path for name in packages for path in (FOLDER.parent / name).rglob("*.py"))
    for path in sorted(files):
        source = path.read_text(encoding="utf-8")
        if path.name != "sentences.py" and "sentences import" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in FIRST_TEMPLATE:
                templates = node.args[FIRST_TEMPLATE[ast.unparse(node.func)] :]
                yield f"{path}:{node.lineno}", node, templates


def test_every_sentence_is_a_literal_with_the_values_that_it_takes() -> None:
    for place, call, templates in list_said(PACKAGES):
        given = {keyword.arg for keyword in call.keywords}
        if ast.unparse(call.func) == "say_number":
            given.add("count")
        for template in templates:
            assert isinstance(template, ast.Constant), place
            assert set(list_places(str(template.value))) == given, place


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_every_sentence_of_the_server_is_translated_with_its_values(code: str) -> None:
    translation = TRANSLATIONS[code]
    messages = translation.messages
    said = {
        str(template.value)
        for _, _, templates in list_said(PACKAGES)
        for template in templates
        if isinstance(template, ast.Constant)
    }
    wordy = {template for template in said if has_words(template)}
    assert len(wordy) > 200
    assert wordy - messages.keys() == set(), "missing"
    of_templates = list_template_sentences() - translation.pages.keys()
    assert messages.keys() - said - of_templates == set(), "superfluous"
    for english, other in messages.items():
        assert set(list_places(english)) == set(list_places(other)), english


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_the_words_that_sentences_take_from_the_catalogue_are_translated(code: str) -> None:
    words = {state.words for state in ImageState} | {*FIELDS}
    words |= {
        word for check in CHECKS for word in (check.name.replace("_", " "), check.explanation)
    }
    for name in ("voc2007", "voc2012"):
        preset = load_preset(name)
        words |= {word for item in preset.classes for word in (item.display, item.short_rule)}
        words |= {group for item in preset.classes for group in item.groups}
        words |= {word for view in preset.views for word in (view.name, view.display)}
        words |= {part.display for part in preset.parts}
        words |= {action.display for action in preset.actions}
        words |= {word for flag in preset.flags for word in (flag.display, flag.short_rule)}
        words |= {reason.display for reason in preset.discard_reasons}
        words |= {reason.short_rule for reason in preset.discard_reasons}
    terms = TRANSLATIONS[code].terms
    assert words - terms.keys() == set(), "missing"
    assert terms.keys() - words == set(), "superfluous"


def test_no_text_is_recognised_by_a_pattern() -> None:
    imported = {
        alias.name
        for node in ast.walk(ast.parse(Path(language.__file__).read_text()))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert "re" not in imported


def test_every_text_of_a_page_is_marked_for_translation() -> None:
    for path in FOLDER.glob("static/app/texts/*.js"):
        assert re.findall(r'(?:: |\? |=> )["`][A-Z][a-z][^"`]* [^"`]*["`]', path.read_text()) == []


def test_no_number_of_a_page_has_the_decimal_point_of_english_alone() -> None:
    for path in (FOLDER / "static/app/texts").glob("*.js"):
        assert ".toFixed(" not in path.read_text(), f"{path.name}: decimal() knows the language"


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
