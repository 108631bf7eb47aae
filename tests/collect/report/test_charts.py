"""Charts are well-formed SVG with a bar for each count."""

from __future__ import annotations

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from collect.report.charts import HEIGHT, WIDTH, Series, draw_bars, nice_top


@pytest.mark.parametrize(
    ("largest", "top"), [(0, 1), (0.04, 0.04), (0.041, 0.05), (0.575, 0.6), (0.9, 1), (1, 1)]
)
def test_the_axis_ends_at_a_round_number_above_the_largest(largest: float, top: float) -> None:
    assert nice_top(largest) == pytest.approx(top)


texts = st.text(st.characters(blacklist_categories=("Cc", "Cs")), min_size=1, max_size=9)


@given(st.lists(st.tuples(texts, st.integers(0, 1000)), max_size=30), texts)
def test_a_chart_is_well_formed_and_inside_whatever_the_names(
    bins: list[tuple[str, int]], name: str
) -> None:
    labels, counts = [it[0] for it in bins], [it[1] for it in bins]
    even = [1 / len(bins)] * len(bins) if bins else []
    root = fromstring(draw_bars(name, labels, [Series(name, counts), Series("b", counts)], even))
    bars = list(root.iter("rect"))
    assert len(bars) == 2 * len(bins)
    for bar in bars:
        x, y, height = (float(bar.get(name) or "nan") for name in ("x", "y", "height"))
        assert 0 <= x <= WIDTH
        assert height >= -0.1
        assert y + height <= HEIGHT
    told = [bar.findtext("title") or "" for bar in bars]
    assert all(str(count) in text for count, text in zip(counts, told, strict=False))
