"""Hashes as callers hold them, and as the search lays them out: word by word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
"""A row for each hash: `[row]` of 64 bits or `[row, word]` of more; may be a np.memmap."""

Words = NDArray[np.uint64]
"""`[word, row]`, contiguous, so that a word of neighbouring rows lies together."""


def check_hashes(hashes: Hashes) -> None:
    """Raise ValueError unless these are hashes of whole words."""
    is_shaped = hashes.ndim == 1 or (hashes.ndim == 2 and hashes.shape[1] > 0)
    if hashes.dtype != np.uint64 or not is_shaped:
        raise ValueError(
            "hashes must be uint64 of shape (rows,) or (rows, words), "
            f"got {hashes.dtype} of shape {hashes.shape}"
        )


def count_words(hashes: Hashes) -> int:
    """How many words of 64 bits a hash has."""
    return 1 if hashes.ndim == 1 else int(hashes.shape[1])


def take_words(hashes: Hashes, rows: slice | NDArray[np.int64]) -> Words:
    """The hashes of the rows, in memory."""
    taken = np.asarray(hashes[rows])
    return np.ascontiguousarray(taken.reshape(len(taken), count_words(hashes)).T)
