"""Set files are written in the devkit's forms, and read however other programs wrote them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voc.image_sets import (
    IMAGES_FORM,
    LABELS_FORM,
    OBJECT_LABELS_FORM,
    OBJECTS_FORM,
    SetForm,
    SetLine,
    format_images,
    format_labels,
    format_object_labels,
    parse_set,
)


def test_the_files_have_the_forms_of_the_development_kit() -> None:
    assert format_images(["2008_000002", "2008_000003"]) == "2008_000002\n2008_000003\n"
    assert (
        format_labels([("2008_000002", -1), ("2008_000003", 1), ("2008_000007", 0)])
        == "2008_000002 -1\n2008_000003  1\n2008_000007  0\n"
    )
    assert format_labels([("2009_000595", 12)]) == "2009_000595 12\n"
    assert format_object_labels([("2010_006217", 2, -1)]) == "2010_006217  2 -1\n"
    assert format_images([]) == ""


READ = [
    (b"", IMAGES_FORM, []),
    (b"000012\n", IMAGES_FORM, [SetLine(1, "000012")]),
    (
        b"000005 -1\n000007  1\n",
        LABELS_FORM,
        [SetLine(1, "000005", (-1,)), SetLine(2, "000007", (1,))],
    ),
    (b"000005    0 \n", LABELS_FORM, [SetLine(1, "000005", (0,))]),
    (b"a 1\na 2\n", OBJECTS_FORM, [SetLine(1, "a", (1,)), SetLine(2, "a", (2,))]),
    (b"a  2 -1\n", OBJECT_LABELS_FORM, [SetLine(1, "a", (2, -1))]),
]


@pytest.mark.parametrize(("data", "form", "lines"), READ)
def test_every_form_is_read(data: bytes, form: SetForm, lines: list[SetLine]) -> None:
    assert parse_set(data, form) == (lines, [])
    found, remarks = parse_set(data.replace(b"\n", b"\r\n"), form)
    assert found == lines
    assert [(remark.line, remark.rule) for remark in remarks] == [(1, "line-end")] * bool(data)


PLANTED = [
    (b"a\nb", IMAGES_FORM, (2, "final-newline")),
    (b"a\n\nb\n", IMAGES_FORM, (2, "blank-line")),
    (b"a\r\n\r\n", IMAGES_FORM, (2, "blank-line")),
    (b"a\nb\na\n", IMAGES_FORM, (3, "listed-twice")),
    (b"b\na\n", IMAGES_FORM, (2, "ascending")),
    (b"a 1\n", IMAGES_FORM, (1, "columns")),
    (b"a\n", LABELS_FORM, (1, "columns")),
    (b"a x\n", LABELS_FORM, (1, "columns")),
    (b"a 1.0\n", LABELS_FORM, (1, "columns")),
    (b"a 1\na -1\n", LABELS_FORM, (2, "listed-twice")),
    (b"a 1\na 1\n", OBJECTS_FORM, (2, "listed-twice")),
    (b"a 2\na 1\n", OBJECTS_FORM, (2, "ascending")),
    (b"a 1 1\na 1 -1\n", OBJECT_LABELS_FORM, (2, "listed-twice")),
    (b"a\n\xff\n", IMAGES_FORM, (2, "encoding")),
]


@pytest.mark.parametrize(("data", "form", "planted"), PLANTED)
def test_each_deviation_is_named(data: bytes, form: SetForm, planted: tuple[int, str]) -> None:
    _, remarks = parse_set(data, form)
    assert planted in [(remark.line, remark.rule) for remark in remarks]


ids = st.from_regex(r"20[0-9]{2}_[0-9]{6}", fullmatch=True)


@given(st.dictionaries(ids, st.sampled_from([1, 0, -1])))
def test_labels_are_read_as_they_were_written(labels: dict[str, int]) -> None:
    pairs = sorted(labels.items())
    lines, remarks = parse_set(format_labels(pairs).encode(), LABELS_FORM)
    assert [(line.image_id, *line.numbers) for line in lines] == pairs
    assert remarks == []


@given(st.binary(), st.sampled_from([IMAGES_FORM, LABELS_FORM, OBJECTS_FORM, OBJECT_LABELS_FORM]))
def test_nothing_is_raised_whatever_the_bytes_are(data: bytes, form: SetForm) -> None:
    lines, remarks = parse_set(data, form)
    assert lines or remarks or not data
