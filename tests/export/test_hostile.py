"""Text by photographers, annotators and organisers stays text in every file of a release."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from markdown_it import MarkdownIt
from ruamel.yaml import YAML
from sqlalchemy import select

from catalog.party import Party, make_party, open_party
from catalog.preset import AnnotationStyle
from catalog.tables import Annotation, Person, Photo, Query, Remark, Review
from export.accompanying_files.texts import defuse_formula, escape_markdown, fit_line, quote_yaml
from export.order import ReleaseOrder
from tests.exporting import contents, export_release, read_croissant, verify_tree
from tests.kit_reader import read_record
from tests.party_rows import NOW, stock

HOSTILE = (
    '=cmd|"/c calc"!A1',
    "</annotation><object>&amp;&lt;]]>",
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "a\tb\r\nc\x00\x0bd\x1be\x7ff\x85g\u2028h",
    "\u202egnp.exe\u202c \u200fשלום\u200e \u2066x",
    "x" * 10_000,
    "# head\n---\n- [a](javascript:alert(1)) `b` **c** | d \\",
    '"; key: [&a *a !!python/object:os.system {% raw %} ${HOME} \\input{/etc/passwd}',
)
"""One for each of the eight images."""
SECRET = "never-to-be-released"
"""In every comment, since comments are private and must not be released."""


def spoil(party: Party) -> None:
    """Hostile words wherever an outsider, or a person of the party, can write text."""
    with party.catalogue.writing() as session:
        for photo, text in zip(session.scalars(select(Photo)), HOSTILE, strict=True):
            photo.title = photo.owner_name = photo.licence_name = text
            photo.licence_url = photo.page_url = f"javascript:{text}"
            photo.tags = photo.reason = text
        for annotation, text in zip(session.scalars(select(Annotation)), HOSTILE, strict=True):
            annotation.comment = SECRET + text
        for review, text in zip(session.scalars(select(Review)), HOSTILE, strict=True):
            review.comment = SECRET + text
            review.object_verdicts = [
                {"object_key": "key-1", "verdict": "accept", "comment": SECRET + text}
            ]
        for text in HOSTILE:
            session.add(
                Remark(image_id=1, person_id=1, to_person_id=2, text=SECRET + text, written_at=NOW)
            )
        session.get_one(Person, 1).name = HOSTILE[2]
        query = session.scalars(select(Query)).one()
        query.keyword = HOSTILE[6]
        query.searches = 1


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    make_party(folder / "party", name="<b>Bad</b> | =party `x`", preset="voc2012")
    with open_party(folder / "party") as party:
        spoil(stock(party))
        order = ReleaseOrder(style=AnnotationStyle.VOC2007)
        name = "<i>VOC<i> *x*"
        export_release(party, folder / "out", year=2007, name=name, at=NOW, order=order)
    return folder / "out"


def test_the_development_kit_reads_every_annotation(out: Path) -> None:
    assert verify_tree(out) == []
    for path in (out / "VOCdevkit" / "VOC2007" / "Annotations").iterdir():
        assert read_record(path.read_bytes()).folder == "VOC2007"


def test_no_comment_of_a_checker_is_in_a_release(out: Path) -> None:
    assert not [name for name, data in contents(out).items() if SECRET.encode() in data]


def test_json_and_tables_keep_every_character(out: Path) -> None:
    manifest = json.loads((out / "release.json").read_text("utf-8"))
    assert {image["photos"][0]["title"] for image in manifest["images"]} == set(HOSTILE)
    titles = pq.read_table(out / "data" / "images.parquet")["title"].to_pylist()
    assert set(titles) == set(HOSTILE)


def test_the_credits_have_one_line_per_photo_and_no_formula(out: Path) -> None:
    text = (out / "CREDITS.csv").read_text("utf-8")
    assert len(text.split("\n")) == 1 + 8 + 1
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 8
    assert {row["title"].removeprefix("'") for row in rows} == {
        fit_line(title) for title in HOSTILE
    }
    assert not [cell for row in rows for cell in row.values() if cell[:1] in tuple("=+-@\t\r\n")]


class Tags(HTMLParser):
    """The elements of a page, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.links: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]
        self.links |= {value or "" for name, value in attrs if name in ("href", "src")}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_credits_page_has_no_foreign_element_or_link(out: Path) -> None:
    page = Tags()
    page.feed((out / "CREDITS.html").read_text("utf-8"))
    layout = {"html", "meta", "title", "style", "h1", "p", "table", "thead", "tbody", "tr", "th"}
    assert page.found == layout | {"td", "bdi"}
    assert page.links == set()
    assert HOSTILE[2] in page.texts
    assert max(len(text) for text in page.texts) < 1000
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", "".join(page.texts))


@pytest.mark.parametrize("name", ["README.md", "DATASHEET.md", "CHANGELOG.md"])
def test_markdown_pages_have_no_foreign_elements(out: Path, name: str) -> None:
    text = (out / name).read_text("utf-8")
    body = text.split("---\n", 2)[2] if text.startswith("---\n") else text
    page = Tags()
    page.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(body))
    layout = {"h1", "h2", "h3", "p", "ul", "li", "em", "strong", "code", "hr"}
    assert page.found <= layout | {"table", "thead", "tbody", "tr", "th", "td"}
    assert page.links == set()
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    assert max(len(line) for line in text.splitlines()) < 2000
    assert "head" not in re.findall("^#+ (.*)$", body, re.MULTILINE)
    if name != "CHANGELOG.md":
        title = fit_line(HOSTILE[6])
        assert [line for line in page.texts if title in line]


def test_the_yaml_files_hold_the_fitted_text(out: Path) -> None:
    yaml = YAML(typ="safe")
    citation = yaml.load((out / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == "<i>VOC<i> *x*"
    assert citation["title"] == "The (b)Bad(/b) | =party `x` Database"
    _, front, _ = (out / "README.md").read_text("utf-8").split("---\n", 2)
    assert yaml.load(front)["license"] == "other"


def test_mlcroissant_loads_the_hostile_titles(out: Path) -> None:
    (images,) = read_croissant(out, "images")
    assert {row["images/title"].decode() for row in images} == set(HOSTILE)


@pytest.mark.parametrize("text", HOSTILE)
def test_escaped_text_is_one_line_and_survives_yaml(text: str) -> None:
    assert YAML(typ="safe").load(quote_yaml(text)) == text
    for escaped in (fit_line(text), defuse_formula(text), escape_markdown(text)):
        assert len(escaped.splitlines()) == 1
    assert len(fit_line(text, 300)) <= 300
