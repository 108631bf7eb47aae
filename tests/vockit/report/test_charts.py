"""Charts as SVG: the words and numbers in them, and the same bytes for the same figures."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from matplotlib.figure import Figure

from vockit.report.charts import Bars, draw_bars, draw_class_histogram, draw_heatmap


def list_texts(svg: bytes) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.decode())


def with_comma(value: float) -> str:
    return f"{value:g}".replace(".", ",")


def test_the_same_figures_give_the_same_bytes() -> None:
    bars = Bars(["cat", "dog"], {"images": [1, 2]}, "Images")
    assert draw_bars(bars) == draw_bars(bars)


@pytest.mark.parametrize("is_square", [True, False])
def test_a_chart_has_the_bytes_that_matplotlib_gives_a_figure_drawn_twice(
    monkeypatch: pytest.MonkeyPatch, is_square: bool
) -> None:
    names = ["a long name", "cat", "dog"]
    columns = names if is_square else list("abcde")
    shares = np.arange(3.0 * len(columns)).reshape(3, -1) / 15

    def draw() -> tuple[bytes, bytes]:
        labels = [f"class {number}" for number in range(40 if is_square else 4)]
        bars = Bars(labels, {"images": [3] * len(labels), "objects": [5] * len(labels)}, "Counts")
        return draw_bars(bars), draw_heatmap(shares, names, columns, "Shares")

    drawn = draw()
    monkeypatch.setattr("vockit.report.figure.LaidOutFigure", Figure)
    assert draw() == drawn


def test_a_chart_loads_nothing_and_says_no_time() -> None:
    svg = draw_class_histogram([("cat", 3, 5)], "Classes").decode()
    assert "<script" not in svg
    assert "dc:date" not in svg


def test_the_class_histogram_names_classes_and_series() -> None:
    texts = list_texts(draw_class_histogram([("cat", 3, 5), ("dog", 0, 0)], "Classes"))
    assert {"cat", "dog", "images", "objects", "Classes"} <= set(texts)


def test_one_series_without_a_line_needs_no_legend() -> None:
    assert "images" not in list_texts(draw_bars(Bars(["cat"], {"images": [1]})))
    with_line = Bars(["cat"], {"images": [1]}, line=("wanted", [2]))
    assert "wanted" in list_texts(draw_bars(with_line))


@pytest.mark.parametrize("count", [100, 400])
def test_labels_that_have_no_room_are_left_out_evenly(count: int) -> None:
    labels = [f"a{number}" for number in range(count)]
    texts = list_texts(draw_bars(Bars(labels, {"images": [1] * count})))
    shown = [labels.index(text) for text in texts if text in labels]
    steps = set(np.diff(shown))
    assert len(steps) == 1
    assert steps.pop() > 1


def test_numbers_of_the_axis_are_written_as_asked() -> None:
    bars = Bars(["cat"], {"share": [0.8]}, format_number=with_comma)
    assert "0,2" in list_texts(draw_bars(bars))
    assert "0.2" not in list_texts(draw_bars(bars))
    shares = np.array([[0.1, 0.4], [0.3, 0.2]])
    numbers = list_texts(draw_heatmap(shares, "ab", "cd", "Shares", format_number=with_comma))
    assert any("," in text for text in numbers)
    assert not any("." in text for text in numbers)


@pytest.mark.parametrize("shares", [[[0.0, 0.0]], [[np.nan, np.nan]]])
def test_shares_of_nothing_have_no_negative_numbers(shares: Sequence[Sequence[float]]) -> None:
    texts = list_texts(draw_heatmap(np.array(shares), ["cat"], ["a", "b"], "Shares"))
    assert "1.0" in texts
    assert not any("\N{MINUS SIGN}" in text for text in texts)
