"""Reading rows of results, with pyarrow and without it."""

import sys
from pathlib import Path

import numpy as np
import pytest

from vockit.evaluate.results import read_rows

TEXTS = [
    "2008_000001 0.5 1 2 3 4\n2008_000002 1e-3 1.5 2 3 4\n",
    "2008_000001 0.5 1 2 3 4",
    "a inf 1 2 3 4\nb nan 1 2 3 4\n",
    "a 0.5 1 2 3\n",
    "a 0.5 1 2 3 4 5\nb 0.5 1 2 3\n",
    "a 1_0 1 2 3 4\n",
    "a x 1 2 3 4\n",
    "a  0.5 1 2 3 4\n",
    "\na 0.5 1 2 3 4\n",
    "a\t0.5\t1\t2\t3\t4\r\n",
    "",
]


@pytest.mark.parametrize("text", TEXTS)
def test_rows_are_the_same_with_and_without_pyarrow(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "comp3_det_val_cat.txt"
    path.write_text(text)
    with_arrow = read_rows(path, 5)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    without = read_rows(path, 5)
    assert with_arrow.ids == without.ids
    assert with_arrow.problems == without.problems
    assert np.array_equal(with_arrow.lines, without.lines)
    assert np.array_equal(with_arrow.numbers, without.numbers, equal_nan=True)
