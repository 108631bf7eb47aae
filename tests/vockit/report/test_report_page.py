"""Charts and report pages accept any names, and are reproducible."""

import re

import pytest
from defusedxml.ElementTree import fromstring

from vockit.format.class_counts import Share, Table, format_csv, format_text
from vockit.report.charts import Bars, draw_bars, draw_class_histogram
from vockit.report.report_page import Figure, Picture, Section, embed, format_page

NASTY = ["<script>alert(1)</script>", "a & b", "$x_1$", "\N{CAT FACE} \u732b", "_hidden"]


@pytest.mark.parametrize("is_stacked", [False, True])
def test_a_chart_is_valid_and_reproducible_with_any_names(is_stacked: bool) -> None:
    counts = [1.0, 0.0, 3.0, 2.0, 5.0]
    bars = Bars(NASTY, {NASTY[0]: counts, "other": counts}, is_stacked=is_stacked)
    chart = draw_bars(bars)
    assert chart == draw_bars(bars)
    words = {item.text for item in fromstring(chart).iter() if item.text}
    assert {*NASTY, "other"} <= words
    assert b"dc:date" not in chart


def test_a_class_without_objects_is_named_in_the_histogram() -> None:
    words = fromstring(draw_class_histogram([("cat", 2, 3), ("dog", 0, 0)], "Zoo")).itertext()
    assert {"cat", "dog", "images", "objects"} <= set(words)


def test_a_page_escapes_names_and_is_self_contained() -> None:
    table = Table("t", NASTY[0], NASTY[1], ("name", "share"), [(NASTY[0], Share(0.25))])
    picture = Picture(embed(b"<svg/>"), NASTY[0])
    figure = Figure([picture, Picture(None, NASTY[1])], NASTY, NASTY[0], table)
    section = Section(NASTY[0], tiles=[("images", [1234, 5])], tables=[table], figures=[figure])
    page = format_page(NASTY[0], [section])
    assert "<script" not in page
    assert "25.0%" in page
    assert "1,234" in page
    assert set(re.findall(r'(?:src|href)="([^"]*)"', page)) == {embed(b"<svg/>")}
    assert "default-src 'none'" in page


def test_a_table_has_the_same_numbers_as_text_and_csv() -> None:
    table = Table("t", "Title", "Caption.", ("name", "all_img"), [("cat", 1234), ("dog", None)])
    expected = ["name  all img", "cat     1,234", "dog         -"]
    assert format_text(table).splitlines()[2:] == expected
    assert format_csv(table) == "name,all_img\ncat,1234\ndog,\n"
