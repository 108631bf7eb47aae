"""A JSON document is read element by element as it stands, or refused with the place."""

import json
from pathlib import Path
from typing import Any

import pytest

from vockit.foreign.datasets import json_stream
from vockit.foreign.datasets.json_stream import JsonFault, iterate_elements, iterate_rows

DOCUMENT: dict[str, Any] = {
    "info": {"url": 'a "quoted" [word]'},
    "images": [{"id": 1}, {"id": 2, "name": "é\n"}],
    "other": [[1, 2], {"images": [7]}],
    "annotations": [{"id": number, "bbox": [number, 1.5, -3, 1e3]} for number in range(50)],
    "year": 2026,
}


def read(path: Path, *keys: str) -> list[tuple[str, object]]:
    return [(element.key, element.value) for element in iterate_elements(path, keys)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_the_elements_are_those_of_the_whole_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indent: int | None, chunk: int
) -> None:
    monkeypatch.setattr(json_stream, "_CHUNK", chunk)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(DOCUMENT, indent=indent, ensure_ascii=False))
    expected = [("images", row) for row in DOCUMENT["images"]]
    expected += [("annotations", row) for row in DOCUMENT["annotations"]]
    assert read(path, "images", "annotations") == [*expected, ("year", 2026)][:-1]
    assert read(path, "year") == [("year", 2026)]


ROWS: list[Any] = [
    {"segmentation": {"size": [2, 3], "counts": "}, {"}, "score": 1},
    {"a": [{"b": 1}, {"c": {}}], "d": "},"},
    7,
    [{"e": 1}, {"f": 2}],
    *({"bbox": [number, 0.5], "score": 0.25} for number in range(40)),
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("chunk", [1, 7, 40, 100, 1 << 20])
def test_the_rows_of_a_list_are_those_of_the_whole_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indent: int | None, chunk: int
) -> None:
    monkeypatch.setattr(json_stream, "_CHUNK", chunk)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(ROWS, indent=indent, separators=(",", ":")))
    assert list(iterate_rows(path)) == ROWS


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[{"a": 1}, {"b": 2}', "it is cut off: it ends after 19 characters"),
        ('[{"a": 1}], [{"b": 2}, 3]', "character 11: expected the end of the file"),
        ('[{"a": 1}, {"b": x}, {"c": 3}]', "character 18: expected a value of JSON"),
        ('[{"a": 1} {"b": 2}, {"c": 3}]', "character 11: expected ']'"),
    ],
)
def test_a_damaged_list_is_refused_with_the_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(JsonFault) as raised:
        list(iterate_rows(path))
    assert says in str(raised.value)


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('\ufeff{"images": [1]}', encoding="utf-8")
    assert read(path, "images") == [("images", 1)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"images": [{"id": 1}, {"id": 2', "it is cut off: it ends after 31 characters"),
        ('{"images": [{"id": 1}', "it is cut off: it ends after 21 characters"),
        ('{"images": [{"id": "a', "it is cut off: it ends after 21 characters"),
        ("", "it is cut off: it ends after 0 characters"),
        ('{"images": [{"id": x}]}', "character 20: expected a value of JSON, got 'x}]}'"),
        ("[1, 2]", "character 1: expected '{', got '[1, 2]'"),
        ('{"images": [1] "a": 2}', "character 16: expected '}'"),
        ('{"images": [1]} more', "character 17: expected the end of the file"),
        ('{"images": ' + "[" * 100_000, "expected a value of JSON"),
    ],
)
def test_a_damaged_document_is_refused_with_the_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(JsonFault) as raised:
        read(path, "images")
    assert says in str(raised.value)


def test_a_value_that_is_too_long_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_stream, "MOST_CHARS", 100)
    monkeypatch.setattr(json_stream, "_CHUNK", 10)
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"images": ["a" * 1000]}))
    with pytest.raises(JsonFault, match="at most 100 characters"):
        read(path, "images")


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes('{"images": ["é"]}'.encode("utf-16"))
    with pytest.raises(JsonFault, match="UTF-8"):
        read(path, "images")
