"""The participant's side: rows of text, with pyarrow and without it, and layout files."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vockit.evaluate.results import read_rows

from .small_tree import IDS, ROW, run, score

TEXTS = [
    "2008_000001 0.5 1 2 3 4\n2008_000002 1e-3 1.5 2 3 4\n",
    "2008_000001 0.5 1 2 3 4",
    "a inf 1 2 3 4\nb nan 1 2 3 4\n",
    "a 0.5 1 2 3\n",
    "a 0.5 1 2 3 4 5\nb 0.5 1 2 3\n",
    "a 1_0 1 2 3 4\n",
    "a x 1 2 3 4\n",
    "a nan(1) 1 2 3 4\n",
    "a 0x10 1 2 3 4\n",
    "a 1d5 1 2 3 4\n",
    "a +1 .5 1. 1.e2 -.5\n",
    "a 1e400 -1e400 1e-400 4.9e-324 1e22\n",
    "a infinity -INF NaN -nan 1E2\n",
    "a(1) 0.5 1 2 3 4\n",
    " 0.5 1 2 3 4\n",
    "a 0.5 1 2 3 4\n 0.5 1 2 3 4\n",
    "a  0.5 1 2 3 4\n",
    "\na 0.5 1 2 3 4\n",
    "a\t0.5\t1\t2\t3\t4\r\n",
    "",
]


def test_blank_lines_crlf_bom_and_repeated_blanks_are_accepted(devkit: Path) -> None:
    path = devkit / "results" / "VOC2012" / "Main" / "comp3_det_val_cat.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xef\xbb\xbf" + f"{IDS[0]}  0.9\t10 10 60 60\r\n\r\n".encode())
    assert score(devkit)["detection"]["comp3"]["classes"]["cat"]["ap"] == 0.5


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff2\x00", ":1: expected text in ASCII or UTF-8"),
        (f"{ROW}\n{IDS[0]} 1_0 1 1 9 9".encode(), ":2: expected numbers after the id"),
        (f"{ROW} 7".encode(), ":1: expected <id> <confidence> <left> <top> <right> <bottom>"),
        (f"{IDS[0]} \u0661 1 1 9 9".encode(), ":1: expected numbers after the id"),
        (f"{IDS[0]}\0 1 1 1 9 9".encode(), ":1: expected plain text"),
    ],
)
def test_rows_that_no_kit_can_score_are_refused(devkit: Path, data: bytes, expected: str) -> None:
    path = devkit / "results" / "VOC2012" / "Main" / "comp3_det_val_cat.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    assert f"{path}{expected}" in run(str(devkit), status=1)


@given(
    numbers=st.lists(st.floats(), min_size=4, max_size=4),
    word=st.from_regex(r"[!-~]{1,9}", fullmatch=True),
)
def test_the_fast_and_the_careful_reader_agree(numbers: list[float], word: str) -> None:
    row = [word, "0.5", *map(repr, numbers)]
    with TemporaryDirectory() as folder:
        tables = []
        for blank in (" ", " \t"):
            path = Path(folder) / "rows.txt"
            path.write_text(f"{blank.join(row)}\n" * 2)
            tables.append(read_rows(path, 5))
    assert tables[0].ids == tables[1].ids == [word] * 2
    assert tables[0].lines.tolist() == tables[1].lines.tolist() == [1, 2]
    assert np.array_equal(tables[0].numbers, tables[1].numbers, equal_nan=True)


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


def test_a_bad_row_among_many_is_named_by_its_line_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    good = [f"2012_{number:06d} 0.5 1 2 3 {number}" for number in range(10_000)]
    path.write_text("\r\n".join([*good[:9000], "", "2012_000001 half 1 2 3 4", *good[9000:]]))
    rows = read_rows(path, 5)
    assert [(problem.line, "half" in problem.message) for problem in rows.problems] == [
        (9002, True)
    ]
    assert rows.numbers[:, 4].tolist() == list(range(10_000))
    assert rows.lines.tolist() == [*range(1, 9001), *range(9003, 10_003)]
