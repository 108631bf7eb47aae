"""What a file of a table is taken for, and which of its columns for which field."""

import csv
import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from collect.source_table.errors import TableError
from collect.source_table.recognise import (
    NATURALIST,
    TableFile,
    list_files,
    map_columns,
    recognise,
    recognise_all,
)

from .made import make_row, write_sqlite, write_text

PLAIN = {"url": "url", "title": "title"}


@pytest.mark.parametrize(
    ("name", "text", "kind", "delimiter"),
    [
        ("a.csv", "url,title\nhttps://i.example/1.jpg,cat\n", "csv", ","),
        ("a.csv", "url;title\nhttps://i.example/1.jpg;cat, dog\n", "csv", ";"),
        ("a.tsv", "url\ttitle\nhttps://i.example/1.jpg\tcat\n", "csv", "\t"),
        ("a.txt", "\ufeffurl,title\n", "csv", ","),
        ("a", ' {"url": "https://i.example/1.jpg", "title": "cat"}\n', "json lines", ","),
        ("a.ndjson", '{"url": "x"}\n\n{"title": "cat"}\nnot json\n', "json lines", ","),
    ],
)
def test_a_text_is_recognised_by_its_first_line(
    tmp_path: Path, name: str, text: str, kind: str, delimiter: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert recognise(path, {}, None) == TableFile(path, kind, PLAIN, delimiter)
    assert recognise(packed, {}, None) == TableFile(packed, kind, PLAIN, delimiter)


@pytest.mark.parametrize("name", ["a.parquet", "a.dat"])
def test_parquet_is_recognised_by_its_ending_or_its_first_bytes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    pq.write_table(pa.table({"URL": ["https://i.example/1.jpg"], "Title": ["cat"]}), path)
    file = recognise(path, {}, None)
    assert (file.kind, file.columns) == ("parquet", {"url": "URL", "title": "Title"})
    assert file.fields == {"url", "title"}


def test_yfcc100m_is_recognised_in_each_of_its_forms(tmp_path: Path) -> None:
    rows = [make_row(number) for number in (1, 2)]
    forms = [
        (write_sqlite(tmp_path / "a.sql", rows), "sqlite"),
        (write_text(tmp_path / "a", rows), "yfcc text"),
        (write_text(tmp_path / "b.bz2", rows, is_whole=True), "yfcc text"),
    ]
    for path, kind in forms:
        file = recognise(path, {}, None)
        assert (file.kind, file.is_yfcc) == (kind, True)
        assert {"url", "uploaded", "latitude"} <= file.fields


def test_a_table_with_as_many_columns_as_yfcc100m_is_no_yfcc100m(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    names = ["url", "title", *(f"column {number}" for number in range(21))]
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter="\t").writerow(names)
    assert recognise(path, {}, None).kind == "csv"
    rows = write_text(tmp_path / "b.tsv", [make_row(1)])
    with pytest.raises(TableError, match="has no column 'url'"):  # named, so it is a plain table
        recognise(rows, {"url": "url"}, None)


@pytest.mark.parametrize(
    ("names", "chosen", "columns"),
    [
        (["URL", " Title "], {}, {"url": "URL", "title": "Title"}),
        (
            ["image_url", "license", "page_url"],
            {},
            {"url": "image_url", "page": "page_url", "licence": "license"},
        ),
        (["url", "Bild"], {"url": "Bild"}, {"url": "Bild"}),
        (["url", "URL"], {}, {"url": "url"}),  # the first of them
        (
            ["url", "text"],
            {"title": "text", "tags": "text"},
            {"url": "url", "title": "text", "tags": "text"},
        ),
        (["url", "colour"], {}, {"url": "url"}),
    ],
)
def test_a_field_has_the_column_that_was_chosen_or_that_is_called_so(
    names: list[str], chosen: dict[str, str], columns: dict[str, str]
) -> None:
    assert map_columns(Path("a.csv"), names, chosen) == columns


def test_a_missing_column_is_named_with_those_that_are_there() -> None:
    with pytest.raises(TableError, match=r"^a\.csv has no column 'Bild'; it has: url, title\.$"):
        map_columns(Path("a.csv"), ["url", "title"], {"url": "Bild"})
    with pytest.raises(TableError, match=r"--column url=COLUMN\. It has: link, title\.$"):
        map_columns(Path("a.csv"), ["link", "title"], {})


def test_the_files_of_a_folder_are_those_that_are_not_hidden(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", ".lock"):
        (tmp_path / name).touch()
    (tmp_path / "more").mkdir()
    assert list_files(tmp_path) == [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert list_files(tmp_path / "b.csv") == [tmp_path / "b.csv"]
    for source in (tmp_path / "more", tmp_path / "none.csv"):
        with pytest.raises(TableError, match="is no file and no folder with files"):
            list_files(source)


def test_the_three_files_of_inaturalist_are_one_table(tmp_path: Path) -> None:
    for name in ("photos.csv.gz", "observations.csv", "taxa.csv"):
        (tmp_path / name).touch()
    paths = list_files(tmp_path)
    [file] = recognise_all(tmp_path, paths, {}, None)
    assert file == TableFile(tmp_path, NATURALIST)
    assert "uploaded" not in file.fields
    with pytest.raises(TableError, match="no folder of iNaturalist's open data"):
        recognise_all(tmp_path, paths[:2], {}, NATURALIST)
