"""Annotation files are written to the byte in fitting texts, and every reader reads them back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.export.kit_reader import read_record
from tests.export.strategies import images, kit_view
from voc.read import read_annotation
from voc.records import (
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocOwner,
    VocPoint,
    VocSize,
    VocSource,
)
from voc.styles import STYLE_2007, STYLE_2008, STYLE_2012, VocStyle
from voc.text import fit_text, is_plain_text
from voc.write import UnwritableError, format_annotation

from .test_read import IMAGE, PERSON, VALID

styles = st.sampled_from([STYLE_2007, STYLE_2008, STYLE_2012])


@settings(max_examples=min(50, settings().max_examples))
@given(images(), styles)
def test_the_kit_and_we_read_back_what_was_written(image: VocImage, style: VocStyle) -> None:
    data = format_annotation(image, style).encode()
    assert read_annotation(data).image == image
    assert read_record(data) == kit_view(image)


def test_a_file_of_2008_looks_as_the_release_of_2008() -> None:
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
def test_what_no_reader_would_read_back_is_not_written(image: VocImage, sentence: str) -> None:
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
def test_text_is_fitted(text: str, fitted: str) -> None:
    assert fit_text(text) == fitted


@given(st.text())
def test_fitted_text_is_plain_or_empty_and_stays(text: str) -> None:
    fitted = fit_text(text)
    assert fit_text(fitted) == fitted
    assert is_plain_text(fitted) or not fitted
