"""COCO's run lengths as rings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vockit.format.rings import Ring, trace

MOST_PIXELS = 100_000_000


class RunLengthError(ValueError):
    """The run lengths are no mask."""


def read_rings(segmentation: Mapping[str, Any]) -> tuple[tuple[int, int], list[Ring]]:
    """Width and height of the mask in pixels, and the rings of what it holds; RunLengthError."""
    (height, width), lengths = read_run_lengths(segmentation)
    values = np.arange(len(lengths)) % 2 == 1
    mask = np.repeat(values, lengths).reshape((height, width), order="F")
    return (width, height), trace(mask)


def read_run_lengths(segmentation: Mapping[str, Any]) -> tuple[tuple[int, int], list[int]]:
    """Height and width of the mask in pixels, and its runs, the first outside; RunLengthError."""
    size = segmentation.get("size")
    counts = segmentation.get("counts")
    if not (isinstance(size, list) and len(size) == 2 and all(type(n) is int for n in size)):
        raise RunLengthError(f"expected size [height, width], got {str(size)[:60]}")
    height, width = size
    if min(size) < 1 or height * width > MOST_PIXELS:
        raise RunLengthError(f"expected a size of 1 to {MOST_PIXELS:,} pixels, got {size}")
    lengths = _unpack(counts) if isinstance(counts, str) else counts
    if not (isinstance(lengths, list) and all(type(n) is int and n >= 0 for n in lengths)):
        raise RunLengthError("expected counts that are whole numbers")
    if sum(lengths) != height * width:
        raise RunLengthError(
            f"its counts have {sum(lengths)} pixels, its size has {height * width}"
        )
    return (height, width), lengths


def pack_run_lengths(lengths: Sequence[int]) -> str:
    """The runs as COCO's compressed string, as rleToString of the COCO API's maskApi.c."""
    characters: list[str] = []
    for place, length in enumerate(lengths):
        value = length - lengths[place - 2] if place > 2 else length
        while True:
            bits = value & 0x1F
            value >>= 5
            is_last = value == (-1 if bits & 0x10 else 0)
            characters.append(chr(48 + (bits if is_last else bits | 0x20)))
            if is_last:
                break
    return "".join(characters)


def find_run_lengths(inside: NDArray[np.bool_]) -> list[int]:
    """The runs of a mask, the first outside."""
    flat = inside.ravel(order="F")
    changes = np.flatnonzero(np.diff(flat)) + 1
    lengths = np.diff([0, *changes.tolist(), flat.size]).tolist()
    return [0, *lengths] if flat[0] else lengths


def find_run_edges(size_hw: tuple[int, int], lengths: Sequence[int]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the pixels inside; RunLengthError where there are none."""
    height = size_hw[0]
    ends = np.cumsum(np.asarray(lengths, np.int64))
    begins, ends = ends[:-1:2], ends[1::2]
    begins, ends = begins[ends > begins], ends[ends > begins]
    if not len(begins):
        raise RunLengthError("expected a mask with a pixel")
    columns = begins // height, (ends - 1) // height
    is_whole = columns[1] > columns[0]  # the run goes over the lower edge
    top = 0 if is_whole.any() else int((begins % height).min())
    bottom = height if is_whole.any() else int(((ends - 1) % height).max()) + 1
    return int(columns[0].min()), top, int(columns[1].max()) + 1, bottom


def _unpack(text: str) -> list[int]:
    """The counts of a compressed string: six bits a character, each count less the last but one.

    As rleFrString of the COCO API's maskApi.c.
    """
    counts: list[int] = []
    value = 0
    shift = 0
    for character in text:
        bits = ord(character) - 48
        if not 0 <= bits < 64 or shift > 60:
            raise RunLengthError("expected counts in COCO's compressed form")
        value |= (bits & 0x1F) << shift
        shift += 5
        if bits & 0x20:
            continue
        if bits & 0x10:
            value -= 1 << shift
        counts.append(value + counts[-2] if len(counts) > 2 else value)
        value = 0
        shift = 0
    return counts
