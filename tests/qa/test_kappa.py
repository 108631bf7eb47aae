from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa.kappa import cohen_kappa, krippendorff_alpha


def kappa(*rows: list[float]) -> float:
    return float(cohen_kappa(np.array([rows]))[0])


def alpha(*rows: list[float]) -> float:
    return float(krippendorff_alpha(np.array([rows]))[0])


def test_kappa_is_as_published() -> None:
    """Two readers of 50 proposals, a textbook's case; and Cohen's own example of 1960, table 1."""
    assert kappa([20, 5], [10, 15]) == pytest.approx(0.4)
    assert kappa([88, 14, 18], [10, 40, 10], [2, 6, 12]) == pytest.approx(0.492, abs=5e-4)


def test_alpha_is_as_published() -> None:
    """Krippendorff 2011, section A (ten articles, two words) and B (twelve, five words)."""
    assert alpha([5, 3], [1, 1]) == pytest.approx(0.095, abs=5e-4)
    nominal = [
        [1.0, 1, 0, 1, 0],
        [0.0, 2, 0, 0, 0],
        [0.0, 0, 3, 0, 0],
        [0.0, 1, 0, 2, 0],
        [0.0, 0, 0, 0, 1],
    ]
    assert alpha(*nominal) == pytest.approx(0.692, abs=5e-4)


def test_one_word_alone_says_nothing() -> None:
    assert np.isnan(kappa([9, 0], [0, 0]))
    assert np.isnan(alpha([9, 0], [0, 0]))
    assert np.isnan(kappa([0, 0], [0, 0]))
    assert np.isnan(alpha([0, 0], [0, 0]))


tables = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3)


@given(tables)
def test_whoever_is_first_makes_no_difference(rows: list[list[int]]) -> None:
    table = np.array([rows], dtype=np.float64)
    turned = np.swapaxes(table, 1, 2)
    assert np.allclose(cohen_kappa(table), cohen_kappa(turned), equal_nan=True)
    assert np.allclose(krippendorff_alpha(table), krippendorff_alpha(turned), equal_nan=True)


@given(tables)
def test_full_agreement_is_1_and_nothing_is_more(rows: list[list[int]]) -> None:
    table = np.array([rows], dtype=np.float64)
    for measure in (cohen_kappa, krippendorff_alpha):
        values = measure(table)
        assert np.isnan(values[0]) or values[0] <= 1 + 1e-12
    whole = np.diag([3.0, 2.0, 1.0])[None]
    assert cohen_kappa(whole)[0] == pytest.approx(1)
    assert krippendorff_alpha(whole)[0] == pytest.approx(1)
