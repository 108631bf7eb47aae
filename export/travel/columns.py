"""Columns of a Parquet table from Python's values.

pyarrow's own way loads pandas where that is installed: another 50 MB and 0.3 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa


def make_column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """The values as a column of texts, 32-bit integers, booleans, lists or structures of these.

    None is null; a structure is a dict with all its fields.
    """
    count, valid = len(values), _pack_validity(values)
    if pa.types.is_list(kind):
        filled = [value or () for value in values]
        inner = make_column(list(chain.from_iterable(filled)), kind.value_type)
        return pa.Array.from_buffers(kind, count, [valid, _add_up(filled)], children=[inner])
    if pa.types.is_struct(kind):
        fields = [make_column([value[it.name] for value in values], it.type) for it in kind]
        return pa.Array.from_buffers(kind, count, [valid], children=fields)
    if pa.types.is_string(kind):
        texts = [value.encode() if value else b"" for value in values]
        buffers = [valid, _add_up(texts), pa.py_buffer(b"".join(texts))]
    elif pa.types.is_boolean(kind):
        buffers = [valid, _pack_bits([bool(value) for value in values])]
    else:
        assert kind == pa.int32(), "the tables of a release have no other kind"
        whole = np.array([value or 0 for value in values], np.int32)
        buffers = [valid, pa.py_buffer(whole)]
    return pa.Array.from_buffers(kind, count, buffers)


def _add_up(values: Sequence[Sequence[Any]]) -> pa.Buffer:
    """Where each value begins among the contents of all, and where the last ends."""
    ends = np.zeros(len(values) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, values), np.int32, len(values)), out=ends[1:])
    return pa.py_buffer(ends)


def _pack_validity(values: Sequence[Any]) -> pa.Buffer | None:
    if None not in values:
        return None
    return _pack_bits([value is not None for value in values])


def _pack_bits(flags: Sequence[bool]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(np.array(flags, np.bool_), bitorder="little"))
