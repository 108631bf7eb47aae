"""iNaturalist's three files: which photographs answer a query, and what is read of each."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from collect.source_table.errors import RowError, TableError
from collect.source_table.inaturalist import PARTS, PICTURES_URL, NaturalistReader, find_parts

TAXA = (
    "taxon_id\tancestry\tname",
    "1\t\tAnimalia",
    "7\t1\tFelidae",
    "9\t1/7\tFelis catus",
    "8\t1\tCanidae",
)
OBSERVATIONS = (
    "observation_uuid\tlatitude\tlongitude\ttaxon_id\tobserved_on",
    "cat\t47.5\t8.5\t9\t2012-05-06",
    "family\t\t\t7\t",
    "dog\t1\t2\t8\t2012-05-07",
)
PHOTOS = (
    "photo_id\tobservation_uuid\tobserver_id\textension\tlicense",
    "31\tcat\t5\tjpg\tCC-BY",
    "32\tdog\t5\tjpg\tCC-BY",
    "33\tnone\t5\tjpg\tCC-BY",
    "34\tfamily\t6\tjpeg\tCC0",
)
FILES = {"taxa": TAXA, "observations": OBSERVATIONS, "photos": PHOTOS}
Lines = tuple[str, ...]


def make_reader(words: str, files: Mapping[str, Lines] = FILES) -> NaturalistReader:
    """A reader of these lines, for taxa whose names have one of the words."""

    def match(name: bytes) -> list[int]:
        known = name.decode().lower().split()
        return [number for number, word in enumerate(words.split()) if word in known]

    @contextmanager
    def open_text(path: Path) -> Iterator[list[bytes]]:
        yield [f"{line}\n".encode() for line in files[path.stem]]

    return NaturalistReader({part: Path(f"{part}.csv") for part in PARTS}, match, open_text)


def list_rows(reader: NaturalistReader) -> list[tuple[bytes, Any]]:
    """All rows, which can be read."""
    return [row for row in reader.rows() if not isinstance(row, RowError)]


def list_answers(reader: NaturalistReader) -> list[tuple[str, bytes]]:
    """The ids of the photographs that answer, each with the names for which it does."""
    return [(value[0][0], name) for name, value in list_rows(reader) if value is not None]


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ("catus", [("31", b"Felis catus")]),
        ("felidae", [("31", b"Felidae"), ("34", b"Felidae")]),
        ("felidae catus", [("31", b"Felidae, Felis catus"), ("34", b"Felidae")]),
        ("ursidae", []),
    ],
)
def test_a_photograph_answers_for_its_taxon_and_each_ancestor(
    words: str, answers: list[tuple[str, bytes]]
) -> None:
    assert list_answers(make_reader(words)) == answers


def test_every_photograph_is_a_row_so_that_all_are_counted() -> None:
    rows = list(make_reader("catus").rows())
    assert len(rows) == len(PHOTOS) - 1
    assert [row for row in rows if row == (b"", None)] == rows[1:]


def test_a_photograph_has_the_place_and_the_day_of_its_observation() -> None:
    reader = make_reader("felidae")
    cat, family = (reader.read(value) for _name, value in list_rows(reader) if value is not None)
    assert cat.image_url == f"{PICTURES_URL}31/medium.jpg"
    assert (cat.title, cat.owner_id, cat.owner_name) == ("Felidae", "inaturalist:5", "observer 5")
    assert (cat.place, cat.taken_at_text) == ("47.5 8.5", "2012-05-06")
    assert (family.place, family.taken_at_unknown) == (None, True)


def test_columns_may_come_in_any_order_and_rows_of_another_length_are_left_out() -> None:
    turned = tuple("\t".join(reversed(line.split("\t"))) for line in PHOTOS)
    broken = ("CC-BY\tjpg\tcat", "CC-BY\tjpg\t5\tcat\t35\tone more")
    files = {**FILES, "photos": (*turned, *broken)}
    assert list_answers(make_reader("catus", files)) == [("31", b"Felis catus")]


@pytest.mark.parametrize("part", PARTS)
def test_a_missing_column_is_named_with_its_file(part: str) -> None:
    first, *rows = FILES[part]
    files = {**FILES, part: (first.replace("_id", "_key"), *rows)}
    with pytest.raises(TableError, match=rf"^{part}\.csv has no column '\w+_id'"):
        list(make_reader("catus", files).rows())


def test_an_observation_that_comes_twice_counts_as_it_came_first() -> None:
    again = "cat\t1\t1\t9\t2020-01-01"
    reader = make_reader("catus", {**FILES, "observations": (*OBSERVATIONS, again)})
    [(_cells, seen)] = [value for _name, value in list_rows(reader) if value is not None]
    assert tuple(seen) == ("Felis catus", "2012-05-06", "47.5", "8.5")


def test_three_files_are_told_by_their_names_alone() -> None:
    paths = [Path(f"folder/{part}.csv.gz") for part in PARTS]
    assert find_parts(paths) == dict(zip(PARTS, paths, strict=True))
    assert find_parts([*paths, Path("folder/observers.csv")]).keys() == set(PARTS)
    assert find_parts(paths[:2]) == {}
