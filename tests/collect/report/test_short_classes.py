"""Classes are short by the party's own targets: by what is drawn and what may still come."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import make_party, open_party
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.query_yield import ClassCounts, Record
from collect.report.short_classes import Stock, compare_stock
from tests.collect.rows import NOON
from vocparty import main

DISPLAYS = {"cat": "cat", "dog": "dog", "emu": "emu"}
QUERIES = {"cat": [1], "dog": [2, 3], "emu": [4]}


def compare(targets: dict[str, float], counts: ClassCounts) -> Stock:
    return compare_stock(targets, DISPLAYS, QUERIES, counts)


def test_classes_with_less_than_half_of_the_one_in_the_middle_are_short() -> None:
    counts = ClassCounts({"cat": 60, "dog": 100, "emu": 29})
    stock = compare(dict.fromkeys(DISPLAYS, 200.0), counts)
    assert [short.class_name for short in stock.short] == ["emu"]
    assert compare({"cat": 60.0, "dog": 100.0, "emu": 58.0}, counts).short == ()  # half each
    assert compare({"cat": 9.0, "dog": 9.0, "emu": 20.0}, counts).short == ()  # more than it shall


def test_a_class_without_any_image_is_short_unless_its_target_is_0() -> None:
    counts = ClassCounts({"cat": 60})
    stock = compare({"cat": 100.0, "dog": 100.0, "emu": 0.0}, counts)
    assert [short.class_name for short in stock.short] == ["dog"]


def test_images_that_wait_count_as_the_yield_of_their_query() -> None:
    counts = ClassCounts({"emu": 10}, {4: Record(20, 10, 100)})  # judged, useful, waiting
    (emu,) = compare({"emu": 100.0}, counts).classes
    assert emu.expected == pytest.approx(60, abs=1)


def test_of_a_few_images_nothing_is_called_short() -> None:
    assert compare(dict.fromkeys(DISPLAYS, 9.0), ClassCounts({"cat": 3})).short == ()


def find_photos(folder: Path, counts: dict[str, int], keyword: str = "{}s") -> None:
    """Photographs of a query for each class, which nobody has judged."""
    with open_party(folder) as party, party.catalogue.writing() as session:
        for name, count in counts.items():
            word = keyword.format(name)
            query = Query(source=Source.FLICKR, class_id=name, keyword=word, searches=1)
            session.add(query)
            session.flush()
            for number in range(count):
                photo = Photo(source=Source.FLICKR, source_id=f"{word}{number}", found_at=NOON)
                photo.query_id = query.id
                photo.state = PhotoState.FOUND
                session.add(photo)


def suggest(folder: Path, *words: str) -> str:
    done = CliRunner().invoke(main, ["queries", "suggest", *words, "--party", str(folder)])
    assert done.exit_code == 0, done.output
    return done.output


def test_queries_are_suggested_for_the_short_classes_with_why_and_what_kinds_brought(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "zoo"
    make_party(folder, name="Zoo", preset="voc2012")
    with (folder / "party.toml").open("a") as more:
        more.write("\n[collect.class_targets]\n" + "sheep = 0\n")
    assert "it cannot be told which are short" in suggest(folder)
    with open_party(folder) as party:
        names = [name for name in party.preset.class_names if name not in ("cat", "sheep")]
    find_photos(folder, {**dict.fromkeys(names, 10), "cat": 2})
    output = suggest(folder)
    assert output.count(" is short: ") == 1
    assert "cat is short: it has 1 of the 53 images of its target (1.9%)" in output
    assert "  parent: cat animals, cat domestic\n" in output
    assert "So far, all of one kind, plural: 14 searches, 132 found" in output
    (short,) = json.loads(suggest(folder, "--json"))
    assert short["class"] == "cat"
    assert {"cats", "cat sofa"} <= {query["keyword"] for query in short["queries"]}
    find_photos(folder, {"cat": 8}, "{} nap")
    assert "No class is short." in suggest(folder)
