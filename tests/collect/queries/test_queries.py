"""Queries of classes: suggested, added by a person, and listed with their yield."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import make_party, open_party
from catalog.settings import FILE_NAME
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.report.load import load_queries, sum_kinds
from tests.collect.rows import NOON
from vocparty import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_party(tmp_path / "zoo", name="Zoo", preset="voc2012")
    return tmp_path / "zoo"


def run(folder: Path, *words: str) -> str:
    done = CliRunner().invoke(main, ["queries", *words, "--party", str(folder)])
    return f"{done.exit_code} {done.output}"


def test_each_kind_is_added_up_over_the_classes(folder: Path) -> None:
    asked = [("cat", "cats", 3), ("dog", "dogs", 4), ("dog", "dog sofa", 5)]
    with open_party(folder) as party, party.catalogue.writing() as session:
        session.add_all(
            Query(source=Source.FLICKR, class_id=name, keyword=keyword, searches=searches)
            for name, keyword, searches in asked
        )
    with open_party(folder) as party, party.catalogue.reading() as session:
        kinds = sum_kinds(load_queries(session, party.preset))
    assert [(row.kind, row.searches) for row in kinds] == [("plural", 7), ("pair", 5)]


def test_adding_queries_leaves_the_rest_of_the_settings_file_unchanged(folder: Path) -> None:
    file = folder / FILE_NAME
    before = file.read_text()
    assert "Added to cat: gato, cat nap" in run(folder, "add", "cat", "gato", "cat nap", "tabby")
    assert "Added to dog: perro" in run(folder, "add", "dog", "perro")
    assert "Added to cat: chat" in run(folder, "add", "cat", "chat", "gato")
    assert file.read_text().startswith(before)
    with open_party(folder) as party:
        cat = party.preset.find_class("cat")
        dog = party.preset.find_class("dog")
        assert cat is not None
        assert dog is not None
        assert cat.queries[-3:] == ("gato", "cat nap", "chat")
        assert dog.queries[-1] == "perro"


def test_queries_written_in_an_unknown_layout_are_not_edited(folder: Path) -> None:
    file = folder / FILE_NAME
    with file.open("a") as more:
        more.write('\n[collect.queries]\ncat = [\n  "gato",\n]\n')
    before = file.read_text()
    assert "cannot be changed safely" in run(folder, "add", "cat", "chat")
    assert file.read_text() == before
    assert "There is no class 'emu'" in run(folder, "add", "emu", "emus")
    with file.open("a") as more:
        more.write('emu = ["emus"]\n')
    assert "collect.queries names 'emu', which is no class" in run(folder, "list")


def test_the_list_shows_the_yield_of_each_query_and_those_without_any(folder: Path) -> None:
    with open_party(folder) as party, party.catalogue.writing() as session:
        good, empty = (
            Query(source=Source.FLICKR, class_id="cat", keyword=keyword, searches=3)
            for keyword in ("tabby", "mew")
        )
        session.add_all([good, empty])
        session.flush()
        photo = Photo(source=Source.FLICKR, source_id="1", query_id=good.id, found_at=NOON)
        photo.state = PhotoState.FOUND
        session.add(photo)
    output = run(folder, "list", "--class", "cat")
    assert "cat: tabby  hand-written: 3 searches, 1 found, 0 kept, none judged" in output
    assert "All of one kind, hand-written: 6 searches, 1 found, 0 kept, none judged" in output
    assert "Searched for, and nothing found: cat: mew." in output
    document = json.loads(run(folder, "list", "--json").removeprefix("0 "))
    assert {query["keyword"] for query in document} == {"tabby", "mew"}
    assert "Nothing was added" in run(folder, "suggest", "cat")
    assert "no synonyms" not in run(folder, "suggest", "cat")


def test_a_class_that_the_word_lists_lack_is_told(tmp_path: Path) -> None:
    folder = str(tmp_path / "zoo")
    assert CliRunner().invoke(main, ["init", folder, "--classes", "quokka"]).exit_code == 0
    output = run(Path(folder), "suggest", "quokka")
    assert "The word lists have no synonyms and no translations of quokka" in output
