"""Annotations and image sets are written byte for byte, and every reader reads them back."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit_reader import read_record
from tests.strategies import images, kit_view
from vockit.format.image_sets import (
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
from vockit.format.read import read_annotation
from vockit.format.records import (
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocOwner,
    VocPoint,
    VocSize,
    VocSource,
)
from vockit.format.text import fit_text, is_plain_text
from vockit.format.write import STYLE_2008, STYLES, UnwritableError, VocStyle, format_annotation

from .test_read import IMAGE, PERSON, VALID

styles = st.sampled_from(STYLES)


@settings(max_examples=min(50, settings().max_examples))
@given(images(), styles)
def test_the_kit_and_we_read_back_what_we_wrote(image: VocImage, style: VocStyle) -> None:
    data = format_annotation(image, style).encode()
    assert read_annotation(data).image == image
    assert read_record(data) == kit_view(image)


def test_a_file_in_the_2008_style_equals_the_release_of_2008() -> None:
    assert format_annotation(IMAGE, STYLE_2008) == VALID


def with_object(**changes: object) -> VocImage:
    fields = {"name": "cat", "box": VocBox(1, 1, 2, 2), **changes}
    return with_fields(objects=(VocObject(**fields),))  # type: ignore[arg-type]


def with_fields(**changes: Any) -> VocImage:
    return replace(IMAGE, **changes)


UNWRITABLE = [
    (with_fields(objects=()), "at least one object"),
    (with_fields(folder=None), "<folder>"),
    (with_fields(source=None), "<source>"),
    (with_fields(source=VocSource("a", "b")), "<source/image>"),
    (with_fields(size=None), "<size>"),
    (with_fields(size=VocSize(3, 4)), "<size/depth>"),
    (with_fields(segmented=None), "<segmented>"),
    (with_fields(filename="2026 1.jpg"), "one word"),
    (with_fields(owner=VocOwner("1", "Tom & Jerry")), "without <, > and &"),
    (with_fields(owner=VocOwner("1", "")), "<owner/name>"),
    (with_fields(source=VocSource("a\tb", "b", "c")), "single blanks"),
    (with_object(name="potted plant"), "one word"),
    (with_object(name="<cat>"), "one word"),
    (with_object(box=VocBox(1, 1, float("nan"), 2)), "finite"),
    (with_object(actions=(VocAction("riding bike", True),)), "can be a tag"),
    (with_fields(objects=(PERSON, VocObject("a", PERSON.box, actions=()))), "<actions> in all"),
    (with_fields(objects=(PERSON, VocObject("a", PERSON.box, point=VocPoint(1, 1)))), "<point>"),
]


@pytest.mark.parametrize(("image", "sentence"), UNWRITABLE)
def test_values_that_cannot_be_read_back_are_not_written(image: VocImage, sentence: str) -> None:
    with pytest.raises(UnwritableError, match=sentence):
        format_annotation(image)


FITTED = [
    ("The Zoo Database", "The Zoo Database"),
    ("Tom & Jerry", "Tom and Jerry"),
    ("R&D", "R and D"),
    ("<b>bold</b>", "(b)bold(/b)"),
    ("  two\n\tlines ", "two lines"),
    ("no\u00a0break\u2028here", "no break here"),
    ("a\x00b\x0bc\ufffe", "a b c"),
    ("lone \ud800 half", "lone half"),
    ("Zoë 猫 🐈", "Zoë 猫 🐈"),
    ("&", "and"),
    ("\x07", ""),
]


@pytest.mark.parametrize(("text", "fitted"), FITTED)
def test_text_is_fitted_to_one_plain_line(text: str, fitted: str) -> None:
    assert fit_text(text) == fitted


@given(st.text())
def test_fitting_a_text_twice_changes_nothing(text: str) -> None:
    fitted = fit_text(text)
    assert fit_text(fitted) == fitted
    assert is_plain_text(fitted) or not fitted


def test_image_sets_have_the_format_of_the_development_kit() -> None:
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
def test_every_form_of_image_set_is_read(data: bytes, form: SetForm, lines: list[SetLine]) -> None:
    assert parse_set(data, form) == (lines, [])
    parsed, remarks = parse_set(data.replace(b"\n", b"\r\n"), form)
    assert parsed == lines
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
def test_each_error_in_a_set_is_named(data: bytes, form: SetForm, planted: tuple[int, str]) -> None:
    _, remarks = parse_set(data, form)
    assert planted in [(remark.line, remark.rule) for remark in remarks]


ids = st.from_regex(r"20[0-9]{2}_[0-9]{6}", fullmatch=True)


@given(st.dictionaries(ids, st.sampled_from([1, 0, -1])))
def test_labels_are_read_back_as_written(labels: dict[str, int]) -> None:
    pairs = sorted(labels.items())
    lines, remarks = parse_set(format_labels(pairs).encode(), LABELS_FORM)
    assert [(line.image_id, *line.numbers) for line in lines] == pairs
    assert remarks == []


@given(st.binary(), st.sampled_from([IMAGES_FORM, LABELS_FORM, OBJECTS_FORM, OBJECT_LABELS_FORM]))
def test_random_bytes_are_read_or_get_remarks(data: bytes, form: SetForm) -> None:
    lines, remarks = parse_set(data, form)
    assert lines or remarks or not data
