"""Columns are what pyarrow itself makes of the values, without what it would load."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from export.travel.columns import make_column

PART = pa.struct([pa.field("name", pa.string()), pa.field("xmin", pa.int32())])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], pa.string()),
        (["a", "", None, "Füße 🐈"], pa.string()),
        ([1, 0, None, -(2**31), 2**31 - 1], pa.int32()),
        ([True, None, False] * 5, pa.bool_()),
        ([["a", "b"], [], None, ["c"]], pa.list_(pa.string())),
        ([[{"name": "head", "xmin": 3}], [], [{"name": "foot", "xmin": None}] * 2], pa.list_(PART)),
        ([None, None], pa.list_(PART)),
    ],
)
def test_a_column_holds_the_values(values: list[Any], kind: pa.DataType) -> None:
    column = make_column(values, kind)
    column.validate(full=True)
    assert column.equals(pa.array(values, kind))


def test_making_a_column_loads_no_pandas() -> None:
    program = (
        "import sys, pyarrow as pa; from export.travel.columns import make_column;"
        "make_column(['a', None], pa.string()); sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
